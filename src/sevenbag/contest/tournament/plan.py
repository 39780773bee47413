"""What the order of a contest's matches follows from."""

from __future__ import annotations

from typing import Annotated

import msgspec


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a contest goes.

    Attributes:
        ranking: whether everybody meets everybody first, which seeds the bracket; without it the
            entrants are seeded in the order in which they are given.
        bracket: whether a bracket follows, as the contest's text has it: single elimination.
        qualifiers: how many of the ranking go on to the bracket, 2 at least; 0 for all.
        third_place: whether the losers of the semi-finals meet.
        seed: what coins follow from where nothing else tells two teams apart.
    """

    ranking: bool = True
    bracket: bool = True
    qualifiers: Annotated[int, msgspec.Meta(ge=0, le=1_024)] = 0
    third_place: bool = False
    seed: Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)] = 0

    def __post_init__(self) -> None:
        """Refuse what does not go together; a ValueError is what msgspec tells on."""
        if not (self.ranking or self.bracket):
            raise ValueError("a contest has a ranking, a bracket or both")
        if self.qualifiers == 1:
            raise ValueError("a bracket has 2 qualifiers at least, or 0 for all")
