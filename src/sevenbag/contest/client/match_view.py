"""State of a match, built from the messages of its state channel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sevenbag.contest.game.state_encoder import GameStatistics, MatchStatistics
from sevenbag.protocols.pason.messages import GameBoardState, GameEnd, GamePieceState, MatchEnd
from sevenbag.protocols.pason.pason_conversion import decode_board

if TYPE_CHECKING:
    from sevenbag.contest.game.state_encoder import StatisticsMessage
    from sevenbag.protocols.pason.messages import PieceState, State


@dataclass(slots=True)
class MatchView:
    """The newest of everything, by team name.

    Attributes:
        boards: locked cells, as `sevenbag.protocols.pason.pason_conversion` has them; a team is
            missing until its board was told in this game.
        pieces: where each team's piece is; None where it has none right now.
        queue: upcoming pieces, which both draw from.
        cleared: rows that the newest board message says were cleared.
        game_name: of the game that is played, or was last.
        playing: whether a state of a game has come that has not ended.
        games: the ends of all games that were heard.
        ended: the match's end, once it was heard.
        result: result of the match; None before its end, or if the server publishes no figures.
        heard: messages so far.
    """

    boards: dict[str, int] = field(default_factory=dict[str, int])
    pieces: dict[str, PieceState | None] = field(default_factory=dict[str, "PieceState | None"])
    queue: tuple[str, ...] = ()
    cleared: dict[str, tuple[int, ...]] = field(default_factory=dict[str, "tuple[int, ...]"])
    game_name: str = ""
    playing: bool = False
    games: list[GameEnd] = field(default_factory=list[GameEnd])
    ended: MatchEnd | None = None
    result: MatchStatistics | None = None
    heard: int = 0
    _totals: GameStatistics | None = None
    _counted: int = 0
    """Games of `games` that `_totals` includes."""

    def handle_message(self, message: State | StatisticsMessage) -> None:
        """Process the next message; figures include games whose end was not received.

        Raises:
            ProtocolError: a board in it is none; the rest of the message is not taken either.
        """
        self.heard += 1
        match message:
            case GamePieceState():
                self._begin(message.game_name)
                self.pieces = dict(message.states)
                self.queue = message.queue
            case GameBoardState():
                boards = {
                    team: decode_board(told.board_state) for team, told in message.states.items()
                }
                self._begin(message.game_name)
                # A server may tell the board that changed alone.
                self.boards |= boards
                self.cleared = {team: told.cleared_rows for team, told in message.states.items()}
            case GameEnd():
                self.game_name = message.game_name
                self.games.append(message)
                self._clear()
            case MatchEnd():
                self.ended = message
                self._clear()
            case GameStatistics():
                # Figures are in order with the ends of games, so they include those received.
                self._totals, self._counted = message, len(self.games)
            case MatchStatistics():
                self.result = message

    @property
    def wins(self) -> dict[str, int]:
        """Games won by each team; without figures from the server, only games received."""
        if self.result is not None:
            return dict(self.result.games)
        wins = dict.fromkeys(self.points, 0)
        if self._totals is not None:
            wins |= self._totals.games
        for game in self.games[self._counted :]:
            wins[game.winner] = wins.get(game.winner, 0) + 1
        return wins

    @property
    def points(self) -> dict[str, int]:
        """Points of each team in the same games as `wins`."""
        if self.result is not None:
            return dict(self.result.points)
        points = {} if self._totals is None else dict(self._totals.points)
        for game in self.games[self._counted :]:
            for team, score in game.scores.items():
                points[team] = points.get(team, 0) + score
        return points

    @property
    def leader(self) -> str | None:
        """Winner of the match; before its end, the team ahead by games, then by points, if any."""
        if self.result is not None:
            return self.result.winner
        wins, points = self.wins, self.points
        ranks = sorted((count, points.get(team, 0), team) for team, count in wins.items())
        if not ranks or (len(ranks) > 1 and ranks[-1][:2] == ranks[-2][:2]):
            return None
        return ranks[-1][2]

    # --- helpers --------------------------------------------------------------------------------

    def _begin(self, game_name: str) -> None:
        # What comes after the end of a game belongs to the next one.
        self.game_name = game_name
        self.playing = True

    def _clear(self) -> None:
        self.playing = False
        self.boards.clear()
        self.pieces.clear()
        self.cleared.clear()
        self.queue = ()
