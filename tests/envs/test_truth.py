"""Tests of every environment against `Game` and `Versus` with the same placements."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sevenbag import Board, Game, Key, Placement, Rules, Spin, Versus
from sevenbag.envs import ActionEncoding, KeysEnv, PlacementEnv, VectorEnv, VersusEnv
from sevenbag.game import Player
from tests.properties import examples

# Garbage all the time: four lines for a row, at once.
HEAVY = Rules.preset("guideline").replace(
    {"attack": {"none": [0, 4, 8, 12, 16]}, "garbage": {"travel": 0}}
)
NO_HOLD = Rules.preset("guideline").replace({"pieces": {"hold": False, "previews": 0}})
NARROW = Rules.preset("guideline").replace(
    {"board": {"width": 5, "rows": 26}, "spawn": {"x": 2}, "pieces": {"spins": "none"}}
)


def cells(board: Board, rows: int) -> NDArray[np.uint8]:
    return np.array([[board[x, y] for x in range(board.width)] for y in range(rows)], np.uint8)


def pieces(player: Player) -> list[int]:
    current, *previews = player.queue
    hold = 7 if player.hold is None else int(player.hold)
    return [int(current), hold, *map(int, previews)]


def counters(player: Player) -> list[int]:
    return [player.combo, player.back_to_back, sum(player.pending)]


def legal(player: Player, actions: ActionEncoding) -> set[int]:
    """Return the actions of all placements except those that are too high."""
    return {
        actions.encode(p, hold=p.piece != player.current)
        for p in player.placements()
        if p.canonical().y < actions.rows
    }


def check_seen(seen: dict[str, Any], players: Sequence[Player], actions: ActionEncoding) -> None:
    """Compare observations with the state of the players, including the first one's mask."""
    for i, player in enumerate(players):
        assert (seen["board"][i] == cells(player.board, actions.rows)).all()
        assert seen["pieces"][i].tolist() == pieces(player)
        assert seen["counters"][i].tolist() == counters(player)
    mask = set(np.flatnonzero(seen["action_mask"]).tolist())
    if any(not legal(player, actions) for player in players):
        assert len(mask) == actions.count
    else:
        assert mask == legal(players[0], actions)


def lowest(mask: NDArray[np.int8], actions: ActionEncoding, random: np.random.Generator) -> int:
    """Return the action with the lowest centre of some legal ones, so that rows are cleared."""
    drawn = random.choice(np.flatnonzero(mask), 8)
    heights = np.unravel_index(drawn, actions.shape)[3]
    return int(drawn[heights.argmin()])


@pytest.mark.parametrize("rules", ["guideline", "tetrio-season-1", NO_HOLD, NARROW])
@pytest.mark.parametrize("apart", [False, True])
@given(seed=st.integers(0, 2**63 - 1))
@examples(8)
def test_a_placement_environment_is_the_game(rules: Any, apart: Any, seed: Any) -> None:
    env = PlacementEnv(rules, separate_spins=apart, reward={"attack": 2, "placement": 0.25})
    seen, info = env.reset(seed=seed)
    game = Game(rules, seed=seed)
    random = np.random.default_rng(seed)
    while True:
        check_seen(seen, [game], env.actions)
        assert info["action_mask"] is seen["action_mask"]
        assert seen in env.observation_space
        action = lowest(seen["action_mask"], env.actions, random)
        move = env.move(action)
        assert move is not None
        placement, hold = move
        lock = game.play(placement, hold=hold)
        assert lock.placement == placement
        assert lock.from_hold == hold
        seen, reward, terminated, truncated, info = env.step(action)
        assert reward == 2 * lock.attack + 0.25
        assert terminated == (game.over or not legal(game, env.actions))
        assert not truncated
        if terminated:
            break
    assert env.player.seed == seed
    assert env.player.stats == game.stats


