"""Frames of live and finished matches, as the pages draw them."""

from __future__ import annotations

import gzip
from collections import deque
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from sevenbag.contest.game.cell_tracker import Painter
from sevenbag.contest.game.pason_replay import decode, frames
from sevenbag.contest.game.state_encoder import MatchFigures, decode_figures
from sevenbag.errors import ProtocolError
from sevenbag.protocols.pason.messages import (
    MAX_STATE_BYTES,
    GameBoardState,
    GameEnd,
    GamePieceState,
    MatchEnd,
    PieceState,
    decode_state,
)
from sevenbag.protocols.pason.pason_conversion import decode_board

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sevenbag.contest.game.pason_replay import PieceView, Record, View
    from sevenbag.contest.game.state_encoder import GameFigures
    from sevenbag.protocols.pason.messages import State

MOST_QUEUED: Final = 20
"""Upcoming pieces that are shown, at most."""

Standing = Literal["waiting", "placed", "playing", "pause", "over"]
"""Of a match: on no game server; on one, and nothing was heard yet; in a game; between two; over.
"""

_Falling = tuple[str, int, int, int]
"""Letter, orientation, row and column of the origin."""


class Picture(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="picture"):
    """All there is to see of a match. Pairs are by seat.

    Attributes:
        match: its public number.
        standing: see `Standing`.
        game: the game's name.
        boards: letters of all cells along the rows, the top left one first.
        pieces: that fall now.
        queue: letters of the upcoming pieces.
        clears: the last ones, as (number, seat, rows before the clear); numbers rise.
        rises: the last rises of garbage, as (number, seat, rows).
        scores: None until they are known.
        lines: likewise; and so on.
    """

    match: int
    standing: Standing
    game: str
    boards: tuple[str, str]
    pieces: tuple[_Falling | None, _Falling | None]
    queue: str
    clears: tuple[tuple[int, int, tuple[int, ...]], ...]
    rises: tuple[tuple[int, int, int], ...]
    scores: tuple[int, int] | None
    lines: tuple[int, int] | None
    locked: tuple[int, int] | None
    games: tuple[int, int] | None
    level: int | None


class GameOver(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="game over"):
    """A game is over."""

    match: int
    game: str
    winner: int | None
    scores: tuple[int, int]


class MatchOver(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="match over"):
    """The match is over."""

    match: int


def in_json(event: msgspec.Struct) -> str:
    """An event as pages take it."""
    return _ENCODER.encode(event).decode()


