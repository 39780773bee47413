"""Tests of tournament files and openings: read, or rejected by name."""

import tempfile
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from sevenbag.arena.tournament.openings import read_openings
from sevenbag.arena.tournament.tournament_config import TournamentHeader, read_tournament_config
from sevenbag.errors import InputError
from sevenbag.game import Rules
from tests.properties import examples

RULES = Rules.preset("guideline")
KEYS = (
    *("name", "kind", "games", "pairs", "first-to", "sprt", "rounds", "gauntlet", "rules", "ramp"),
    *("pieces", "lead", "double", "seed", "openings", "nodes", "ms", "bank", "increment", "pps"),
    *("restart", "real-time", "wall", "nps", "replays"),
)
VALUES = (
    *("0", "1", "2", "-1", "9" * 30, "1.5", "nan", "inf", "-inf", "true", '""', '"swiss"', "[]"),
    *('"match"', '"knockout"', '"gauntlet"', '"game"', '"never"', '"attack"', '"guideline"'),
    *("{elo0=0,elo1=5}", "{elo0=5,elo1=0}", "{elo0=nan,elo1=1}", "{}", '"\\u0000"', '"x.toml"'),
)


@given(st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES)), max_size=5))
@examples(200)
def test_any_keys_and_values(pairs: list[tuple[str, str]]) -> None:
    lines = [f"{key} = {value}" for key, value in dict(pairs).items()]
    lines += ["[[engine]]", 'bot = "random"', "[[engine]]", 'bot = "beam"', "nodes = 5"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.toml"
        path.write_text("\n".join(lines))
        refused = ""
        header: TournamentHeader | None
        try:
            header = read_tournament_config(path)
        except InputError as error:
            refused = str(error)
            header = None
    if header is None:
        assert refused.startswith(folder)
        return
    # What is accepted can be written, read again, and played.
    again = msgspec.json.decode(msgspec.json.encode(header), type=TournamentHeader)
    assert len(again.engines) == 2
    assert again == header
    assert again.parse_openings() == header.parse_openings()


@given(st.binary(max_size=200))
@examples(100)
def test_any_bytes(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        for read in (read_tournament_config, lambda path: read_openings(path, RULES)):
            refused = str(path)
            try:
                read(path)
            except InputError as error:
                refused = str(error)
            assert refused.startswith(str(path))


@given(st.text(alphabet="0123456789 \n#@v15gABe", max_size=60))
@examples(200)
def test_any_book(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "book"
        path.write_text(text)
        try:
            starts = read_openings(path, RULES)
        except InputError:
            return
    assert starts
    assert all(start.seed is not None or start.fumen is not None for start in starts)