@given(seed=st.integers(0, 2**62))
@examples(10)
def test_kinds_of_spin_apart_are_exactly_the_placements(seed: Any) -> None:
    env = PlacementEnv("guideline", separate_spins=True)
    env.reset(seed=seed)
    random = np.random.default_rng(seed)
    terminated = False
    while not terminated:
        listed, current = env.player.placements(), env.player.current
        numbers = [env.actions.encode(p, hold=p.piece != current) for p in listed]
        assert len(set(numbers)) == len(listed)
        for number, p in zip(numbers, listed, strict=True):
            assert env.actions.decode(number, p.piece) == (p, p.piece != current)
            assert env.move(number) == (p, p.piece != current)
        terminated = env.step(int(random.choice(numbers)))[2]


def test_merged_actions_use_the_best_spin() -> None:
    env = PlacementEnv("guideline")
    found = 0
    random = np.random.default_rng(5)
    seen, _ = env.reset(seed=5)
    for _ in range(3000):
        placements = [p for p in env.player.placements() if p.spin != Spin.NONE]
        for p in placements:
            hold = p.piece != env.player.current
            same = [q.spin for q in env.player.placements() if q.same_cells(p)]
            move = env.move(env.actions.encode(p, hold=hold))
            assert move is not None
            assert move[0].spin == max(same)
            found += 1
        seen, _, terminated, _, _ = env.step(lowest(seen["action_mask"], env.actions, random))
        if terminated:
            seen, _ = env.reset()
    assert found > 20


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("threads", [1, 3])
def test_a_vector_of_games_is_those_games(mode: Any, threads: Any) -> None:
    number = 7
    envs = VectorEnv(number, threads=threads, autoreset_mode=mode, max_pieces=25, reward="lines")
    seen, _ = envs.reset(seed=100)
    games = [Game(seed=100 + i) for i in range(number)]
    ended = np.zeros(number, np.bool_)
    random = np.random.default_rng(1)
    finished = 0
    for _ in range(120):
        assert seen in envs.observation_space
        actions = np.array([lowest(m, envs.actions, random) for m in seen["action_mask"]])
        moves = [envs.move(i, int(a)) for i, a in enumerate(actions)]
        seen, rewards, terminated, truncated, info = envs.step(actions)
        for i, move in enumerate(moves):
            if ended[i]:  # only where the next step begins the next game
                assert rewards[i] == 0
                assert not terminated[i]
                assert not truncated[i]
                games[i] = Game(seed=envs.player(i).seed)
                check_seen({k: v[i] for k, v in seen.items()}, [games[i]], envs.actions)
                continue
            assert move is not None
            lock = games[i].play(move[0], hold=move[1])
            assert rewards[i] == lock.lines
            assert terminated[i] == (not legal(games[i], envs.actions))
            assert truncated[i] == (not terminated[i] and games[i].stats.pieces == 25)
            row = {k: v[i] for k, v in seen.items()}
            if mode is AutoresetMode.SAME_STEP and (terminated[i] or truncated[i]):
                assert info["_final_obs"][i]
                check_seen(info["final_obs"][i], [games[i]], envs.actions)
                games[i] = Game(seed=envs.player(i).seed)
            check_seen(row, [games[i]], envs.actions)
        ended = terminated | truncated
        finished += int(ended.sum())
        if mode is not AutoresetMode.NEXT_STEP:
            if mode is AutoresetMode.DISABLED and ended.any():
                seen, _ = envs.reset(options={"reset_mask": ended})
                for i in np.flatnonzero(ended).tolist():
                    games[i] = Game(seed=envs.player(i).seed)
            ended = np.zeros(number, np.bool_)
    assert finished > 15