class Scene:
    """What is to be seen of a match; fed with its messages.

    Attributes:
        match: its public number.
        teams: names by seat, as its messages have them.
        version: rises with every change of the picture.
        faults: messages that could not be understood.
    """

    def __init__(self, match: int, teams: tuple[str, str]) -> None:
        self.match = match
        self.teams = teams
        self.version = 0
        self.faults = 0
        self._standing: Standing = "waiting"
        self._game = ""
        self._painters = (Painter(), Painter())
        self._pieces: list[PieceState | None] = [None, None]
        self._queue = ""
        self._moments = 0
        self._clears: deque[tuple[int, int, tuple[int, ...]]] = deque(maxlen=_KEPT)
        self._rises: deque[tuple[int, int, int]] = deque(maxlen=_KEPT)
        self._figures: GameFigures | None = None
        self._scores: dict[str, int] = {}
        # Told many times a second, of which few are shown: read only when needed.
        self._unread: bytes | None = None
        self._frame: tuple[int, str] = (-1, "")

    @property
    def frame(self) -> str:
        """The picture as JSON; the same text for everybody who looks."""
        self._read_pieces()
        if self._frame[0] != self.version:
            self._frame = (self.version, in_json(self._picture()))
        return self._frame[1]

    def place(self, placed: bool) -> None:
        """The match is on a game server now, or on none; perhaps on another than before."""
        # A server that ends tells that its matches have ended; then they go on elsewhere.
        if placed or self._standing != "over":
            self._stand("placed" if placed else "waiting")

    def take(self, data: bytes) -> str | None:
        """Take a message of the match.

        Returns:
            What everybody must hear at once, as JSON; None for mere changes of the picture.
        """
        try:
            kind = _KIND.decode(data).comm_type if len(data) <= MAX_STATE_BYTES else ""
            if kind == "GamePieceState":
                self._unread = data
                self._changed()
                return None
            return self._follow(decode_state(data))
        except (msgspec.MsgspecError, ProtocolError, UnicodeDecodeError, RecursionError):
            self.faults += 1
            return None

    def take_figures(self, data: bytes) -> None:
        """Take what the game server tells onlookers beside the messages for clients."""
        try:
            figures = decode_figures(data) if len(data) <= MAX_STATE_BYTES else None
        except ProtocolError:
            figures = None
        if figures is None:
            self.faults += 1
            return
        if isinstance(figures, MatchFigures):
            return  # pages read the result from the site
        self._begin(figures.game_name)
        self._figures = figures
        self._scores = figures.scores
        self._changed()

    def end(self) -> str | None:
        """The match is over, from whomever that is known; what everybody is to hear, once."""
        if self._standing == "over":
            return None
        self._stand("over")
        return in_json(MatchOver(match=self.match))

    # --- following ------------------------------------------------------------------------------

    def _follow(self, state: State) -> str | None:
        match state:
            case GameBoardState():
                self._take_boards(state)
            case GamePieceState():
                self._take_pieces(state)
            case GameEnd():
                return self._end_game(state)
            case MatchEnd():
                return self.end()
        return None

    def _take_boards(self, state: GameBoardState) -> None:
        self._read_pieces()
        self._begin(state.game_name)
        for seat, team in enumerate(self.teams):
            told = state.states.get(team)
            if told is None:
                continue
            before = self._painters[seat].rows
            rise = self._painters[seat].board(decode_board(told.board_state), self._pieces[seat])
            if self._painters[seat].rows is before:
                continue
            if told.cleared_rows:
                rows = tuple(row for row in told.cleared_rows[:4] if 0 <= row < len(before))
                self._clears.append((self._moment(), seat, rows))
            if rise:
                self._rises.append((self._moment(), seat, rise))
            # It is on the board now, whatever comes next.
            if rise == 0 or told.cleared_rows:
                self._pieces[seat] = None
        self._stand("playing")

    def _take_pieces(self, state: GamePieceState) -> None:
        self._begin(state.game_name)
        self._pieces = [state.states.get(team) for team in self.teams]
        self._queue = "".join(letter for letter in state.queue[:MOST_QUEUED] if len(letter) == 1)
        self._stand("playing")

    def _end_game(self, state: GameEnd) -> str:
        self._read_pieces()
        self._begin(state.game_name)
        scores = self._scores = state.scores
        self._stand("pause")
        one, other = self.teams
        return in_json(
            GameOver(
                match=self.match,
                game=state.game_name,
                winner=self.teams.index(state.winner) if state.winner in self.teams else None,
                scores=(scores.get(one, 0), scores.get(other, 0)),
            )
        )

    def _begin(self, game: str) -> None:
        """All messages name their game: another name is another game."""
        if game == self._game:
            return
        self._game = game
        self._painters = (Painter(), Painter())
        self._pieces = [None, None]
        self._queue = ""
        self._figures = None
        self._scores = {}

    def _read_pieces(self) -> None:
        data, self._unread = self._unread, None
        if data is None:
            return
        try:
            self._follow(decode_state(data))
        except ProtocolError:
            self.faults += 1

    def _stand(self, standing: Standing) -> None:
        self._standing = standing
        self._changed()

    def _changed(self) -> None:
        self.version += 1

    def _moment(self) -> int:
        self._moments += 1
        return self._moments

    # --- the picture ----------------------------------------------------------------------------

    def _picture(self) -> Picture:
        figures = self._figures
        return Picture(
            match=self.match,
            standing=self._standing,
            game=self._game,
            boards=(self._painters[0].text, self._painters[1].text),
            pieces=(_falling(self._pieces[0]), _falling(self._pieces[1])),
            queue=self._queue,
            clears=tuple(self._clears),
            rises=tuple(self._rises),
            scores=self._pair(self._scores),
            lines=None if figures is None else self._pair(figures.lines),
            locked=None if figures is None else self._pair(figures.pieces),
            games=None if figures is None else self._pair(figures.games),
            level=None if figures is None else figures.level,
        )

    def _pair(self, by_team: dict[str, int]) -> tuple[int, int] | None:
        if not by_team:
            return None
        one, other = self.teams
        return by_team.get(one, 0), by_team.get(other, 0)


