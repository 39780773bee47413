"""In what a game that was played again differs from the recorded one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that came out otherwise than recorded.

    Attributes:
        field: what, by the name that the file has for it.
        played: what came out.
        recorded: what the file says.
        lock: at which piece of the game, from 1; None where that is not known.
        frame: when, in frames since the game began; None where that is not known.
    """

    field: str
    played: object
    recorded: object
    lock: int | None = None
    frame: int | None = None

    def __str__(self) -> str:
        where = "" if self.lock is None else f"lock {self.lock}, "
        where += "" if self.frame is None else f"frame {self.frame}, "
        return f"{where}{self.field}: {_shown(self.played)}, recorded is {_shown(self.recorded)}"


# --- helpers ------------------------------------------------------------------------------------


def _shown(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)
