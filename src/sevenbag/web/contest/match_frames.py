"""Frames of live and finished matches, as the pages draw them."""

from __future__ import annotations

import gzip
from collections import deque
from collections.abc import Iterator
from typing import Any, Final, Literal

import msgspec

from sevenbag.contest.game.cell_tracker import CellTracker
from sevenbag.contest.game.pason_replay import (
    PasonFrame,
    PasonReplay,
    decode_replay,
    iterate_frames,
)
from sevenbag.contest.game.state_messages import GameStatistics, MatchStatistics, decode_statistics
from sevenbag.errors import ProtocolError
from sevenbag.protocols.pason.messages import (
    MAX_STATE_BYTES,
    GameBoardState,
    GameEnd,
    GamePieceState,
    MatchEnd,
    PieceState,
    State,
    decode_state,
)
from sevenbag.protocols.pason.pason_conversion import decode_board

MAX_QUEUE: Final = 20
"""Maximum number of upcoming pieces in a frame."""
MAX_REPLAY_FRAMES: Final = 20_000
"""Maximum number of frames of a replay; longer games are thinned out evenly."""
_KEPT_CLEARS: Final = 8
"""Number of clears and garbage rises that each frame repeats, for viewers that miss frames."""
_MAX_COORDINATE: Final = 100
"""Maximum coordinate of a piece; JavaScript's integers end at 2**53."""

LiveStatus = Literal["waiting", "assigned", "playing", "between_games", "finished"]
"""Status of a match: on no game server, on a server without a message, in a game, between two
games, or finished."""

FallingPiece = tuple[str, int, int, int]
"""Letter, orientation, row and column of the origin."""


class MatchFrameEvent(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="match_frame"
):
    """State of a live match. Pairs are by seat.

    Attributes:
        status: see `LiveStatus`.
        boards: letters of all cells, row by row from the top left.
        queue: letters of the upcoming pieces.
        clears: last clears, as (number, seat, rows before the clear); numbers increase.
        garbage_rises: last garbage, as (number, seat, rows); numbers increase.
        scores: points in this game; None if unknown, like the following.
        games: games won.
    """

    match: int
    status: LiveStatus
    game: str
    boards: tuple[str, str]
    pieces: tuple[FallingPiece | None, FallingPiece | None]
    queue: str
    clears: tuple[tuple[int, int, tuple[int, ...]], ...]
    garbage_rises: tuple[tuple[int, int, int], ...]
    scores: tuple[int, int] | None
    lines: tuple[int, int] | None
    locked: tuple[int, int] | None
    games: tuple[int, int] | None
    level: int | None


class GameFinishedEvent(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="game_finished"
):
    """A game of a match is over."""

    match: int
    game: str
    winner: int | None
    scores: tuple[int, int]


class MatchFinishedNotice(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="match_finished"
):
    """A match is over."""

    match: int


