"""TBP messages for tests: plain data, and strategies for hypothesis."""

from typing import Any

from hypothesis import strategies as st
from msgspec import UNSET

from sevenbag.protocols.tbp import messages as tbp

Json = dict[str, Any]

EMPTY: list[list[str | None]] = [[None] * 10] * 40
CHEESE: list[str | None] = ["G"] * 9 + [None]
RULES: Json = {"type": "rules", "randomizer": "seven_bag"}
START: Json = {
    "type": "start",
    "hold": None,
    "queue": list("SZOITL"),
    "combo": 0,
    "back_to_back": False,
    "board": EMPTY,
}
SUGGEST: Json = {"type": "suggest"}
STOP: Json = {"type": "stop"}
MOVE: Json = {"location": {"type": "S", "orientation": "north", "x": 1, "y": 0}, "spin": "none"}
PLAY: Json = {"type": "play", "move": MOVE}

letters = st.sampled_from(tbp.PIECE_LETTERS)
rows = st.one_of(
    st.just((None,) * 10), st.tuples(*[st.sampled_from((*tbp.PIECE_LETTERS, "G", None))] * 10)
)
counts = st.fixed_dictionaries({letter: st.integers(1, 5) for letter in tbp.PIECE_LETTERS})
locations = st.builds(
    tbp.TbpLocation,
    type=letters,
    orientation=st.sampled_from(("north", "east", "south", "west")),
    x=st.integers(-4, 13),
    y=st.integers(-4, 43),
)
inputs = st.lists(st.sampled_from(("left", "right", "ccw", "cw", "flip", "sonic")), max_size=9)
moves = st.builds(
    tbp.TbpMove,
    locations,
    st.sampled_from(("none", "mini", "full")),
    st.just(UNSET) | inputs.map(tuple),
)
figures = st.none() | st.integers(0, 10**12) | st.floats(0, 1e12)
move_infos = st.builds(tbp.TbpMoveInfo, figures, figures, figures, st.none() | st.text(max_size=20))
randomizers = st.one_of(
    st.just(tbp.UniformRandomizer()),
    st.just(tbp.UnknownRandomizer()),
    st.builds(
        tbp.SevenBagRandomizer, st.lists(letters, min_size=1, max_size=7, unique=True).map(tuple)
    ),
    st.builds(tbp.GeneralBagRandomizer, counts, counts),
)
opponents = st.builds(
    tbp.TbpOpponent,
    hold=st.just(UNSET) | st.none() | letters,
    queue=st.just(UNSET) | st.lists(letters, max_size=7).map(tuple),
    combo=st.just(UNSET) | st.integers(0, 30),
    back_to_back=st.just(UNSET) | st.booleans() | st.integers(0, 30),
    board=st.just(UNSET) | st.lists(rows, max_size=32).map(tuple),
    meter=st.just(UNSET) | st.integers(0, 30),
)
all_opponents = st.just(UNSET) | st.lists(opponents, max_size=3).map(tuple)
meters = st.just(UNSET) | st.integers(0, 40)
starts = st.builds(
    tbp.TbpStart,
    hold=st.none() | letters,
    queue=st.lists(letters, max_size=14).map(tuple),
    combo=st.integers(0, 30),
    back_to_back=st.booleans() | st.integers(0, 30),
    board=st.lists(rows, max_size=44).map(tuple),
    randomizer=st.just(UNSET) | randomizers,
    opponents=all_opponents,
    meter=meters,
)
garbage_rows = rows.filter(lambda row: None in row)
texts = st.text(max_size=20)
messages = st.one_of(
    st.builds(tbp.TbpInfo, texts, texts, texts, st.lists(texts, max_size=3).map(tuple)),
    st.just(tbp.TbpReady()),
    st.builds(tbp.TbpError, texts),
    st.builds(
        tbp.TbpSuggestion, st.lists(moves, max_size=5).map(tuple), st.just(UNSET) | move_infos
    ),
    st.builds(
        tbp.TbpRules,
        st.just(UNSET) | st.sampled_from(("uniform", "seven_bag", "general_bag", "unknown")),
        st.just(UNSET) | st.just("general"),
        st.just(UNSET) | st.integers(0, 10**9),
    ),
    starts,
    st.just(tbp.TbpSuggest()),
    st.builds(tbp.TbpPlay, moves, all_opponents, meters),
    st.builds(tbp.TbpNewPiece, letters),
    st.builds(tbp.TbpGarbage, st.lists(garbage_rows, max_size=5).map(tuple)),
    st.just(tbp.TbpStop()),
    st.just(tbp.TbpQuit()),
)
plain_data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
)
