"""Fuzz targets for all Python code that reads untrusted input.

Each target is a function of bytes. It may raise only the subclasses of `SevenbagError` that its
decoder documents; anything else is a finding. Accepted input must survive a round trip and be
playable.

    python -m fuzz.decoders TARGET [libFuzzer's options and corpus folders]

runs a target under atheris. The tests replay the corpus without it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import io
import os
import sys
import tempfile
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

import sevenbag.cli.check_command
import sevenbag.cli.contest_client_commands
import sevenbag.cli.contest_server_commands
import sevenbag.cli.perft_command
import sevenbag.cli.play_command
import sevenbag.cli.replay_commands
import sevenbag.cli.serve_commands
from sevenbag import Board, Kicks
from sevenbag.arena.report import render_report
from sevenbag.arena.report.report_page import encode_game
from sevenbag.arena.tournament.tournament_summary import read_tournament_summary, summary_to_dict
from sevenbag.bots.registry import create_bot
from sevenbag.cli import main as cli
from sevenbag.cli.signals import SignalInterrupt
from sevenbag.config.loader import format_toml, loads_toml
from sevenbag.contest import scheduler_protocol
from sevenbag.contest.game import pason_replay
from sevenbag.contest.settings import ContestSettings
from sevenbag.errors import (
    FormatError,
    KicksError,
    PlacementError,
    ProtocolError,
    RulesError,
    SpecError,
)
from sevenbag.formats.replay_file import Replay
from sevenbag.formats.tetrio_file import read_tetrio_file
from sevenbag.game import Game, Rules
from sevenbag.game.kicks_file import kicks_from_dict, kicks_to_dict
from sevenbag.protocols import bot_actions
from sevenbag.protocols.json_lines import LineSplitter
from sevenbag.protocols.pason import messages as pason_messages
from sevenbag.protocols.tbp import (
    TbpBotConnection,
    TbpEvent,
    TbpFrontendConnection,
    TbpMessage,
    TbpStage,
    decode,
    encode,
    from_object,
    tbp_conversion,
    to_object,
)
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.triangle import decode as triangle_decode
from sevenbag.protocols.triangle import encode as triangle_encode
from sevenbag.protocols.triangle import triangle_connections
from sevenbag.protocols.triangle.messages import TriangleMove
from sevenbag.replay.playback import Playback, count_statistics
from sevenbag.replay.replay_export import export_csv, export_fumen, export_json
from sevenbag.replay.tetrio_simulation import simulate_player, tetrio_counters

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

MOST_TURNS: Final = 50
"""Turns of a replay that are played again: one input is to take milliseconds."""

MOST_FRAMES: Final = 20_000
"""Frames of a game played from its keys, for the same reason."""

MOST_EVENTS: Final = 2_000
"""Events of a contest's game that are played again, likewise."""


def main(words: list[str]) -> None:
    """Fuzz one target."""
    target, *options = words
    atheris: Any = importlib.import_module("atheris")
    # The import hook of atheris does not see editable installations, so instrument each function.
    for function in _functions():
        atheris.instrument_func(function)
    atheris.Setup([sys.argv[0], *options], TARGETS[target])
    atheris.Fuzz()


def replay(data: bytes) -> None:
    """Decode a replay file and play it back."""
    try:
        decoded = Replay.decode(data)
    except FormatError as error:
        _expect_readable(error)
        return
    _expect(Replay.decode(decoded.encode()) == decoded, "a replay changes as it is written")
    try:
        playback = Playback(decoded)
        playback.play_to(MOST_TURNS)
        if playback.at_end:
            playback.differences()
        if len(decoded.turns) <= MOST_TURNS:
            for export in (
                encode_game,
                export_json,
                export_csv,
                count_statistics,
                lambda game: export_fumen(game, 0),
            ):
                export(Playback(decoded))
    except FormatError as error:
        _expect_readable(error)


def tournament(data: bytes) -> None:
    """Decode the files of a tournament: the header in the first line, then its games."""
    header, _, games = data.partition(b"\n")
    with _folder() as folder:
        (folder / "tournament.json").write_bytes(header)
        (folder / "games.jsonl").write_bytes(games)
        try:
            summary = read_tournament_summary(folder)
        except FormatError as error:
            _expect_readable(error)
            return
        msgspec.json.encode(summary_to_dict(summary))
        page = render_report(summary)
        _expect(page.count("<script") == 2, "a name is markup")
        with contextlib.redirect_stdout(io.StringIO()):
            _expect(cli.main(["stats", str(folder)]) == 0, "a tournament has no statistics")


def ttrm(data: bytes) -> None:
    """Decode a TETR.IO replay and simulate the start of its games."""
    try:
        recording = read_tetrio_file(data)
    except FormatError as error:
        _expect_readable(error)
        return
    for members in recording.rounds[:2]:
        for player in members[:2]:
            begun = dataclasses.replace(player, frames=min(player.frames, MOST_FRAMES))
            try:
                tetrio_counters(simulate_player(begun, recording.date, locks=True).game)
            except FormatError as error:
                _expect_readable(error)


