"""Profiles of third-party bots: each plays in spite of its quirks."""

import json
import sys
from pathlib import Path

import msgspec
import pytest

from sevenbag._kernel import Board, LockResult, Piece
from sevenbag.arena.runner.game_options import BotDeadlines, GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.bots.bot import Limits
from sevenbag.bots.builtin.beam_bot import BeamBot
from sevenbag.bots.external.bot_channel import BotChannel
from sevenbag.bots.external.process import create_process_launcher
from sevenbag.bots.external.tbp_driver import TbpDriver
from sevenbag.bots.external.tbp_profile import (
    OFFICIAL_PROFILE,
    TbpProfile,
    find_profile,
    list_profiles,
    load_profile,
    override_profile,
    parse_profile,
)
from sevenbag.errors import BotError, BotForfeitError, BotStartError, SpecError
from sevenbag.game import Game, Rules
from tests.bots.conftest import Command
from tests.bots.games import drive, first_legal, prepared

FIELD = Path(__file__).parents[2] / "fakes" / "field.py"
RULES = Rules.preset("guideline")
GARBAGE = RULES.replace({"garbage": {"travel": 0}})
SEVEN = RULES.replace({"pieces": {"previews": 6}})


@pytest.fixture
def field(mark: str, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command of a bot as the field has it."""
    monkeypatch.setenv("PYTHONPATH", str(FIELD.parents[2]))
    return lambda name: [sys.executable, "-S", str(FIELD), name]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Grants bots more time than their profiles do: they may miss that on a busy machine."""
    usual = TbpDriver._apply_options

    def apply(bot: TbpDriver, profile: TbpProfile) -> TbpProfile:
        names = {"info_seconds", "ready_seconds", "move_seconds"} - bot._options.keys()
        return msgspec.structs.replace(usual(bot, profile), **dict.fromkeys(names, 120.0))

    monkeypatch.setattr(TbpDriver, "_apply_options", apply)


async def play(
    bot: TbpDriver, pieces: int = 14, rules: Rules = RULES, garbage_at: tuple[int, ...] = ()
) -> Game:
    """Play a number of pieces, with new starts after garbage."""
    async with prepared(bot, rules):
        await bot.opponents((Game(rules, seed=4).position(),))
        return await drive(bot, Game(rules, seed=3), pieces, garbage_at)


@pytest.mark.parametrize(
    ("bot", "chosen"),
    [
        ("ColdClear1", "cold-clear-1"),
        ("ColdClear2", "cold-clear-2"),
        ("MisaMino", "misamino"),
        ("Bashtet", "bashtet"),
        ("Hikari", "hikari"),
        ("Dellacherie", "dellacherie"),
    ],
)
async def test_known_by_their_names(bot: str, chosen: str, field: Command) -> None:
    driver = TbpDriver(field(bot))
    game = await play(driver, garbage_at=(4, 9), rules=GARBAGE)
    assert driver.profile.name == chosen
    assert game.stats.pieces == 14


@pytest.mark.parametrize(
    ("bot", "flags", "words"),
    [
        ("ColdClear2", {"back_to_back": "count"}, "exit code 101"),
        ("ColdClear2", {"retries": "0"}, "no legal move"),
        ("Hikari", {"randomizer": "no", "ready_seconds": "0.2"}, "no answer to the rules"),
        ("Hikari", {"follows_play": "yes"}, "no legal move"),
        ("MisaMino", {"suggest_plays": "yes", "follows_play": "yes", "selection": "last"}, ""),
        ("Bashtet", {"json": "spaced"}, "exit code 4"),
        ("Bashtet", {"restart": "garbage"}, "no legal move"),
    ],
)
async def test_differences_from_the_protocol(
    bot: str, flags: dict[str, str], words: str, field: Command
) -> None:
    """Without their profiles the fakes fail."""
    driver = TbpDriver(field(bot), options={"move_seconds": "60", **flags})
    if not words:
        await play(driver)
        return
    with pytest.raises(BotError, match=words):
        await play(driver)


async def test_misamino_gets_a_new_start_before_a_repeated_question(field: Command) -> None:
    position = Game(seed=3).position()
    async with prepared(TbpDriver(field("MisaMino")), position=position) as driver:
        first = await driver.suggest(Limits())
        assert await driver.suggest(Limits()) == first
    # Without its profile the bot has continued on its own.
    plain = TbpDriver(field("MisaMino"), profile=OFFICIAL_PROFILE)
    async with prepared(plain, position=position):
        assert (await plain.suggest(Limits())).moves == first.moves
        assert (await plain.suggest(Limits())).moves != first.moves


async def send_lock(driver: TbpDriver, lock: LockResult) -> None:
    await driver.play(lock.placement)
    for piece in lock.new_pieces:
        await driver.new_piece(piece)


async def test_misamino_gets_a_new_start_after_an_unsuggested_move(field: Command) -> None:
    game = Game(seed=3)
    async with prepared(TbpDriver(field("MisaMino")), position=game.position()) as driver:
        for _ in range(8):
            suggestion = await driver.suggest(Limits())
            game.find_move(suggestion.moves[0])
            await send_lock(driver, game.play(game.placements(hold=False)[0]))


async def test_misamino_is_restarted_above_its_visible_rows(field: Command) -> None:
    sent: list[str] = []

    async def launch(name: str) -> BotChannel:
        channel = await create_process_launcher(field("MisaMino"))(name)
        send = channel.send

        async def note(data: bytes) -> None:
            sent.append(json.loads(data)["type"])
            await send(data)

        channel.send = note  # type: ignore[method-assign]
        return channel

    # The O clears two rows, which moves rows above the twentieth into view.
    seed = next(seed for seed in range(100) if Game(seed=seed).queue[0] == Piece.O)
    board = Board.from_rows(["XXXX..XXXX"] * 2 + ["X........."] * 20, height=40)
    game = Game(seed=seed, board=board)
    heights: list[int] = []
    driver = TbpDriver("misamino", launcher=launch)
    async with prepared(driver, position=game.position()):
        for _ in range(3):
            heights.append(game.board.height)
            suggestion = await driver.suggest(Limits())
            await send_lock(driver, game.play(first_legal(game, suggestion)))
        await driver.suggest(Limits())
    assert heights == [22, 20, 20]
    starts_and_plays = [kind for kind in sent if kind in {"start", "play"}]
    assert starts_and_plays == ["start", "start", "play", "play"]


async def test_meaningless_spin_claims(field: Command) -> None:
    game = await play(TbpDriver(field("MisaMino")), 30)
    assert game.stats.lines > 0
    assert game.stats.spins == 0


async def test_web_bots_get_no_message_before_they_have_loaded(field: Command) -> None:
    driver = TbpDriver(field("ColdClear2Web"), profile=load_profile("cold-clear-2-web"))
    async with prepared(driver):
        assert "lost" not in driver.stderr
        assert driver.skipped_lines == 1


@pytest.mark.parametrize(
    ("worker", "chosen"), [(True, "cold-clear-2-web"), (False, "cold-clear-2")]
)
async def test_worker_of_the_same_name_has_its_own_profile(
    worker: bool, chosen: str, field: Command
) -> None:
    async with prepared(TbpDriver(field("ColdClear2Web"), worker=worker)) as driver:
        assert driver.profile.name == chosen
    # Other bots have one profile for both.
    assert find_profile("MisaMino", worker=worker) == load_profile("misamino")


async def test_pieces_in_view(field: Command) -> None:
    with pytest.raises(BotStartError, match="needs 7 pieces in view; these rules show 6"):
        await play(TbpDriver(field("Zxcl")))
    assert (await play(TbpDriver(field("Zxcl")), rules=SEVEN)).stats.pieces == 14


async def test_refusals_in_words(field: Command) -> None:
    with pytest.raises(BotStartError, match=r"\(WebAssembly is not available in this browser\)"):
        await play(TbpDriver(field("FreeWords")))


async def test_a_protocol_of_the_same_name(field: Command) -> None:
    with pytest.raises(BotError, match="missing field `mv`"):
        await play(TbpDriver(field("OtherPlay")))


async def test_unsolicited_answers(field: Command) -> None:
    driver = TbpDriver(field("AnswersUnasked"), options={"min_nodes": "5000"})
    async with prepared(driver):
        assert "min_nodes 5000" in driver.stderr
    assert (await play(TbpDriver(field("AnswersUnasked")))).stats.pieces == 14


@pytest.mark.parametrize("bot", ["AnswersLate", "ColdClear2Web"])
async def test_profile_may_extend_time_limits_of_the_arena(
    bot: str, field: Command, fake: Command
) -> None:
    """One bot takes 0.6 s for its first answer, the other 0.2 s for its ``info``."""
    command = fake(bot) if bot == "AnswersLate" else field(bot)
    slow = TbpDriver(command, options={"info_seconds": "60", "move_seconds": "60"})
    short = BotDeadlines(prepare=0.05, suggest=0.05)
    conditions = GameConfig(RULES, seed=1, pieces=2, deadlines=short)
    result = await play_game((slow, BeamBot(nodes=20)), conditions)
    assert result.losses == (None, None)
    assert slow.step_timeout("suggest") == 60


async def test_garbage_is_sent_only_to_bots_that_announce_it(field: Command) -> None:
    game = await play(TbpDriver(field("TakesGarbage")), 20, GARBAGE, garbage_at=(3, 4, 11))
    assert game.stats.garbage_entered > 0


async def test_or_a_new_start_if_that_is_wanted(field: Command) -> None:
    driver = TbpDriver(field("TakesGarbage"), options={"garbage": "no"})
    with pytest.raises(BotError, match="nobody said that garbage would come"):
        await play(driver, 20, GARBAGE, garbage_at=(3,))


async def test_the_versus_dialect(field: Command) -> None:
    driver = TbpDriver(field("Versus"), profile=load_profile("versus"))
    game = await play(driver, 12, GARBAGE, garbage_at=(5,))
    assert game.stats.pieces == 12
    assert driver.misdrops == 0
    for flags, words in (
        ({"opponents": "no"}, "no opponents"),
        ({"back_to_back": "boolean"}, "no count"),
        ({"order": "play"}, "the piece comes first"),
    ):
        with pytest.raises(BotError, match=words):
            await play(TbpDriver(field("Versus"), profile=load_profile("versus"), options=flags))


async def test_ways_that_lead_elsewhere(field: Command) -> None:
    driver = TbpDriver(field("Strays"), profile=load_profile("versus"))
    await play(driver, 3)
    assert driver.misdrops > 0
    strict = TbpDriver(
        field("Strays"), profile=load_profile("versus"), options={"inputs": "strict"}
    )
    with pytest.raises(BotForfeitError, match=r"the inputs of a . lead to"):
        await play(strict, 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", list_profiles())
async def test_built_in_bot_plays_under_every_profile(name: str, mark: str) -> None:
    command = [sys.executable, "-P", "-m", "sevenbag", "serve", "beam:nodes=50"]
    driver = TbpDriver([*command, "--profile", name], profile=load_profile(name))
    rules = SEVEN.replace({"garbage": {"travel": 0}})
    game = await play(driver, 25, rules, garbage_at=(6, 15))
    assert game.stats.pieces == 25


async def test_battletris_rejects_moves_with_false_spins(fake: Command) -> None:
    with pytest.raises(BotForfeitError, match="claims spin full"):
        await play(TbpDriver(fake("FalseSpins"), profile=load_profile("battletris")), 3)


async def test_the_last_of_a_list(fake: Command) -> None:
    first = TbpDriver(fake(), profile=load_profile("jstris"))
    last = TbpDriver(fake(), profile=load_profile("stadium"))
    games = [await play(driver, 3) for driver in (first, last)]
    assert games[0].board != games[1].board
    with pytest.raises(BotForfeitError):
        await play(TbpDriver(fake("FirstMoveIllegal"), profile=load_profile("jstris")), 3)
    # An impossible move does not invalidate the others if any move may be played.
    assert (await play(TbpDriver(fake("FirstMoveIllegal")), 3)).stats.pieces == 3


async def test_a_process_for_each_game(fake: Command) -> None:
    async with prepared(TbpDriver(fake(), options={"process": "new"})) as driver:
        pids = set()
        for _ in range(2):
            await driver.start(Game(seed=1).position())
            pids.add(driver.pid)
            await driver.stop()
        assert len(pids) == 2


def test_names() -> None:
    assert load_profile("Stadium ").name == "stadium"
    assert find_profile("misa mino TBP") == load_profile("misamino")
    assert find_profile("nobody") is None
    assert find_profile("") is None
    for name in list_profiles():
        assert load_profile(name).summary or name == "official"


def test_flags() -> None:
    changed = override_profile(
        OFFICIAL_PROFILE,
        {"order": "new_piece", "retry_ms": "0", "rows": "20", "follows_play": "no"},
    )
    assert (changed.order, changed.retry_ms, changed.rows) == ("new_piece", 0.0, 20)
    assert not changed.follows_play
    assert changed.info_seconds == OFFICIAL_PROFILE.info_seconds


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"ordre": "play"}, "unknown option 'ordre' (did you mean 'order'?); options are order"),
        (
            {"order": "backwards"},
            "invalid order: expected one of 'new_piece', 'play', got 'backwards'",
        ),
        ({"retry_ms": "-1"}, "invalid retry_ms: expected number from 0 to 1000000000, got -1.0"),
        ({"retry_ms": "nan"}, "expected number from 0"),
        ({"rows": "1.5"}, "invalid rows: expected integer from 0 to 1000000000, got '1.5'"),
        ({"meter": "maybe"}, "invalid meter: expected true or false, got 'maybe'"),
        ({"name": "x"}, "unknown option 'name'"),
    ],
)
def test_wrong_flags(flags: dict[str, str], words: str) -> None:
    with pytest.raises(SpecError) as caught:
        override_profile(OFFICIAL_PROFILE, flags)
    assert words in str(caught.value)


def test_custom_profile_files(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('summary = "mine"\norder = "new_piece"\n[serve]\nmax_moves = 3\n')
    mine = load_profile(str(file))
    assert (mine.name, mine.order, mine.serve.max_moves) == ("mine", "new_piece", 3)
    with pytest.raises(SpecError, match=r"no-such\.toml: cannot be read: No such file"):
        load_profile("no-such.toml")
    with pytest.raises(SpecError, match=r"profile x: .*line 1: unknown key 'ordre'"):
        parse_profile('ordre = "play"', "x")
    with pytest.raises(SpecError, match=r"profile x: .*line 1: invalid order"):
        parse_profile('order = "backwards"', "x")
    with pytest.raises(SpecError, match="no profile 'stadion'; did you mean 'stadium'"):
        load_profile("stadion")


def test_every_value_is_documented() -> None:
    doc = type(OFFICIAL_PROFILE).__doc__ or ""
    for name in type(OFFICIAL_PROFILE).__struct_fields__:
        assert f" {name}: " in doc
