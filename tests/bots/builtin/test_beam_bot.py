"""The beam search as a bot: legal, the same every time, in time, and not blind."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag._kernel import BeamSearch, Board, Piece, Placement, Spin
from sevenbag.bots.bot import Limits, Position
from sevenbag.bots.builtin.beam_bot import BeamBot
from sevenbag.errors import BoardError, BotStartError, InputError
from sevenbag.game import Game, Rules
from sevenbag.game.position import apply_placement
from sevenbag.game.rules import compile_rules
from tests.bots.games import parse_pieces, play_suggestions, prepared, suggest
from tests.properties import examples

RULES = Rules.preset("guideline")
PIECES = st.sampled_from(list(Piece))


async def best(board: Board, queue: str, **known: Piece | int | None) -> Placement:
    """The first move that a search of moderate size suggests."""
    position = Position(board, parse_pieces(queue), **known)  # type: ignore[arg-type]
    return (await suggest(BeamBot(nodes=20_000), position)).moves[0]


@st.composite
def boards(draw: st.DrawFn) -> Board:
    rows = draw(st.lists(st.integers(0, 1022), max_size=24))
    text = ["".join("#" if row >> x & 1 else "." for x in range(10)) for row in rows]
    return Board.from_rows(text) if text else Board()


@examples(150)
@given(
    board=boards(),
    queue=st.lists(PIECES, min_size=1, max_size=8),
    hold=st.none() | PIECES,
    nodes=st.sampled_from([1, 300, 3000]),
)
def test_every_suggested_move_can_be_played(
    board: Board, queue: list[Piece], hold: Piece | None, nodes: int
) -> None:
    position = Position(board, tuple(queue), hold)
    found = asyncio.run(suggest(BeamBot(nodes=nodes), position))
    offered = hold if hold is not None else queue[1] if len(queue) > 1 else None
    may_come = {queue[0], offered}
    for move in found.moves:
        assert move.piece in may_come
        assert board.is_resting(move)
        assert any(move.same_cells(p) for p in reachable(board, move.piece))
    if not found.moves:
        assert not any(reachable(board, p) for p in may_come if p is not None)


def reachable(board: Board, piece: Piece) -> list[Placement]:
    # A piece appears in row 20, and falls to 19 if it can.
    for spawn in ((4, 19), (4, 20)):
        if not board.fits(Placement(piece, 0, 4, 20)):  # type: ignore[arg-type]
            return []
        moves = list(board.placements(piece, spawn=spawn))
        if moves:
            return moves
    return []


@pytest.mark.parametrize("queue", ["T", "TT", "TTT"])
async def test_short_queues_are_enough(queue: str) -> None:
    found = await suggest(BeamBot(nodes=1000), Position(Board(), parse_pieces(queue)))
    assert found.moves


async def test_one_piece_and_an_empty_hold_give_that_piece() -> None:
    found = await suggest(BeamBot(nodes=1000), Position(Board(), parse_pieces("L")))
    assert {move.piece for move in found.moves} == {Piece.L}


async def test_no_piece_and_no_placement_give_no_move() -> None:
    full = Board.from_rows([".#########"] * 24)
    assert (await suggest(BeamBot(), Position(full, parse_pieces("TI")))).moves == ()
    assert (await suggest(BeamBot(), Position(Board(), ()))).moves == ()


async def test_rules_without_hold_never_hold() -> None:
    rules = RULES.replace({"pieces": {"hold": False}})
    position = Position(Board(), parse_pieces("SIT"), Piece.T)
    found = await suggest(BeamBot(nodes=1000), position, rules)
    assert {move.piece for move in found.moves} == {Piece.S}


async def test_narrow_boards_are_played_too() -> None:
    rules = RULES.replace({"board": {"width": 4}, "spawn": {"x": 1}})
    game = await play_suggestions(BeamBot(nodes=200), rules, 3, 20)
    assert game.stats.pieces == 20


async def test_nodes_alone_make_the_same_game() -> None:
    first = await play_suggestions(BeamBot(nodes=2000), RULES, 5, 40)
    second = await play_suggestions(BeamBot(nodes=2000), RULES, 5, 40)
    assert first.board == second.board
    assert first.stats == second.stats


async def game_with_garbage() -> Game:
    return await play_suggestions(BeamBot(nodes=2000), RULES, 6, 40, garbage_every=5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["base", "x86-64-v3"])
async def test_all_instruction_sets_play_the_same_game(name: str) -> None:
    script = (
        "import asyncio, tests.bots.builtin.test_beam_bot as t\n"
        "game = asyncio.run(t.game_with_garbage())\n"
        "print(game.board)"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        script,
        cwd=Path(__file__).parents[3],
        env=os.environ | {"SEVENBAG_INSTRUCTION_SET": name},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    output, errors = await process.communicate()
    if f"got '{name}'" in errors.decode():
        pytest.skip(f"this kernel or machine has no {name}")
    here = await game_with_garbage()
    assert output.decode().strip() == str(here.board).strip()


async def test_earlier_searches_do_not_affect_the_move() -> None:
    position = Game(RULES, seed=9).position()
    bot = BeamBot(nodes=3000)
    async with prepared(bot, RULES, position):
        fresh = await bot.suggest(Limits())
        await bot.start(Position(Board.from_rows(["#########."] * 7), parse_pieces("TIOJ")))
        await bot.suggest(Limits())
        await bot.start(position)
        again = await bot.suggest(Limits())
    assert fresh.moves == again.moves
    assert fresh.info.nodes == again.info.nodes


async def test_the_smaller_limit_counts() -> None:
    position = Game(RULES, seed=1).position()
    own = await suggest(BeamBot(nodes=2000), position, limits=Limits(nodes=1_000_000))
    given_limit = await suggest(BeamBot(nodes=1_000_000), position, limits=Limits(nodes=2000))
    assert own.info.nodes == given_limit.info.nodes
    assert own.info.nodes is not None
    assert own.info.nodes == 2000


@pytest.mark.parametrize("nodes", [1, 50, 64, 100, 200, 333, 1000, 5000])
@pytest.mark.parametrize("every", [0, 3])
async def test_the_node_limit_is_exact(nodes: int, every: int) -> None:
    game = Game(RULES, seed=nodes)
    search = BeamSearch(compile_rules(RULES))
    for number in range(20_000 // (nodes + 400)):
        position = game.position()
        bag = list(position.bag or ())
        queue = list(position.queue)
        found = search.run(position.board, queue, position.hold, 0, 0, 0, bag, nodes=nodes)
        # All placements of the first piece are evaluated, so that all of them are ranked.
        assert found.nodes == max(nodes, len(found.moves))
        game.play(found.moves[0])
        if every and number % every == 0:
            game.receive_garbage(2)
        if game.over:
            break


async def test_a_width_alone_is_a_limit() -> None:
    position = Game(RULES, seed=1).position()
    narrow = await suggest(BeamBot(width=5), position)
    wide = await suggest(BeamBot(width=50), position)
    assert narrow.info.nodes is not None
    assert wide.info.nodes is not None
    assert narrow.info.nodes < wide.info.nodes < 100_000
    assert narrow.info.depth == wide.info.depth


@pytest.mark.parametrize("limit", [{"nodes": 0}, {"milliseconds": -1.0}, {"width": 0}])
def test_limits_are_above_zero(limit: dict[str, int]) -> None:
    with pytest.raises(InputError, match="invalid"):
        BeamBot(**limit)


@pytest.mark.parametrize("milliseconds", [1, 50])
async def test_time_limit_is_observed(milliseconds: float) -> None:
    position = Game(RULES, seed=1).position()
    async with prepared(BeamBot(milliseconds=milliseconds), RULES, position) as bot:
        # Without a limit, a search would not end.
        for _ in range(10):
            assert (await bot.suggest(Limits())).moves


async def test_a_search_can_be_cancelled_and_blocks_nothing() -> None:
    position = Game(RULES, seed=1).position()
    async with prepared(BeamBot(milliseconds=3_600_000), RULES, position) as bot:
        search = asyncio.ensure_future(bot.suggest(Limits()))
        for _ in range(20):
            await asyncio.sleep(0.001)
            assert not search.done()
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search
        # The next search waits for the end of this one.
        assert (await bot.suggest(Limits(nodes=100, milliseconds=1000))).moves
    await bot.quit()


async def test_calls_out_of_order_are_rejected() -> None:
    with pytest.raises(BotStartError):
        await BeamBot().suggest(Limits())
    bot = BeamBot()
    await bot.start(Game(RULES, seed=1).position())
    with pytest.raises(BotStartError):
        await bot.suggest(Limits())


async def test_unsupported_board_size_is_reported() -> None:
    with pytest.raises(BoardError, match="4 x 40"):
        await suggest(BeamBot(), Position(Board(4, 40), parse_pieces("T")))


@pytest.mark.parametrize(("queue", "hold"), [("TLJSOI", None), ("LJSOIZ", Piece.T)])
async def test_t_spin_double_is_played(queue: str, hold: Piece | None) -> None:
    board = Board.from_text("""
        ##........
        #...######
        ##.#######
    """)
    move = await best(board, queue, hold=hold)
    assert (move.piece, move.spin) == (Piece.T, Spin.FULL)
    assert board.lock(move) == 2


async def test_a_deep_well_gets_its_i() -> None:
    board = Board.from_rows(["#########."] * 8)
    move = await best(board, "ISZLJO")
    assert board.lock(move) == 4


@pytest.mark.parametrize(
    ("rows", "queue"),
    [
        (["....######"] * 4, "OOOO"),
        (["#........#"] * 2, "OOOO"),
        (["######...."] * 4, "JIILTS"),
        (["..########"] * 2, "LOSTZJI"),
    ],
)
async def test_visible_perfect_clear_is_played(rows: list[str], queue: str) -> None:
    position = Position(Board.from_rows(rows), parse_pieces(queue))
    async with prepared(BeamBot(nodes=100_000), RULES, position) as bot:
        for _ in queue:
            move = (await bot.suggest(Limits())).moves[0]
            await bot.play(move)
            position = apply_placement(position, move, RULES)
            if position.board.is_empty:
                return
            await bot.start(position)
    pytest.fail(f"no perfect clear, but\n{position.board}")


async def test_a_known_bag_is_looked_into() -> None:
    position = Game(RULES, seed=1).position()
    bag_of_one = Position(position.board, position.queue, position.hold, bag=(Piece.T,))
    bag_of_two = Position(position.board, position.queue, position.hold, bag=(Piece.T, Piece.S))
    deeper = await suggest(BeamBot(nodes=5000), bag_of_one)
    shallower = await suggest(BeamBot(nodes=5000), bag_of_two)
    assert deeper.info.depth is not None
    assert shallower.info.depth is not None
    assert deeper.info.depth == shallower.info.depth + 1


async def test_solo_game_survives_and_attacks() -> None:
    game = await play_suggestions(BeamBot(nodes=3000), RULES, 0, 150)
    assert not game.over
    assert game.stats.attack / game.stats.pieces > 0.5


async def test_game_with_garbage_survives() -> None:
    game = await play_suggestions(BeamBot(nodes=3000), RULES, 2, 100, garbage_every=6)
    assert not game.over
    assert game.stats.garbage_entered > 10
