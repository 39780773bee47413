"""Inputs that once were findings, or lead far into a decoder: the corpus of `make fuzz`.

The kernel's part of the corpus is replayed by its own tests (``corpus_*``).
"""

from pathlib import Path

import pytest

from fuzz.decoders import TARGETS

FUZZ = Path(__file__).parents[2] / "fuzz"
INPUTS = [
    pytest.param(name, path, id=f"{name}-{path.name}")
    for name in TARGETS
    for path in sorted((FUZZ / "corpus" / name).iterdir())
]


@pytest.mark.parametrize(("target", "path"), INPUTS)
def test_an_input_is_read_or_refused(target: str, path: Path) -> None:
    TARGETS[target](path.read_bytes())


def test_each_folder_of_the_corpus_has_a_target() -> None:
    kernel = {path.stem for path in FUZZ.glob("*.cpp")} - {"driver", "generators"}
    folders = {path.name for path in (FUZZ / "corpus").iterdir()}
    assert folders == kernel | set(TARGETS)
