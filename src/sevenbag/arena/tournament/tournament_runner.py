"""Play a tournament in a folder, or resume one.

Each finished game is written and synced before anything follows from it: first the replay, then the
line. After any crash, a game is either complete or played again, with the same consequences.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import re
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn, Self

import msgspec

from sevenbag.arena.tournament.game_task import GameTask, GameTaskResult, play_task, stop_idle_bots
from sevenbag.arena.tournament.schedule import ScheduledGame, iterate_waves
from sevenbag.arena.tournament.tournament_config import TournamentHeader
from sevenbag.arena.tournament.tournament_files import (
    GAMES_FILE,
    HEADER_FILE,
    REPLAY_FOLDER,
    GameRecord,
    GamesFileWriter,
    TournamentOutcome,
    read_games,
    read_header,
    read_result,
    write_header,
    write_result,
)
from sevenbag.arena.tournament.tournament_results import TournamentResults
from sevenbag.bots.bot import make_names_unique
from sevenbag.errors import BotStartError, FormatError, InputError, LostWorkersError
from sevenbag.files import open_locked, write_atomically
from sevenbag.formats.replay_file import Replay
from sevenbag.game import Rules
from sevenbag.jobs import Executor

MAX_FAILED_STARTS: Final = 3
"""Number of consecutive failed starts of a bot that ends a tournament."""


class TournamentRunner:
    """Runner of a tournament in a folder; a context manager that locks the folder.

    Attributes:
        results: finished games.

    Raises:
        FormatError: the folder contains no valid tournament.
        InputError: another process has locked the folder.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.header = read_header(self.folder)
        locked = InputError(f"{self.folder}: locked by another process")
        self._lock = open_locked(self.folder, os.O_RDONLY, locked)
        try:
            self._rules = msgspec.json.encode(self.header.rules)
            # Invalid rules and openings are errors now, not in the middle of the run.
            Rules.from_dict(self.header.rules)
            self.header.parse_openings()
            games = read_games(self.folder, self.header)
            self.results = TournamentResults(self.header, games)
            self._unchecked = {game.id: game for game in games}
            # By engine, for each game of this run: reason of a failed start, else None.
            self._start_failures: defaultdict[int, list[str | None]] = defaultdict(list)
        except BaseException:
            os.close(self._lock)
            raise

    @staticmethod
    def create_folder(folder: str | os.PathLike[str], header: TournamentHeader) -> None:
        """Create the folder of a tournament if it does not exist.

        Raises:
            InputError: the folder contains another tournament, or other files.
            FormatError: it cannot be written.
        """
        path = Path(folder)
        try:
            path.mkdir(parents=True, exist_ok=True)
            there = [entry.name for entry in path.iterdir() if entry.name != REPLAY_FOLDER]
            if HEADER_FILE in there:
                _expect_same_header(path, header)
            elif any(not name.startswith(".") for name in there):
                raise InputError(f"invalid folder {path}: expected an empty one, got other files")
            (path / REPLAY_FOLDER).mkdir(exist_ok=True)
        except OSError as error:
            raise FormatError(f"{path}: cannot be made: {error.strerror}") from error
        if HEADER_FILE not in there:
            write_header(path, header)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)

    def run(
        self,
        executor: Executor,
        on_game: Callable[[GameRecord], None] = lambda _: None,
        *,
        recover: bool = False,
    ) -> TournamentOutcome:
        """Play the remaining games.

        Args:
            executor: executor of the games.
            on_game: function that receives each finished game.
            recover: whether to continue after repeated failed starts of a bot.

        Raises:
            BotStartError: a bot failed to start in three games in a row. Finished games are stored.
            FormatError: a file cannot be written.
            JobError: workers were lost repeatedly. Finished games are stored.
        """
        _remove_unlisted_replays(self.folder)
        try:
            with GamesFileWriter(self.folder) as lines:
                for wave in iterate_waves(self.header, self.results):
                    self._play_wave(wave, executor, lines, on_game, recover=recover)
                for game in self._unchecked:
                    self._refuse(game, "expected a scheduled game")
        finally:
            # Only if games are played in this process.
            stop_idle_bots()
        result = self._result()
        write_result(self.folder, result)
        return result

    def check_starts(self) -> None:
        """Check that each bot has started in at least one game of this run.

        Raises:
            BotStartError: a bot has started in none.
        """
        for engine, failures in self._start_failures.items():
            self._expect_start(engine, failures, "in any of its games")

    def to_dict(self) -> dict[str, object]:
        """Return the results as data for JSON."""
        result = read_result(self.folder)
        return {
            "folder": str(self.folder),
            "finished": result is not None and result.finished,
            **self.results.to_dict(),
        }

    def _play_wave(
        self,
        wave: Iterable[ScheduledGame],
        executor: Executor,
        lines: GamesFileWriter,
        on_game: Callable[[GameRecord], None],
        *,
        recover: bool,
    ) -> None:
        given: list[GameTask] = []
        results = executor.run(play_task, self._tasks(wave, given))
        with contextlib.closing(results), _games_by_name(given):
            for _, result in results:
                played = self._with_announced_names(result)
                record = played.record
                if played.replay is not None and record.replay is not None:
                    write_atomically(self.folder / record.replay, played.replay, replace=True)
                lines.append(record)
                self.results.add(record)
                on_game(record)
                self._note_starts(played, recover=recover)
                if self.results.decision is not None:
                    return

    def _with_announced_names(self, played: GameTaskResult) -> GameTaskResult:
        """Return a game with the announced names of its bots."""
        game = played.record
        fresh = {
            engine: name
            for engine, name in zip(game.players, played.announced_names, strict=True)
            if name is not None and self.header.engines[engine].provisional
        }
        if fresh:
            self._rename(fresh)
        first, second = (self.header.engines[engine].name for engine in game.players)
        names = (first, second)
        if names == game.names:
            return played
        replay = None if played.replay is None else _rename_engines(played.replay, names)
        record = msgspec.structs.replace(game, names=names)
        return msgspec.structs.replace(played, record=record, replay=replay)

    def _rename(self, fresh: Mapping[int, str]) -> None:
        """Give engines their announced names, in memory and in the folder."""
        engines = self.header.engines
        names = make_names_unique(
            [fresh.get(number, engine.name) for number, engine in enumerate(engines)],
            [engine.spec for engine in engines],
            [number not in fresh for number in range(len(engines))],
        )
        before = _match_name(self.header)
        self.header = msgspec.structs.replace(
            self.header,
            engines=tuple(
                msgspec.structs.replace(
                    engine, name=name, provisional=engine.provisional and number not in fresh
                )
                for number, (engine, name) in enumerate(
                    zip(self.header.engines, names, strict=True)
                )
            ),
        )
        if self.header.name == before:
            self.header = msgspec.structs.replace(self.header, name=_match_name(self.header))
        self.results.header = self.header
        write_header(self.folder, self.header)

    def _note_starts(self, played: GameTaskResult, *, recover: bool) -> None:
        """Record which bots started; raise after too many consecutive failures."""
        game = played.record
        for engine, started, loss in zip(
            game.players, played.bots_started, game.losses, strict=True
        ):
            failures = self._start_failures[engine]
            failures.append(None if started or loss is None else loss.detail or loss.reason)
            if len(failures) >= MAX_FAILED_STARTS and not recover:
                latest = failures[-MAX_FAILED_STARTS:]
                self._expect_start(engine, latest, f"in {MAX_FAILED_STARTS} games in a row")

    def _expect_start(self, engine: int, failures: Sequence[str | None], games: str) -> None:
        if all(failures):
            raise BotStartError(
                self.header.engines[engine].name, f"failed to start {games}: {failures[-1]}"
            )

    def _tasks(self, wave: Iterable[ScheduledGame], given: list[GameTask]) -> Iterator[GameTask]:
        """Iterate over the games of a wave that are still needed, and append them to a list."""
        for game in wave:
            recorded = self._unchecked.pop(game.id, None)
            if recorded is not None:
                self._expect_scheduled(recorded, game)
            if self.results.decision is not None and not self._unchecked:
                return
            if self.results.decision is not None or game.id in self.results:
                continue
            first, second = game.players
            task = GameTask(
                game=game,
                engines=(self.header.engines[first], self.header.engines[second]),
                rules=self._rules,
                settings=self.header.settings,
            )
            given.append(task)
            yield task

    def _expect_scheduled(self, record: GameRecord, game: ScheduledGame) -> None:
        """Check that a recorded game matches the schedule."""
        for name, expected in game.record_fields().items():
            got = getattr(record, name)
            if got != expected:
                self._refuse(game.id, f"expected {name} {expected}, got {got}")

    def _refuse(self, game: int, what: str) -> NoReturn:
        raise FormatError(f"{self.folder / GAMES_FILE}: invalid game {game}: {what}")

    def _result(self) -> TournamentOutcome:
        decision = self.results.decision
        if decision is None:
            return TournamentOutcome(finished=True)
        return TournamentOutcome(
            finished=True,
            counted_games=decision.games,
            counted_pairs=decision.pairs,
            decision=decision.decision,
        )


