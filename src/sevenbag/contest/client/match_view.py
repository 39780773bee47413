"""State of a match, built from the messages of its state channel."""

from __future__ import annotations

from dataclasses import dataclass, field

from sevenbag.contest.game.match_results import describe_ending
from sevenbag.contest.game.state_messages import GameStatistics, MatchStatistics, StatisticsMessage
from sevenbag.protocols.pason.messages import (
    GameBoardState,
    GameEnd,
    GamePieceState,
    MatchEnd,
    PieceState,
    State,
)
from sevenbag.protocols.pason.pason_conversion import decode_board


@dataclass(frozen=True, slots=True)
class TeamMatchResult:
    """Result of a match for one team.

    It comes from the server's statistics or, if it publishes none, from the messages received.

    Attributes:
        opponent: other team; empty if no message named it.
        games: games won by the own and the other team.
        points: points of the own and the other team in all games.
        won: True if the own team won; None if neither did or it is unknown. Without statistics it
            follows from games, then points; the server's coin toss is then unknown.
        end_heard: True if the end of the match was received; without it, games may be missing.
        ending: reason from the server, such as ``the other team did not come``; empty if unknown.
    """

    team: str
    opponent: str
    games: tuple[int, int]
    points: tuple[int, int]
    won: bool | None
    end_heard: bool
    ending: str = ""

    def __str__(self) -> str:
        outcome = {True: "won", False: "lost", None: "undecided"}[self.won]
        opponent = f" against {self.opponent}" if self.opponent else ""
        reason = f" ({describe_ending(self.ending)})" if self.ending else ""
        return (
            f"{self.team} {outcome}{opponent}: {self.games[0]}:{self.games[1]} games, "
            f"{self.points[0]}:{self.points[1]} points{reason}"
        )


@dataclass(slots=True)
class MatchView:
    """Latest state of a match, by team name.

    Attributes:
        boards: locked cells, encoded as in `sevenbag.protocols.pason.pason_conversion`; without
            teams whose board has not been received in this game.
        pieces: current pieces; None for a team without one.
        cleared: rows cleared according to the latest board message.
        game_name: name of the current or last game.
        playing: True from the first state of a game to its end.
        games: received ends of games.
        ended: end of the match; None before it is received.
        result: result of the match; None before its end, or if the server publishes no statistics.
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
    _totals: GameStatistics | None = None
    _counted: int = 0
    """Games of `games` that `_totals` includes."""

    def handle_message(self, message: State | StatisticsMessage) -> None:
        """Process the next message; statistics include games whose end was not received.

        Raises:
            ProtocolError: invalid board; the whole message is ignored.
        """
        match message:
            case GamePieceState():
                self._start(message.game_name)
                self.pieces = dict(message.states)
                self.queue = message.queue
            case GameBoardState():
                boards = {
                    team: decode_board(state.board_state) for team, state in message.states.items()
                }
                self._start(message.game_name)
                # Servers may send only the board that changed.
                self.boards |= boards
                self.cleared = {team: state.cleared_rows for team, state in message.states.items()}
            case GameEnd():
                self.game_name = message.game_name
                self.games.append(message)
                self._clear()
            case MatchEnd():
                self.ended = message
                self._clear()
            case GameStatistics():
                # Statistics are in order with the ends of games, so they include those received.
                self._totals, self._counted = message, len(self.games)
            case MatchStatistics():
                self.result = message

    @property
    def wins(self) -> dict[str, int]:
        """Games won by each team; without statistics from the server, only games received."""
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

    def result_for(self, team: str) -> TeamMatchResult:
        """Return the result of the match for a team; before its end, the score so far."""
        wins, points, leader = self.wins, self.points, self.leader
        opponent = next((name for name in {**wins, **self.boards} if name != team), "")
        return TeamMatchResult(
            team,
            opponent,
            (wins.get(team, 0), wins.get(opponent, 0)),
            (points.get(team, 0), points.get(opponent, 0)),
            None if leader is None else leader == team,
            self.ended is not None,
            "" if self.result is None else self.result.ending,
        )

    def _start(self, game_name: str) -> None:
        # States after the end of a game belong to the next one.
        self.game_name = game_name
        self.playing = True

    def _clear(self) -> None:
        self.playing = False
        self.boards.clear()
        self.pieces.clear()
        self.cleared.clear()
        self.queue = ()
