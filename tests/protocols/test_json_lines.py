"""Lines out of a stream of bytes, however it is cut."""

from hypothesis import given
from hypothesis import strategies as st

from sevenbag.protocols.json_lines import LineSplitter


def split(chunks: list[bytes], longest: int = 100) -> list[bytes | None]:
    splitter = LineSplitter(longest)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    return [*lines, *splitter.finish()]


@given(st.lists(st.binary(max_size=20)))
def test_the_cuts_make_no_difference(chunks: list[bytes]) -> None:
    whole = b"".join(chunks)
    lines = whole.split(b"\n")
    if not lines[-1]:
        lines.pop()
    ends = len(whole) if whole.endswith(b"\n") or not whole else len(whole) + 1
    assert ends >= len(whole)
    assert split(chunks, 10_000) == [line.removesuffix(b"\r") for line in lines]


def test_long_lines_are_reported_once_and_skipped() -> None:
    assert split([b"x" * 101, b"x" * 5000, b"more\nshort\n"]) == [None, b"short"]
    assert split([b"x" * 101 + b"\n", b"short"]) == [None, b"short"]
    assert split([b"x" * 100 + b"\n"]) == [b"x" * 100]


def test_endless_line_is_reported_early() -> None:
    splitter = LineSplitter(100)
    assert splitter.feed(b"x" * 90) == []
    assert splitter.feed(b"x" * 90) == [None]
    assert splitter.feed(b"x" * 90) == []
    assert splitter.pending_bytes == 0