def header_differences(there: TournamentHeader, wanted: TournamentHeader) -> list[str]:
    """Describe the differences between two tournaments.

    The names of the tournaments and announced names of bots are not compared.
    """
    # As it is read back: 1 may become 1.0.
    wanted = msgspec.json.decode(msgspec.json.encode(wanted), type=type(wanted))
    if len(there.engines) == len(wanted.engines):
        engines = tuple(
            msgspec.structs.replace(one, name=other.name, provisional=other.provisional)
            if one.provisional
            else one
            for one, other in zip(wanted.engines, there.engines, strict=True)
        )
        wanted = msgspec.structs.replace(wanted, engines=engines)
    fields = ("kind", "engines", "rules", "settings", "openings", "sprt", "seed")
    return [name for name in fields if getattr(there, name) != getattr(wanted, name)]


def choose_match_folder(
    root: Path, header: TournamentHeader, specs: tuple[str, str], *, resume: bool
) -> Path:
    """Return a new folder for a match.

    Args:
        root: parent of the folder.
        header: header of the match.
        specs: specifications of the bots, for the name of the folder.
        resume: return the latest folder of the same match, if there is one.
    """
    name = "-".join(map(_folder_part, specs))
    latest: Path | None = None
    for number in itertools.count(1):
        folder = root / (name if number == 1 else f"{name}-{number}")
        if not folder.exists():
            return latest or folder
        if resume and _is_same_match(folder, header):
            latest = folder
    raise AssertionError("unreachable")


