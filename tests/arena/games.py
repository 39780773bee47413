"""Play and play back games of test bots."""

from sevenbag.arena.runner.game_options import BotDeadlines, GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.arena.runner.observers import GameObserver, ReplayRecorder
from sevenbag.bots.bot import Bot
from sevenbag.formats.replay_file import Replay
from sevenbag.game import Rules
from sevenbag.game.game_result import GameResult
from sevenbag.replay.playback import Playback

PLAIN = Rules.preset("guideline")
PATIENT = BotDeadlines(prepare=60, update=60, suggest=60, stop=60, quit=60)


async def play(first: Bot, second: Bot, *observers: GameObserver, **changes: object) -> GameResult:
    """Play a game of 20 pieces; the changes are fields of its configuration."""
    fields: dict[str, object] = {"rules": PLAIN, "seed": 5, "pieces": 20, "deadlines": PATIENT}
    config = GameConfig(**(fields | changes))  # type: ignore[arg-type]
    return await play_game((first, second), config, observers)


async def record(
    first: Bot, second: Bot, *, times: bool = False, **changes: object
) -> tuple[Replay, GameResult]:
    """Play a game and return its replay."""
    recorder = ReplayRecorder(times=times)
    result = await play(first, second, recorder, **({"seed": 3, "pieces": 60} | changes))
    assert recorder.replay is not None
    return recorder.replay, result


def play_back(replay: Replay) -> Playback:
    """Encode and decode a replay and play it to its end."""
    playback = Playback(Replay.decode(replay.encode()))
    playback.play_to(10**9)
    return playback
