"""Tests of the environments with the checkers of Gymnasium and PettingZoo, and of their errors."""

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import parallel_api_test, parallel_seed_test  # type: ignore[import-untyped]

import sevenbag.envs
from sevenbag.envs import REWARDS, EnvKey, KeysEnv, PlacementEnv, VectorEnv, VersusEnv
from sevenbag.errors import MissingExtraError, PlacementError, RulesError, SevenbagError

PRESETS = ("guideline", "tetrio-season-1")


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("mode", [None, "ansi", "rgb_array"])
@pytest.mark.parametrize("name", ["sevenbag/Placement-v0", "sevenbag/Keys-v0"])
def test_gymnasium_checks_what_is_registered(name: Any, mode: Any, rules: Any) -> None:
    check_env(gymnasium.make(name, rules=rules, render_mode=mode).unwrapped)


@pytest.mark.parametrize("name", ["sevenbag/Placement-v0", "sevenbag/Keys-v0"])
def test_gymnasium_checkers_pass(name: Any) -> None:
    env = gymnasium.make(name, rules="guideline")
    observation, _ = env.reset(seed=3)
    for _ in range(50):
        action = env.action_space.sample(observation["action_mask"])
        observation, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            observation, _ = env.reset()


@pytest.mark.parametrize("rules", PRESETS)
def test_pettingzoo_checks_versus(rules: Any) -> None:
    parallel_api_test(VersusEnv(rules), num_cycles=300)
    parallel_seed_test(lambda: VersusEnv(rules), num_cycles=100)


def test_gymnasium_creates_the_native_vector() -> None:
    envs = gymnasium.make_vec("sevenbag/Placement-v0", num_envs=5, players=1)
    assert isinstance(envs.unwrapped, VectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observation, _ = envs.reset(seed=1)
    assert observation in envs.observation_space


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_gymnasium_vector_matches_the_native_one(mode: Any) -> None:
    """Compare with SyncVectorEnv for the same seeds and actions until the first game ends."""
    ours = VectorEnv(4, autoreset_mode=mode)
    theirs = gymnasium.vector.SyncVectorEnv([PlacementEnv] * 4, autoreset_mode=mode)
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    seen, _ = ours.reset(seed=9)
    other, _ = theirs.reset(seed=9)
    for _ in range(200):
        for name, array in seen.items():
            assert (array == other[name]).all()
            assert array.dtype == other[name].dtype
        actions = ours.random_actions()
        seen, *given = ours.step(actions)
        other, *due = theirs.step(actions)
        mine: list[Any] = given
        them: list[Any] = due
        for a, b in zip(mine[:3], them[:3], strict=True):
            assert np.array_equal(a, b)
            assert a.dtype == b.dtype
        if (mine[1] | mine[2]).any():
            assert set(mine[3]) == {key for key in them[3] if "action_mask" not in key}
            return
    pytest.fail("no game ended")


def test_step_results_are_not_overwritten() -> None:
    envs = VectorEnv(3)
    before, _ = envs.reset(seed=1)
    kept = {name: array.copy() for name, array in before.items()}
    after, *_ = envs.step(envs.random_actions())
    assert all((before[name] == kept[name]).all() for name in kept)
    assert not (after["board"] == before["board"]).all()


def test_a_forbidden_action_gives_the_game_up() -> None:
    env = PlacementEnv(reward="outcome")
    observation, _ = env.reset(seed=1)
    action = int(np.flatnonzero(observation["action_mask"] == 0)[0])
    assert env.move(action) is None
    _, reward, terminated, truncated, _ = env.step(action)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    with pytest.raises(PlacementError, match="has ended and was not reset"):
        env.step(0)
    versus = VersusEnv(reward="outcome")
    seen, _ = versus.reset(seed=1)
    fair = int(np.flatnonzero(seen["player_0"]["action_mask"])[0])
    _, rewards, over, _, _ = versus.step({"player_0": fair, "player_1": -1})
    assert rewards == {"player_0": 1.0, "player_1": -1.0}
    assert set(over.values()) == {True}
    assert versus.agents == []


def test_games_are_cut_short() -> None:
    env = PlacementEnv(max_pieces=3)
    observation, _ = env.reset(seed=1)
    for number in range(1, 4):
        action = int(np.flatnonzero(observation["action_mask"])[0])
        observation, _, terminated, truncated, _ = env.step(action)
        assert (terminated, truncated) == (False, number == 3)
    keys = KeysEnv(max_keys=4, max_pieces=2)
    keys.reset(seed=1)
    ends = [keys.step(EnvKey.LEFT)[2:4] for _ in range(8)]
    assert ends == [(False, False)] * 7 + [(False, True)]


def test_hold_is_once_per_piece_and_hides_what_is_not_seen_yet() -> None:
    env = KeysEnv()
    seen, _ = env.reset(seed=1)
    current, held, *previews = seen["pieces"][0].tolist()
    assert held == 7
    assert seen["action_mask"][EnvKey.HOLD] == 1
    seen, *_ = env.step(EnvKey.HOLD)
    assert seen["pieces"][0].tolist() == [previews[0], current, *previews[1:], 7]
    assert seen["action_mask"][EnvKey.HOLD] == 0
    again, *_ = env.step(EnvKey.HOLD)
    assert all((again[name] == seen[name]).all() for name in seen)
    seen, *_ = env.step(EnvKey.HARD_DROP)
    assert seen["pieces"][0].tolist()[:6] == [
        previews[1],
        current,
        *previews[2:],
        seen["pieces"][0][5],
    ]
    assert seen["action_mask"][EnvKey.HOLD] == 1


def test_pictures() -> None:
    for env in (PlacementEnv(render_mode="ansi"), KeysEnv(render_mode="ansi")):
        env.reset(seed=1)
        text = env.render()
        assert isinstance(text, str)
        assert text.count("\n") == 23
    image = VersusEnv(render_mode="rgb_array")
    image.reset(seed=1)
    picture = image.render()
    assert isinstance(picture, np.ndarray)
    assert picture.shape == (22 * 12, 2 * 120 + 6, 3)
    assert VectorEnv(2, render_mode="ansi").render() is not None
    assert PlacementEnv().render() is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": "nothing"}, "invalid rules: expected"),
        ({"reward": "points"}, "invalid reward: expected sent, .*, got 'points'"),
        ({"reward": {"points": 1}}, "invalid reward: expected attack, .*, got 'points'"),
        ({"rows": 41}, "invalid rows: expected integer from 1 to 40, got 41"),
        ({"rows": 0}, "invalid rows: expected integer from 1 to 40, got 0"),
        ({"max_pieces": 0}, "invalid max_pieces: expected integer from 1"),
        ({"frames_per_turn": -1}, "invalid frames_per_turn: expected integer from 0 to 36"),
        ({"render_mode": "human"}, "invalid render_mode: expected None or .*, got 'human'"),
    ],
)
@pytest.mark.parametrize("kind", [PlacementEnv, KeysEnv, VersusEnv, VectorEnv])
def test_wrong_options_are_named(kind: Any, options: Any, message: Any) -> None:
    with pytest.raises(RulesError, match=message):
        kind(**options)