class ReplayFrame(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Changes since the previous frame; None for unchanged values. Pairs are by seat.

    Attributes:
        t: time in milliseconds since the start of the game.
        b: boards, as letters of all cells; None for an unchanged one.
        p: falling pieces.
        q: letters of the queue.
        s: points.
        l: cleared lines.
        v: level.
        c: clears, as (seat, rows).
        r: garbage rises, as (seat, rows).
    """

    t: int
    b: tuple[str | None, str | None] | None = None
    p: tuple[FallingPiece | None, FallingPiece | None] | None = None
    q: str | None = None
    s: tuple[int, ...] | None = None
    l: tuple[int, ...] | None = None
    v: int | None = None
    c: tuple[tuple[int, tuple[int, ...]], ...] = ()
    r: tuple[tuple[int, int], ...] = ()


class ReplayAnimation(msgspec.Struct, frozen=True, kw_only=True):
    """Finished game as a sequence of frames."""

    teams: tuple[str, str]
    winner: int
    ending: str
    scores: tuple[int, int]
    milliseconds: int
    frames: list[ReplayFrame]


def encode_event(event: msgspec.Struct) -> str:
    """Encode an event for pages."""
    return _ENCODER.encode(event).decode()


class MatchTracker:
    """State of a live match, updated by the messages of its game server.

    Attributes:
        teams: names by seat.
        version: number that increases with every change of the state.
        invalid_messages: number of messages that could not be decoded.
    """

    def __init__(self, match: int, teams: tuple[str, str]) -> None:
        self.match = match
        self.teams = teams
        self.version = 0
        self.invalid_messages = 0
        self._status: LiveStatus = "waiting"
        self._game = ""
        self._painters = (CellTracker(), CellTracker())
        self._pieces: list[PieceState | None] = [None, None]
        self._queue = ""
        self._animations = 0
        self._clears: deque[tuple[int, int, tuple[int, ...]]] = deque(maxlen=_KEPT_CLEARS)
        self._garbage_rises: deque[tuple[int, int, int]] = deque(maxlen=_KEPT_CLEARS)
        self._statistics: GameStatistics | None = None
        self._scores: dict[str, int] = {}
        # Piece states arrive many times a second; only those that are shown are decoded.
        self._pending_pieces: bytes | None = None
        self._encoded: tuple[int, str] = (-1, "")

    @property
    def frame_json(self) -> str:
        """Return the state as JSON; encoded once for all viewers."""
        self._decode_pending_pieces()
        if self._encoded[0] != self.version:
            self._encoded = (self.version, encode_event(self._build_frame()))
        return self._encoded[1]

    def set_assigned(self, assigned: bool) -> None:
        """Record whether the match is on a game server, perhaps a new one."""
        # A stopping server reports the end of its matches, which then continue elsewhere.
        if assigned or self._status != "finished":
            self._set_status("assigned" if assigned else "waiting")

    def handle_message(self, data: bytes) -> str | None:
        """Update the state by a message.

        Returns:
            Event for all viewers as JSON; None if only the frame has changed.
        """
        try:
            kind = _MESSAGE_KIND.decode(data).comm_type if len(data) <= MAX_STATE_BYTES else ""
            if kind == "GamePieceState":
                self._pending_pieces = data
                self.version += 1
                return None
            return self._apply(decode_state(data))
        except (msgspec.MsgspecError, ProtocolError, UnicodeDecodeError, RecursionError):
            self.invalid_messages += 1
            return None

    def handle_statistics(self, data: bytes) -> None:
        """Update the statistics, which game servers send to viewers only."""
        try:
            statistics = decode_statistics(data) if len(data) <= MAX_STATE_BYTES else None
        except ProtocolError:
            statistics = None
        if statistics is None:
            self.invalid_messages += 1
            return
        if isinstance(statistics, MatchStatistics):
            return  # pages show the result in the store
        self._start_game(statistics.game_name)
        self._statistics = statistics
        self._scores = statistics.scores
        self.version += 1

    def finish(self) -> str | None:
        """Mark the match as finished; return the event as JSON the first time."""
        if self._status == "finished":
            return None
        self._set_status("finished")
        return encode_event(MatchFinishedNotice(match=self.match))

    def _apply(self, state: State) -> str | None:
        match state:
            case GameBoardState():
                self._apply_boards(state)
            case GamePieceState():
                self._apply_pieces(state)
            case GameEnd():
                return self._finish_game(state)
            case MatchEnd():
                return self.finish()
        return None

    def _apply_boards(self, state: GameBoardState) -> None:
        self._decode_pending_pieces()
        self._start_game(state.game_name)
        for seat, team in enumerate(self.teams):
            team_state = state.states.get(team)
            if team_state is None:
                continue
            painter = self._painters[seat]
            before = painter.rows
            rise = painter.update(decode_board(team_state.board_state), self._pieces[seat])
            if painter.rows is before:
                continue
            if team_state.cleared_rows:
                rows = tuple(row for row in team_state.cleared_rows[:4] if 0 <= row < len(before))
                self._clears.append((self._number_animation(), seat, rows))
            if rise:
                self._garbage_rises.append((self._number_animation(), seat, rise))
            # Unless only garbage has risen, the piece is locked.
            if rise == 0 or team_state.cleared_rows:
                self._pieces[seat] = None
        self._set_status("playing")

    def _apply_pieces(self, state: GamePieceState) -> None:
        self._start_game(state.game_name)
        self._pieces = [state.states.get(team) for team in self.teams]
        self._queue = "".join(letter for letter in state.queue[:MAX_QUEUE] if len(letter) == 1)
        self._set_status("playing")

    def _finish_game(self, state: GameEnd) -> str:
        self._decode_pending_pieces()
        self._start_game(state.game_name)
        self._scores = state.scores
        self._set_status("between_games")
        first, second = self.teams
        return encode_event(
            GameFinishedEvent(
                match=self.match,
                game=state.game_name,
                winner=self.teams.index(state.winner) if state.winner in self.teams else None,
                scores=(state.scores.get(first, 0), state.scores.get(second, 0)),
            )
        )

    def _start_game(self, game: str) -> None:
        """Reset the state if a message has the name of a new game."""
        if game == self._game:
            return
        self._game = game
        self._painters = (CellTracker(), CellTracker())
        self._pieces = [None, None]
        self._queue = ""
        self._statistics = None
        self._scores = {}

    def _decode_pending_pieces(self) -> None:
        data, self._pending_pieces = self._pending_pieces, None
        if data is None:
            return
        try:
            self._apply(decode_state(data))
        except ProtocolError:
            self.invalid_messages += 1

    def _set_status(self, status: LiveStatus) -> None:
        self._status = status
        self.version += 1

    def _number_animation(self) -> int:
        self._animations += 1
        return self._animations

    def _build_frame(self) -> MatchFrameEvent:
        statistics = self._statistics
        return MatchFrameEvent(
            match=self.match,
            status=self._status,
            game=self._game,
            boards=(self._painters[0].text, self._painters[1].text),
            pieces=(_encode_piece(self._pieces[0]), _encode_piece(self._pieces[1])),
            queue=self._queue,
            clears=tuple(self._clears),
            garbage_rises=tuple(self._garbage_rises),
            scores=self._pair(self._scores),
            lines=None if statistics is None else self._pair(statistics.lines),
            locked=None if statistics is None else self._pair(statistics.pieces),
            games=None if statistics is None else self._pair(statistics.games),
            level=None if statistics is None else statistics.level,
        )

    def _pair(self, by_team: dict[str, int]) -> tuple[int, int] | None:
        if not by_team:
            return None
        first, second = self.teams
        return by_team.get(first, 0), by_team.get(second, 0)


def render_replay(replay: bytes, max_frames: int = MAX_REPLAY_FRAMES) -> bytes:
    """Convert a replay to a `ReplayAnimation`; takes up to seconds.

    Returns:
        JSON, compressed by gzip.

    Raises:
        FormatError: the replay is invalid.
    """
    record = decode_replay(replay)
    animation = ReplayAnimation(
        teams=record.header.teams,
        winner=record.end.winner,
        ending=record.end.ending,
        scores=record.end.scores,
        milliseconds=record.end.milliseconds,
        frames=list(_iterate_frames(record, max_frames)),
    )
    return gzip.compress(msgspec.json.encode(animation), 5, mtime=0)


class _MessageKind(msgspec.Struct):
    comm_type: str


_ENCODER: Final = msgspec.json.Encoder()
_MESSAGE_KIND: Final = msgspec.json.Decoder(_MessageKind)
_MISSING: Final = object()


def _encode_piece(piece: PieceState | None) -> FallingPiece | None:
    if piece is None or max(abs(piece.row), abs(piece.col), abs(piece.orient)) > _MAX_COORDINATE:
        return None
    return piece.piece, piece.orient, piece.row, piece.col


def _iterate_frames(record: PasonReplay, max_frames: int) -> Iterator[ReplayFrame]:
    painters = CellTracker(), CellTracker()
    pieces: tuple[PieceState | None, ...] = (None, None)
    boards = ("", "")
    previous: dict[str, Any] = {}
    for milliseconds, view in iterate_frames(record, max_frames):
        texts: list[str | None] = [None, None]
        rises: list[tuple[int, int]] = []
        for seat, painter in enumerate(painters):
            if view.boards[seat] == boards[seat]:
                continue
            rise = painter.update(decode_board(view.boards[seat]), pieces[seat])
            texts[seat] = painter.text
            if rise:
                rises.append((seat, rise))
        pieces, boards = view.pieces, view.boards
        values = _read_values(view)
        # In most frames, only one piece has moved.
        changes = {
            name: value for name, value in values.items() if previous.get(name, _MISSING) != value
        }
        previous = values
        yield ReplayFrame(
            t=milliseconds,
            b=(texts[0], texts[1]) if any(texts) else None,
            c=tuple((seat, rows) for seat, rows in enumerate(view.cleared) if rows),
            r=tuple(rises),
            **changes,
        )


def _read_values(view: PasonFrame) -> dict[str, Any]:
    return {
        "p": tuple(map(_encode_piece, view.pieces)),
        "q": "".join(view.queue),
        "s": tuple(view.scores),
        "l": tuple(view.lines),
        "v": view.level,
    }
