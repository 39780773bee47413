"""The examples in docs/tbp.md."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

from sevenbag.protocols.tbp import decode

DOCS = Path(__file__).parents[3] / "docs" / "tbp.md"


def test_examples_run() -> None:
    failed, tried = doctest.testfile(str(DOCS), module_relative=False)
    assert tried >= 3
    assert failed == 0


def test_the_exchange_consists_of_messages() -> None:
    text = DOCS.read_text(encoding="utf-8").replace(",\n   ", ",")
    text = text.replace("[ 40 rows ]", json.dumps([[None] * 10] * 40))
    messages = [decode(line) for line in re.findall(r"^[←→] (.*)$", text, re.MULTILINE)]
    assert len(messages) == 8
    assert None not in messages