def test_wrong_numbers_of_games_are_named() -> None:
    wrong: list[dict[str, Any]]
    wrong = [{"num_envs": 3, "players": 2}, {"num_envs": 0}, {"threads": 0}, {"players": 3}]
    for options in wrong:
        with pytest.raises(RulesError, match="invalid "):
            VectorEnv(**options)
    envs = VectorEnv(3)
    with pytest.raises(RulesError, match="expected 3 seeds, one per game, got 2"):
        envs.reset(seed=[1, 2])
    with pytest.raises(RulesError, match=r"invalid seed: .*, got -1"):
        envs.reset(seed=[-1, 1, 2])
    with pytest.raises(RulesError, match="invalid actions: expected 3 items, got 2"):
        envs.step(np.zeros(2, np.int64))
    with pytest.raises(RulesError, match="reset_mask"):
        envs.reset(options={"reset_mask": np.zeros(2, np.bool_)})


def test_every_reward_has_a_name() -> None:
    assert all(PlacementEnv(reward=name).reset(seed=1) for name in REWARDS)


@pytest.mark.parametrize("missing", ["gymnasium", "pettingzoo"])
def test_missing_extra_error(missing: Any) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from sevenbag.envs import VersusEnv"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingExtraError: sevenbag.envs" in run.stderr
    assert f"needs {missing}; install it with: pip install sevenbag[envs]" in run.stderr
    assert issubclass(MissingExtraError, SevenbagError)
    assert issubclass(MissingExtraError, ImportError)


def test_public_names() -> None:
    assert set(dir(sevenbag.envs)) == set(sevenbag.envs.__all__)
    assert all(getattr(sevenbag.envs, name) is not None for name in sevenbag.envs.__all__)
    with pytest.raises(AttributeError):
        _ = sevenbag.envs.Nothing
