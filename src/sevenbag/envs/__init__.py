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
from typing import TYPE_CHECKING, Final

from sevenbag.errors import MissingExtraError

if TYPE_CHECKING:
    from types import ModuleType

    from sevenbag.envs.env_config import REWARDS, ActionEncoding
    from sevenbag.envs.keys_env import EnvKey, KeysEnv
    from sevenbag.envs.placement_env import PlacementEnv
    from sevenbag.envs.vector_env import VectorEnv
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

_MODULES: Final = {
    "REWARDS": "env_config",
    "ActionEncoding": "env_config",
    "EnvKey": "keys_env",
    "KeysEnv": "keys_env",
    "PlacementEnv": "placement_env",
    "VectorEnv": "vector_env",
    "VersusEnv": "versus_env",
}


def _module(name: str, wanted_by: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in ("gymnasium", "numpy", "pettingzoo"):
            raise
        raise MissingExtraError(
            f"{wanted_by} needs {error.name}; install it with: pip install sevenbag[envs]"
        ) from None


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'sevenbag.envs' has no attribute {name!r}")
    return getattr(_module(f"sevenbag.envs.{_MODULES[name]}", f"sevenbag.envs.{name}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)


_gymnasium = _module("gymnasium", "sevenbag.envs")
_gymnasium.register(
    id="sevenbag/Placement-v0",
    entry_point="sevenbag.envs:PlacementEnv",
    vector_entry_point="sevenbag.envs:VectorEnv",
)
_gymnasium.register(id="sevenbag/Keys-v0", entry_point="sevenbag.envs:KeysEnv")
