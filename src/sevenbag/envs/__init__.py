"""Environments for reinforcement learning: one player, two players, and vectors of games.

`PlacementEnv` and `KeysEnv` are environments of Gymnasium, `VectorEnv` is a vector environment
stepped in the kernel, and `VersusEnv` is an environment of PettingZoo. They need
``pip install sevenbag[envs]``; see docs/envs.md.

The import registers ``sevenbag/Placement-v0`` and ``sevenbag/Keys-v0`` with Gymnasium.

Raises:
    MissingExtraError: Gymnasium or NumPy is not installed; with `VersusEnv`, PettingZoo.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sevenbag.errors import MissingExtraError

if TYPE_CHECKING:
    from sevenbag.envs.versus_env import VersusEnv

__all__ = [
    "REWARDS",
    "ActionEncoding",
    "EnvKey",
    "KeysEnv",
    "PlacementEnv",
    "VectorEnv",
    "VersusEnv",
]


def _missing(error: ModuleNotFoundError, wanted_by: str) -> ModuleNotFoundError | MissingExtraError:
    if error.name not in {"gymnasium", "numpy", "pettingzoo"}:
        return error
    return MissingExtraError(
        f"{wanted_by} needs {error.name}; install it with: pip install sevenbag[envs]"
    )


try:
    _register: Any = importlib.import_module("gymnasium").register

    from sevenbag.envs.env_config import REWARDS, ActionEncoding
    from sevenbag.envs.keys_env import EnvKey, KeysEnv
    from sevenbag.envs.placement_env import PlacementEnv
    from sevenbag.envs.vector_env import VectorEnv
except ModuleNotFoundError as error:
    raise _missing(error, "sevenbag.envs") from None

_register(
    "sevenbag/Placement-v0",
    "sevenbag.envs:PlacementEnv",
    vector_entry_point="sevenbag.envs:VectorEnv",
)
_register("sevenbag/Keys-v0", "sevenbag.envs:KeysEnv")


def __getattr__(name: str) -> object:
    if name != "VersusEnv":
        raise AttributeError(f"module 'sevenbag.envs' has no attribute {name!r}")
    try:
        from sevenbag.envs.versus_env import VersusEnv  # noqa: PLC0415  # needs PettingZoo
    except ModuleNotFoundError as error:
        raise _missing(error, "sevenbag.envs.VersusEnv") from None
    return VersusEnv


def __dir__() -> list[str]:
    return sorted(__all__)
