"""State messages of a match, encoded as clients expect them, with their sequence numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, TypeAlias

import msgspec

from sevenbag.contest.game.pason_game import PLAYERS
from sevenbag.errors import ProtocolError
from sevenbag.protocols.pason.messages import (
    BoardState,
    GameBoardState,
    GameEnd,
    GamePieceState,
    MatchEnd,
    PieceState,
)
from sevenbag.protocols.pason.messages import encode as encode_message
from sevenbag.protocols.pason.pason_conversion import encode_board

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sevenbag.contest.game.match_results import ContestGameResult, MatchResult
    from sevenbag.contest.game.pason_game import FallingPiece, GameChanges, PasonGame, PlayerIndex
    from sevenbag.contest.settings import MatchRules

STATISTICS_TOPIC: Final = "/figures/"
"""Before a match token: it begins with what no token begins with."""


class GameStatistics(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="comm_type", tag="GameFigures"
):
    """What the contest's messages do not say in mid-game; ours, and not on their channel.

    Published under `STATISTICS_TOPIC` and the match token, which only those see who ask for that.

    Attributes:
        game_name: of the game.
        timestamp: seconds since 1970.
        scores: points in this game, by team.
        lines: rows cleared.
        pieces: pieces locked.
        level: of both.
        games: games won, by team, in the finished games of the match.
        points: points in the finished games of the match, by team.
    """

    game_name: str
    timestamp: float
    scores: dict[str, int]
    lines: dict[str, int]
    pieces: dict[str, int]
    level: Annotated[int, msgspec.Meta(ge=1)]
    games: dict[str, int]
    points: dict[str, int] = {}


class MatchStatistics(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="comm_type", tag="MatchFigures"
):
    """Result of a match, which ``MatchEnd`` does not contain.

    Published right before ``MatchEnd``, under the same topic as `GameStatistics`.

    Attributes:
        timestamp: seconds since 1970.
        winner: team name; None for a match that was called off.
        ending: reason of the end, such as ``majority of games``.
        games: games won, by team.
        points: points in all games, by team.
    """

    timestamp: float
    winner: str | None
    ending: str
    games: dict[str, int]
    points: dict[str, int]


StatisticsMessage: TypeAlias = GameStatistics | MatchStatistics


def decode_statistics(data: bytes) -> StatisticsMessage:
    """Decode figures that a server publishes under `STATISTICS_TOPIC`.

    Raises:
        ProtocolError: invalid figures.
    """
    try:
        return _STATISTICS_DECODER.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ProtocolError(f"invalid figures: {str(error)[:200]}") from None


class StateEncoder:
    """Writes the messages of one match.

    Attributes:
        sequence: of the last message.

    Args:
        token: of the match.
        match_name: as clients are told.
        teams: names of both seats.
        wall: seconds since 1970.
        sequence: the first message has the next one.
    """

    def __init__(
        self,
        token: str,
        match_name: str,
        teams: tuple[str, str],
        wall_clock: Callable[[], float],
        sequence: int,
    ) -> None:
        self.sequence = sequence
        self._token = token
        self._match_name = match_name
        self._teams = teams
        self._wall = wall_clock
        self._messages: list[bytes] = []
        self._game_name = ""

    def start_game(self, game_name: str) -> None:
        """What follows is of this game."""
        self._game_name = game_name

    def add_boards(self, duel: PasonGame, changes: GameChanges) -> None:
        """Tell both boards.

        The piece concerned is the one that has just locked, else the one in play.
        """
        self.sequence += 1
        states: dict[str, BoardState] = {}
        for seat in PLAYERS:
            number = changes.numbers[seat]
            piece = duel.pieces[seat]
            if number == _NONE and piece is not None:
                number = piece.number
            states[self._teams[seat]] = BoardState(
                board_state=encode_board(duel.boards[seat]),
                piece_number=number,
                cleared_rows=changes.cleared[seat],
            )
        message = GameBoardState(
            game_name=self._game_name,
            sequence=self.sequence,
            timestamp=self._wall(),
            states=states,
        )
        self._messages.append(encode_message(message))

    def add_pieces(self, duel: PasonGame) -> None:
        """Tell both pieces, and the queue."""
        self.sequence += 1
        first, second = duel.pieces
        one, other = self._teams
        message = GamePieceState(
            game_name=self._game_name,
            sequence=self.sequence,
            timestamp=self._wall(),
            states={
                one: None if first is None else _state(first),
                other: None if second is None else _state(second),
            },
            queue=tuple(duel.queue),
        )
        self._messages.append(encode_message(message))

    def reserve_sequence(self) -> int:
        """A sequence for a message that is told later, before any other."""
        self.sequence += 1
        return self.sequence

    def add_game_end(self, scores: tuple[int, int], winner: PlayerIndex, sequence: int) -> None:
        """Tell that the game is over."""
        self._messages.append(
            encode_message(
                GameEnd(
                    game_name=self._game_name,
                    sequence=sequence,
                    timestamp=self._wall(),
                    scores=self._by_team(scores),
                    winner=self._teams[winner],
                    match_token=self._token,
                )
            )
        )

    def add_match_end(self) -> None:
        """Tell that the match is over."""
        self._messages.append(
            encode_message(MatchEnd(match_name=self._match_name, match_token=self._token))
        )

    def game_statistics(
        self, duel: PasonGame, games: tuple[int, int], points: tuple[int, int]
    ) -> bytes:
        """The figures of the game, as `GameStatistics`."""
        return encode_message(
            GameStatistics(
                game_name=self._game_name,
                timestamp=self._wall(),
                scores=self._by_team(duel.scores),
                lines=self._by_team(duel.lines),
                pieces=self._by_team(duel.locked_pieces),
                level=duel.level,
                games=self._by_team(games),
                points=self._by_team(points),
            )
        )

    def match_statistics(self, result: MatchResult) -> bytes:
        """Encode the result of the match as `MatchStatistics`."""
        return encode_message(
            MatchStatistics(
                timestamp=self._wall(),
                winner=None if result.winner is None else self._teams[result.winner],
                ending=result.ending,
                games=self._by_team(result.games),
                points=self._by_team(result.points),
            )
        )

    def take(self) -> list[bytes]:
        """All messages since this was last asked for."""
        messages, self._messages = self._messages, []
        return messages

    # --- helpers --------------------------------------------------------------------------------

    def _by_team(self, figures: list[int] | tuple[int, int]) -> dict[str, int]:
        return dict(zip(self._teams, figures, strict=True))


_NONE: Final = -1

_STATISTICS_DECODER: Final[msgspec.json.Decoder[StatisticsMessage]] = msgspec.json.Decoder(
    StatisticsMessage
)


def _state(piece: FallingPiece) -> PieceState:
    return PieceState(
        orient=piece.orient,
        piece=piece.kind,
        number=piece.number,
        row=piece.row,
        col=piece.col,
    )


SEQUENCE_MARGIN: Final = 20_000_000

PIECE_MARGIN: Final = 2_000_000
"""What is added for each attempt that may have told more than is known: a game tells some million
messages by its time limit, at most."""


class FirstNumbers(NamedTuple):
    """Where to begin.

    Attributes:
        sequence: of the first message.
        piece: number of the first piece.
    """

    sequence: int
    piece: int


def first_numbers(
    finished: Sequence[ContestGameResult], rules: MatchRules, attempt: int
) -> FirstNumbers:
    """Numbers beyond all that were told, within 32 bits, into which clients of 2012 read them.

    Args:
        finished: the match's games so far.
        rules: of the match.
        attempt: higher than at every earlier beginning of the match, 1 at the first.
    """
    sequence, piece = rules.first_sequence - 1, rules.first_piece_number - 1
    if finished:
        sequence, piece = finished[-1].last_sequence, finished[-1].last_piece_number
    margins = max(attempt, 2 if finished else 1) - 1
    return FirstNumbers(
        _raised(sequence, margins, SEQUENCE_MARGIN) + 1, _raised(piece, margins, PIECE_MARGIN) + 1
    )


# --- helpers ------------------------------------------------------------------------------------

_MOST_MARGINS: Final = 100

_END: Final = 1 << 31


def _raised(number: int, margins: int, margin: int) -> int:
    # Each attempt adds to what earlier ones have added, and is to have room for a margin itself.
    raised = number + min(margins, _MOST_MARGINS) * margin
    return max(number, min(raised, _END - margin))