@pytest.mark.parametrize("rules", ["guideline", HEAVY])
@given(seed=st.integers(0, 2**63 - 1))
@examples(10)
def test_a_versus_environment_is_the_game(rules: Any, seed: Any) -> None:
    env = VersusEnv(rules, reward={"sent": 1, "garbage": -0.5, "win": 10, "loss": -10})
    seen, _ = env.reset(seed=seed)
    game = Versus(rules, seed=seed)
    random = np.random.default_rng(seed)
    while env.agents:
        for i, agent in enumerate(env.agents):
            check_seen(seen[agent], [game.players[i], game.players[1 - i]], env.actions)
            assert seen[agent] in env.observation_space(agent)
        actions = {a: lowest(seen[a]["action_mask"], env.actions, random) for a in env.agents}
        moves = [env.move(agent, action) for agent, action in actions.items()]
        (first, first_hold), (second, second_hold) = [m for m in moves if m]
        locks = game.play(first, second, holds=(first_hold, second_hold))
        seen, rewards, terminated, _, _ = env.step(actions)
        stuck = [not legal(player, env.actions) for player in game.players]
        assert set(terminated.values()) == {any(stuck)}
        for i, agent in enumerate(env.possible_agents):
            due = sum(locks[i].sent) - 0.5 * len(locks[i].garbage)
            if stuck[0] != stuck[1]:
                due += -10 if stuck[i] else 10
            assert rewards[agent] == due
    assert [p.stats for p in env.players] == [p.stats for p in game.players]


def test_versus_games_in_a_vector_are_those_games() -> None:
    envs = VectorEnv(6, HEAVY, players=2, threads=2)
    seen, _ = envs.reset(seed=[5, 6, 7])
    games = [Versus(HEAVY, seed=seed) for seed in (5, 6, 7)]
    ended = np.zeros(6, np.bool_)
    random = np.random.default_rng(2)
    garbage = 0
    for _ in range(150):
        actions = np.array([lowest(m, envs.actions, random) for m in seen["action_mask"]])
        moves = [envs.move(i, int(a)) for i, a in enumerate(actions)]
        seen, rewards, terminated, truncated, _ = envs.step(actions)
        for g in range(3):
            if ended[2 * g]:
                games[g] = Versus(HEAVY, seed=envs.player(2 * g).seed)
                continue
            (first, hold), (second, other_hold) = [m for m in moves[2 * g : 2 * g + 2] if m]
            locks = games[g].play(first, second, holds=(hold, other_hold))
            assert rewards[2 * g : 2 * g + 2].tolist() == [sum(lock.sent) for lock in locks]
            garbage += sum(len(lock.garbage) for lock in locks)
            for i in (0, 1):
                row = {k: v[2 * g + i] for k, v in seen.items()}
                check_seen(row, [games[g].players[i], games[g].players[1 - i]], envs.actions)
        ended = terminated | truncated
    assert garbage > 50


@given(seed=st.integers(0, 2**63 - 1), data=st.data())
@examples(10)
def test_keys_lead_where_the_path_leads(seed: Any, data: Any) -> None:
    env = KeysEnv("tetrio-season-1", reward="attack")
    env.reset(seed=seed)
    game = Game("tetrio-season-1", seed=seed)
    random = np.random.default_rng(seed)
    mode = game.rules.pieces.spins
    for _ in range(40):
        if game.over:
            break
        listed = game.placements(hold=True)
        listed.sort(key=lambda p: p.y)
        target: Placement = listed[int(random.integers(min(len(listed), 8)))]
        hold = target.piece != game.current
        if hold:
            env.step(8)
        assert env.falling_piece is not None
        spawn = (env.falling_piece.x, env.falling_piece.y)
        path = game.board.find_path(target, game.rules.pieces.kicks, spins=mode, spawn=spawn)
        assert path is not None
        reward, terminated = 0.0, False
        seen: dict[str, Any] = {}
        for key in path:
            seen, reward, terminated, _, _ = env.step(int(key))
        lock = game.play(target, hold=hold)
        assert reward == lock.attack
        assert terminated == game.over
        assert env.player.colors == game.colors
        assert env.player.stats == game.stats
        if not game.over:
            assert (seen["board"][0] == cells(game.board, 24)).all()
            assert seen["pieces"][0].tolist() == pieces(game)
            assert seen["board"][1].sum() == 4
            assert path[-1] is Key.HARD_DROP