def rules(data: bytes) -> None:
    """Decode a rules file and play a game under the rules."""
    with _file("own.toml", data) as path:
        try:
            read = Rules.from_file(path)
        except RulesError as error:
            _expect_readable(error)
            return
    _expect(Rules.from_dict(read.to_dict()) == read, "rules change as they are written")
    _play(read)


def kicks(data: bytes) -> None:
    """Decode a file of a rotation system and list placements under it."""
    with _file("own.toml", data) as path:
        try:
            read = Kicks.from_file(path)
        except KicksError as error:
            _expect_readable(error)
            return
    _expect(Kicks.from_text(data.decode()) == read, "a text differs from its file")
    _expect(
        kicks_from_dict(kicks_to_dict(read), "data") == read, "a system changes as it is written"
    )
    for piece in "IOTLJSZ":
        Board(10, 24).placements(piece, read, spawn=(4, 20))


def tbp_bot(data: bytes) -> None:
    """Send the lines of a TBP frontend to a bot."""
    side = TbpBotConnection(max_moves=1, max_line_bytes=4096)
    for message in _messages(data):
        for action in side.receive(message):
            match action:
                case bot_actions.PrepareAction():
                    side.accept_rules()
                case bot_actions.SuggestAction():
                    [sent] = side.answer(())
                    line = (
                        b""
                        if not isinstance(sent, bot_actions.SendAction)
                        else encode(sent.message)
                    )
                    _expect(0 < len(line) <= 4096, "an answer is too long")
                case bot_actions.StartAction(position):
                    _expect(bool(position.queue), "a bot is put before no piece")
                case _:
                    pass


def tbp_frontend(data: bytes) -> None:
    """Send the lines of a TBP bot to a frontend that plays on."""
    side = TbpFrontendConnection()
    for message in _messages(data):
        event = side.receive(message)
        with contextlib.suppress(ProtocolError):
            if event is TbpEvent.INTRODUCED:
                side.send(tbp.TbpRules())
            elif event is TbpEvent.READY:
                side.send(
                    tbp.TbpStart(hold=None, queue=("T",), combo=0, back_to_back=False, board=())
                )
            if side.stage is TbpStage.CALCULATING and side.may_ask:
                side.send(tbp.TbpSuggest())
        if event is TbpEvent.SUGGESTED and isinstance(message, tbp.TbpSuggestion):
            for move in message.moves[:20]:
                with contextlib.suppress(PlacementError):
                    tbp_conversion.parse_move(move)
        _expect(
            side.pending_answers >= side.stale_answers >= 0,
            "answers are owed that nobody asked for",
        )


def triangle(data: bytes) -> None:
    """Send the lines of a Triangle.js host to a bot."""
    side = triangle_connections.TriangleBotConnection()
    for line in LineSplitter(max_bytes=20_000).feed(data + b"\n"):
        if line is None:
            continue
        try:
            message = triangle_decode(line)
        except ProtocolError as error:
            _expect_readable(error)
            todo = side.receive_invalid(error.kind)
        else:
            if message is None:
                continue
            _expect(triangle_decode(triangle_encode(message)) == message, "a message changes")
            todo = side.receive(message)
        for action in todo:
            match action:
                case bot_actions.SuggestAction():
                    answers = side.answer(())
                    sent = [a.message for a in answers if isinstance(a, bot_actions.SendAction)]
                    _expect(len(sent) == 1, "a question has not one answer")
                    for move in sent:
                        ends = isinstance(move, TriangleMove) and b'"hardDrop"]' in triangle_encode(
                            move
                        )
                        _expect(ends, "a move does not end with a hard drop")
                case bot_actions.StartAction(position):
                    _expect(bool(position.queue), "a bot is put before no piece")
                case _:
                    pass


def pason(data: bytes) -> None:
    """Decode messages of clients and servers of the contest of 2012, one per line."""
    for line in data.split(b"\n")[:50]:
        for read in (
            pason_messages.decode_command,
            pason_messages.decode_reply,
            pason_messages.decode_state,
        ):
            try:
                message = read(line)
            except ProtocolError as error:
                _expect_readable(error)
            else:
                again = read(pason_messages.encode(message))
                _expect(again == message, "a message changes")


def contest(data: bytes) -> None:
    """Decode replays, settings and scheduler messages of a contest."""
    try:
        game = pason_replay.decode_replay(data)
    except FormatError as error:
        _expect_readable(error)
    else:
        _expect(
            pason_replay.decode_replay(pason_replay.encode_replay(game)) == game,
            "a record changes as it is written",
        )
        if len(game.events) <= MOST_EVENTS:
            with contextlib.suppress(FormatError):
                pason_replay.replay_game(game)
                list(pason_replay.iterate_frames(game, 100))
    try:
        settings = loads_toml(data.decode("utf-8", "replace"), ContestSettings, "settings")
    except FormatError as error:
        _expect_readable(error)
    else:
        text = format_toml(settings)
        _expect(loads_toml(text, ContestSettings, "settings") == settings, "settings change")
    for decode_message in (
        scheduler_protocol.decode_server_message,
        scheduler_protocol.decode_scheduler_message,
    ):
        with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            heard = decode_message(data)
            _expect(
                decode_message(scheduler_protocol.encode(heard)) == heard,
                "a word of the link changes",
            )


