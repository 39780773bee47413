"""Match with a simulated clock that records its messages."""

from typing import Any, Self

from sevenbag.contest import scheduler_protocol
from sevenbag.contest.game import pason_replay
from sevenbag.contest.game.match_results import ContestGameResult
from sevenbag.contest.game.pason_game import FallingPiece, PasonGame, PlayerIndex
from sevenbag.contest.game.pason_match import ContestMatch
from sevenbag.contest.settings import ContestRules, GameRules, MatchRules
from sevenbag.protocols.pason.messages import State, decode_state, encode

TOKEN = "0b4ce4a7-7a8b-4a51-9c27-5b8f0e3c7c11"
TEAMS = ("Team Awesome", 'Vierzig "€"')
WALL = 1_352_764_800.0


IN_GAME = {"comm_type", "game_name", "sequence", "timestamp"}
FIELDS = {
    "GameBoardState": IN_GAME | {"states"},
    "GamePieceState": IN_GAME | {"states", "queue"},
    "GameEnd": IN_GAME | {"scores", "winner", "match_token"},
    "MatchEnd": {"comm_type", "match_name", "match_token", "status"},
}
STATE_FIELDS = {
    "GameBoardState": {"board_state", "piece_number", "cleared_rows"},
    "GamePieceState": {"orient", "piece", "number", "row", "col"},
}


class MatchDriver:
    """Match with a simulated clock that records its messages."""

    def __init__(
        self,
        *,
        game: GameRules | None = None,
        finished: tuple[ContestGameResult, ...] = (),
        seed: int = 5,
        attempt: int = 1,
        stores: bool = True,
        **match: Any,
    ) -> None:
        self.now = 100.0
        self.messages: list[State] = []
        self.encoded: list[bytes] = []
        self.games: list[ContestGameResult] = []
        self.records: list[pason_replay.PasonReplay] = []
        self.stores = stores
        rules = ContestRules(game=game or GameRules(), match=MatchRules(**match))
        seats = (
            scheduler_protocol.AssignedPlayer(team=TEAMS[0]),
            scheduler_protocol.AssignedPlayer(team=TEAMS[1]),
        )
        self.match = ContestMatch(
            TOKEN, "Final", seats, rules, seed, self.wall, finished, attempt=attempt
        )
        self.match.advance(self.now)
        self.collect()

    @classmethod
    def started(cls, **options: Any) -> Self:
        """Return a match in its first game."""
        driver = cls(**options)
        driver.connect_both()
        driver.start_game()
        return driver

    def wall(self) -> float:
        return WALL + self.now

    def collect(self) -> None:
        encoded = list(map(encode, self.match.take_messages()))
        self.encoded += encoded
        self.messages += map(decode_state, encoded)
        for game in self.match.take_finished_games():
            self.games.append(game.result)
            self.records.append(pason_replay.decode_replay(pason_replay.encode_replay(game.replay)))
            if self.stores:
                self.match.confirm_stored(game.result.number, self.now)
                self.collect()

    def wait(self, seconds: float) -> list[State]:
        """Advance the clock event by event and return the messages."""
        before = len(self.messages)
        until = self.now + seconds
        while self.match.next_event_at is not None and self.match.next_event_at <= until:
            self.now = max(self.match.next_event_at, self.now)
            self.match.advance(self.now)
            self.collect()
        self.now = until
        self.match.advance(until)
        self.collect()
        return self.messages[before:]

    def connect_both(self) -> None:
        for seat in SEATS:
            self.match.connect(seat, self.now)
        self.collect()

    def move(self, seat: PlayerIndex, move: Any, number: Any = None) -> str:
        verdict = self.match.move(seat, move, number, self.now)
        self.collect()
        return verdict

    def start_game(self) -> None:
        """Advance to the next game."""
        self.wait((self.match.next_event_at or self.now) - self.now)
        assert self.match.phase == "game"

    def lose(self, seat: PlayerIndex) -> None:
        """Stack up until the game is over."""
        self.start_game()
        while self.match.phase == "game":
            self.move(seat, "drop")

    def piece(self, player: PlayerIndex) -> FallingPiece:
        piece = self.pason_game().pieces[player]
        assert piece is not None
        return piece

    def pason_game(self) -> PasonGame:
        assert self.match.game is not None
        return self.match.game


SEATS: tuple[PlayerIndex, PlayerIndex] = (0, 1)


def game(
    number: int, winner: PlayerIndex, scores: tuple[int, int] = (0, 0), **more: Any
) -> ContestGameResult:
    return ContestGameResult(
        number=number,
        game_name=f"Game {number}",
        winner=winner,
        ending="top out",
        scores=scores,
        **more,
    )
