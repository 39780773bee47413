"""State messages of a match, with their sequence numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec

from sevenbag.contest.game.match_results import ContestGameResult, MatchResult
from sevenbag.contest.game.pason_game import (
    PLAYERS,
    FallingPiece,
    GameChanges,
    PasonGame,
    PlayerIndex,
)
from sevenbag.contest.settings import MatchRules
from sevenbag.errors import ProtocolError
from sevenbag.protocols.pason.messages import (
    BoardState,
    GameBoardState,
    GameEnd,
    GamePieceState,
    MatchEnd,
    PieceState,
    State,
)
from sevenbag.protocols.pason.pason_conversion import encode_board

STATISTICS_TOPIC: Final = "/figures/"
"""Topic of statistics, followed by the token of the match; no token begins with a slash."""


class GameStatistics(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="comm_type", tag="GameFigures"
):
    """Statistics of a running game, which the messages of the contest do not contain.

    Published under `STATISTICS_TOPIC` and the match token, so only clients that subscribe to this
    topic receive them.

    Attributes:
        scores: points in this game, by team.
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
    """Decode statistics published under `STATISTICS_TOPIC`.

    Raises:
        ProtocolError: the message is invalid.
    """
    try:
        return _STATISTICS_DECODER.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ProtocolError(f"invalid statistics: {str(error)[:200]}") from None


class StateBuilder:
    """Creates the state messages of one match.

    Attributes:
        sequence: sequence number of the last message.

    Args:
        wall_clock: returns seconds since 1970.
        sequence: sequence number before that of the first message.
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
        self._messages: list[State] = []
        self._game_name = ""

    def start_game(self, game_name: str) -> None:
        """Set the name of the game for the messages that follow."""
        self._game_name = game_name

    def add_boards(self, game: PasonGame, changes: GameChanges) -> None:
        """Add a message with both boards.

        Its piece number is that of the piece that locked, otherwise that of the falling piece.
        """
        self.sequence += 1
        states: dict[str, BoardState] = {}
        for player in PLAYERS:
            number = changes.numbers[player]
            piece = game.pieces[player]
            if number == _NONE and piece is not None:
                number = piece.number
            states[self._teams[player]] = BoardState(
                board_state=encode_board(game.boards[player]),
                piece_number=number,
                cleared_rows=changes.cleared[player],
            )
        message = GameBoardState(
            game_name=self._game_name, sequence=self.sequence, timestamp=self._wall(), states=states
        )
        self._messages.append(message)

    def add_pieces(self, game: PasonGame) -> None:
        """Add a message with both pieces and the queue."""
        self.sequence += 1
        first, second = game.pieces
        one, other = self._teams
        message = GamePieceState(
            game_name=self._game_name,
            sequence=self.sequence,
            timestamp=self._wall(),
            states={one: create_piece_state(first), other: create_piece_state(second)},
            queue=tuple(game.queue),
        )
        self._messages.append(message)

    def reserve_sequence(self) -> int:
        """Return a sequence number for a message that is sent later, before any other."""
        self.sequence += 1
        return self.sequence

    def add_game_end(self, scores: tuple[int, int], winner: PlayerIndex, sequence: int) -> None:
        """Add the message of the end of the game."""
        self._messages.append(
            GameEnd(
                game_name=self._game_name,
                sequence=sequence,
                timestamp=self._wall(),
                scores=self._by_team(scores),
                winner=self._teams[winner],
                match_token=self._token,
            )
        )

    def add_match_end(self) -> None:
        """Add the message of the end of the match."""
        self._messages.append(MatchEnd(match_name=self._match_name, match_token=self._token))

    def game_statistics(
        self, game: PasonGame, games: tuple[int, int], points: tuple[int, int]
    ) -> GameStatistics:
        """Return the statistics of the game."""
        return GameStatistics(
            game_name=self._game_name,
            timestamp=self._wall(),
            scores=self._by_team(game.scores),
            lines=self._by_team(game.lines),
            pieces=self._by_team(game.locked_pieces),
            level=game.level,
            games=self._by_team(games),
            points=self._by_team(points),
        )

    def match_statistics(self, result: MatchResult) -> MatchStatistics:
        """Return the result of the match."""
        return MatchStatistics(
            timestamp=self._wall(),
            winner=None if result.winner is None else self._teams[result.winner],
            ending=result.ending,
            games=self._by_team(result.games),
            points=self._by_team(result.points),
        )

    def take(self) -> list[State]:
        """Return and remove the messages added since the last call."""
        messages, self._messages = self._messages, []
        return messages

    def _by_team(self, values: list[int] | tuple[int, int]) -> dict[str, int]:
        return dict(zip(self._teams, values, strict=True))


_NONE: Final = -1

_STATISTICS_DECODER: Final[msgspec.json.Decoder[StatisticsMessage]] = msgspec.json.Decoder(
    StatisticsMessage
)


def create_piece_state(piece: FallingPiece | None) -> PieceState | None:
    """Return the message of a falling piece; None between two pieces."""
    return (
        None
        if piece is None
        else PieceState(
            orient=piece.orient, piece=piece.kind, number=piece.number, row=piece.row, col=piece.col
        )
    )


SEQUENCE_MARGIN: Final = 20_000_000

PIECE_MARGIN: Final = 2_000_000
"""Numbers skipped for each earlier attempt, whose messages may not have been recorded. A game sends
at most about a million messages."""


class FirstNumbers(NamedTuple):
    """Numbers of the first message and the first piece of a match."""

    sequence: int
    piece: int


def get_first_numbers(
    finished: Sequence[ContestGameResult], rules: MatchRules, attempt: int
) -> FirstNumbers:
    """Return numbers above all that were sent, within the 32 bits that clients of 2012 read.

    Args:
        finished: finished games of the match.
        rules: rules of the match.
        attempt: number of the start of the match, from 1; higher than at all earlier starts.
    """
    sequence, piece = rules.first_sequence - 1, rules.first_piece_number - 1
    if finished:
        sequence, piece = finished[-1].last_sequence, finished[-1].last_piece_number
    margins = max(attempt, 2 if finished else 1) - 1
    return FirstNumbers(
        _raise_number(sequence, margins, SEQUENCE_MARGIN) + 1,
        _raise_number(piece, margins, PIECE_MARGIN) + 1,
    )


_MAX_MARGINS: Final = 100

_END: Final = 1 << 31


def _raise_number(number: int, margins: int, margin: int) -> int:
    # Leave room for another margin.
    raised = number + min(margins, _MAX_MARGINS) * margin
    return max(number, min(raised, _END - margin))