def spec(data: bytes) -> None:
    """Parse a bot specification; no program is started."""
    try:
        create_bot(_text(data))
    except SpecError as error:
        _expect_readable(error)


def commands(data: bytes) -> None:
    """Run a command line with one word per line; no bot plays and no process starts."""
    words = _text(data).split("\n")[:20]
    # A command line cannot contain the character 0; only files of one folder are used.
    if any("\0" in word or os.sep in word or ".." in word for word in words) or _is_long(words):
        return
    errors = io.StringIO()
    with (
        _folder(),
        _replaced(sevenbag.cli.check_command, "run_until_signal", _nothing_runs),
        _replaced(sevenbag.cli.contest_client_commands, "run_until_signal", _nothing_runs),
        _replaced(sevenbag.cli.contest_server_commands, "run_until_signal", _nothing_runs),
        _replaced(sevenbag.cli.play_command, "run_until_signal", _nothing_runs),
        _replaced(sevenbag.cli.serve_commands, "run_until_signal", _nothing_runs),
        _replaced(sevenbag.cli.serve_commands, "reserve_stdout", lambda: contextlib.nullcontext(1)),
        # No terminal can prompt for a password.
        _replaced(sys, "stdin", io.StringIO()),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(errors),
    ):
        try:
            code: object = cli.main(words)
        except SystemExit as end:
            code = end.code
    _expect(code in {0, 1, 2, _INTERRUPTED}, f"exit code {code!r}")
    _expect(code != 2 or bool(errors.getvalue()), "rejected without a message")
    _expect(len(errors.getvalue()) < 20_000, "message is too long")


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    target.__name__: target
    for target in (
        replay,
        tournament,
        ttrm,
        rules,
        kicks,
        tbp_bot,
        tbp_frontend,
        triangle,
        pason,
        contest,
        spec,
        commands,
    )
}


_INTERRUPTED: Final = 130
_LONGEST_MESSAGE: Final = 2000
_MOST_PERFT: Final = 4


def _functions() -> Iterator[types.FunctionType]:
    """Return every function and method of the package."""
    for name, module in sorted(sys.modules.items()):
        if name.partition(".")[0] != "sevenbag":
            continue
        for value in vars(module).values():
            members = vars(value).values() if isinstance(value, type) else (value,)
            for member in members:
                function = member.fget if isinstance(member, property) else member
                function = getattr(function, "__func__", function)
                if isinstance(function, types.FunctionType) and function.__module__ == name:
                    yield function


def _expect(holds: bool, what: str) -> None:
    if not holds:
        raise AssertionError(what)


def _expect_readable(error: Exception) -> None:
    """Check that a message is shorter than the input it describes."""
    _expect(0 < len(str(error)) < _LONGEST_MESSAGE, f"a message of {len(str(error))} characters")


def _text(data: bytes) -> str:
    # As in command-line arguments, invalid UTF-8 becomes lone surrogates.
    return data.decode("utf-8", "surrogateescape")


def _messages(data: bytes) -> Iterator[TbpMessage]:
    """Return the messages of a stream of lines; each must survive encoding and decoding."""
    splitter = LineSplitter(max_bytes=20_000)
    # Input can arrive in parts.
    half = len(data) // 2
    for line in [*splitter.feed(data[:half]), *splitter.feed(data[half:]), *splitter.finish()]:
        if line is None:
            continue
        try:
            message = decode(line)
        except ProtocolError as error:
            _expect_readable(error)
            continue
        if message is None:
            continue
        _expect(decode(encode(message)) == message, "a message changes as it is written")
        _expect(from_object(to_object(message)) == message, "a message changes as an object")
        yield message


def _play(rules: Rules) -> None:
    try:
        game = Game(rules, seed=1)
    except RulesError as error:
        _expect_readable(error)
        return
    for number in range(12):
        game.receive_garbage(2, frame=number * 30)
        moves = game.placements()
        if game.over or not moves:
            return
        game.play(moves[number * 7 % len(moves)], frame=number * 30)


def _is_long(words: list[str]) -> bool:
    """Return whether a count would take long, which is not a finding."""
    return "perft" in words and any(len(word) > _MOST_PERFT for word in words if word.isupper())


def _nothing_runs(work: Coroutine[object, object, object], **_: object) -> object:
    work.close()
    raise SignalInterrupt(_INTERRUPTED - 128)


@contextlib.contextmanager
def _file(name: str, data: bytes) -> Iterator[Path]:
    with _folder() as folder:
        path = folder / name
        path.write_bytes(data)
        yield path


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """Create a temporary working folder."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        yield Path(folder)


@contextlib.contextmanager
def _replaced(module: Any, name: str, other: object) -> Iterator[None]:
    """Replace an attribute of a module during a context."""
    kept = getattr(module, name)
    setattr(module, name, other)
    try:
        yield
    finally:
        setattr(module, name, kept)


if __name__ == "__main__":
    main(sys.argv[1:])