_FOLDER_NAME_LENGTH: Final = 40


def _folder_part(spec: str) -> str:
    """Return a bot specification as part of a folder name."""
    return re.sub(r"[^A-Za-z0-9=.]+", "-", spec).strip("-.")[:_FOLDER_NAME_LENGTH] or "bot"


def _is_same_match(folder: Path, header: TournamentHeader) -> bool:
    try:
        return not header_differences(read_header(folder), header)
    except FormatError:
        return False


def _match_name(header: TournamentHeader) -> str:
    """Return the default name of a match."""
    return " - ".join(engine.name for engine in header.engines)


def _rename_engines(data: bytes, names: tuple[str, str]) -> bytes:
    """Return an encoded replay with the names of its players replaced."""
    replay = Replay.decode(data)
    first, second = (
        msgspec.structs.replace(player, name=name)
        for player, name in zip(replay.header.players, names, strict=True)
    )
    header = msgspec.structs.replace(replay.header, players=(first, second))
    return dataclasses.replace(replay, header=header).encode()


@contextlib.contextmanager
def _games_by_name(given: Sequence[GameTask]) -> Generator[None]:
    """Replace errors of jobs by errors of games."""
    try:
        yield
    except LostWorkersError as error:
        if error.job is None:
            raise
        task = given[error.job]
        first, second = (engine.name for engine in task.engines)
        what = str(error).removeprefix(f"job {error.job} ")
        raise LostWorkersError(
            f"game {task.game.id}, {first} - {second}, {what}", error.job
        ) from error


def _expect_same_header(folder: Path, header: TournamentHeader) -> None:
    others = header_differences(read_header(folder), header)
    if others:
        raise InputError(
            f"{folder}: there is another tournament in this folder, with other"
            f" {', '.join(others)}; choose another folder, or continue that one with --resume"
        )


def _remove_unlisted_replays(folder: Path) -> None:
    """Remove incomplete files that a killed process has left."""
    for place in (folder, folder / REPLAY_FOLDER):
        for draft in place.glob(".*.part"):
            with contextlib.suppress(OSError):
                draft.unlink()
