"""Tests of the corpus of `make fuzz`: former findings, and inputs that reach deep into a decoder.

The kernel's own tests replay the kernel's part of the corpus (``corpus_*``).
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
def test_input_is_accepted_or_rejected(target: str, path: Path) -> None:
    TARGETS[target](path.read_bytes())


def test_every_folder_of_the_corpus_has_a_target() -> None:
    kernel = {path.stem for path in FUZZ.glob("*.cpp")} - {"driver", "generators"}
    folders = {path.name for path in (FUZZ / "corpus").iterdir()}
    assert folders == kernel | set(TARGETS)