MOST_FRAMES: Final = 20_000
"""Of a game; those of games with more moves are thinned out evenly."""


class Change(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is another than before; what is None stays as it was. Pairs are by seat.

    Attributes:
        t: milliseconds since the game began.
        b: boards, as letters of all cells; None for one that stays.
        p: pieces in play, as letter, orientation, row and column.
        q: letters of the queue.
        s: scores.
        l: rows cleared.
        v: the level.
        c: rows that went, as (seat, rows).
        r: rows of garbage that came, as (seat, how many).
    """

    t: int
    b: tuple[str | None, str | None] | None = None
    p: tuple[_Falling | None, _Falling | None] | None = None
    q: str | None = None
    s: tuple[int, ...] | None = None
    l: tuple[int, ...] | None = None
    v: int | None = None
    c: tuple[tuple[int, tuple[int, ...]], ...] = ()
    r: tuple[tuple[int, int], ...] = ()


class Playback(msgspec.Struct, frozen=True, kw_only=True):
    """A game, from its beginning."""

    teams: tuple[str, str]
    winner: int
    ending: str
    scores: tuple[int, int]
    milliseconds: int
    changes: list[Change]


def playback(replay: bytes, most: int = MOST_FRAMES) -> bytes:
    """A replay's `Playback` as JSON, packed by gzip. Takes up to seconds: not for an event loop.

    Raises:
        FormatError: it is no replay.
    """
    record = decode(replay)
    shown = Playback(
        teams=record.header.teams,
        winner=record.end.winner,
        ending=record.end.ending,
        scores=record.end.scores,
        milliseconds=record.end.milliseconds,
        changes=list(_changes(record, most)),
    )
    return gzip.compress(msgspec.json.encode(shown), 5, mtime=0)


# --- helpers ------------------------------------------------------------------------------------

_KEPT: Final = 8
"""Clears and rises that are told again, for those who miss pictures."""


class _Kind(msgspec.Struct):
    comm_type: str


_ENCODER: Final = msgspec.json.Encoder()
_KIND: Final = msgspec.json.Decoder(_Kind)


def _falling(piece: PieceState | None) -> _Falling | None:
    if piece is None or max(abs(piece.row), abs(piece.col), abs(piece.orient)) > _FARTHEST:
        return None
    return piece.piece, piece.orient, piece.row, piece.col


_FARTHEST: Final = 100
"""No piece is so far away; scripts know no larger numbers than 2**53."""


def _changes(record: Record, most: int) -> Iterator[Change]:
    painters = Painter(), Painter()
    pieces: tuple[PieceView | None, PieceView | None] = (None, None)
    boards = ("", "")
    before: dict[str, Any] = {}
    for milliseconds, view in frames(record, most):
        texts: list[str | None] = [None, None]
        rises: list[tuple[int, int]] = []
        for seat, painter in enumerate(painters):
            if view["boards"][seat] == boards[seat]:
                continue
            told = decode_board(view["boards"][seat])
            rise = painter.board(told, _state(pieces[seat]))
            texts[seat] = painter.text
            if rise:
                rises.append((seat, rise))
        pieces, boards = view["pieces"], view["boards"]
        now = _facts(view)
        # What is the same is told once: most of a game is one piece that moves.
        fresh = {name: value for name, value in now.items() if before.get(name, _NEVER) != value}
        before = now
        yield Change(
            t=milliseconds,
            b=(texts[0], texts[1]) if any(texts) else None,
            c=tuple((seat, rows) for seat, rows in enumerate(view["cleared"]) if rows),
            r=tuple(rises),
            **fresh,
        )


_NEVER: Final = object()


def _facts(view: View) -> dict[str, Any]:
    one, other = view["pieces"]
    return {
        "p": (_falling_view(one), _falling_view(other)),
        "q": "".join(view["queue"]),
        "s": tuple(view["scores"]),
        "l": tuple(view["lines"]),
        "v": view["level"],
    }


def _falling_view(piece: PieceView | None) -> _Falling | None:
    return piece and (piece["piece"], piece["orient"], piece["row"], piece["col"])


def _state(piece: PieceView | None) -> PieceState | None:
    return None if piece is None else msgspec.convert(piece, PieceState)
