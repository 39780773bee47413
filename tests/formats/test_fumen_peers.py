"""Random fields and pages, written here and read elsewhere, and the other way round."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sevenbag import Placement, Rotation
from sevenbag.formats.fumen import Field, Fumen, Page
from tests.formats.fumen_peers import PyFumen, TetrisFumen, to_digits
from tests.properties import examples

LETTERS = ".ILOZTJSG"

EXAMPLES = examples(150)

rows = st.one_of(
    st.just("." * 10),
    st.text(LETTERS, min_size=10, max_size=10),
    st.sampled_from(["GGGGGGGGGG", "GGGG.GGGGG", "IIII......"]),
)
fields = st.builds(Field.from_rows, st.lists(rows, max_size=23), st.one_of(st.just("." * 10), rows))


def placements_of(letters: str) -> st.SearchStrategy[Placement]:
    """Anywhere."""
    pieces = st.sampled_from(letters)
    return st.builds(
        Placement, pieces, st.sampled_from(Rotation), st.integers(0, 9), st.integers(0, 21)
    )


quizzes = st.builds(
    "#Q=[{}]({}){}{}".format,
    st.sampled_from(["", *"IOTLJSZ"]),
    st.sampled_from("IOTLJSZ"),
    st.text("IOTLJSZ", max_size=8),
    st.sampled_from(["", ";", ";later", ";#Q=[T](I)OS"]),
)
# Plane 0 without surrogates, and without beginnings of a quiz: input on which all three agree.
texts = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=30).filter(
    lambda text: not text.startswith("#Q=")
)


@st.composite
def page_lists(draw: st.DrawFn, *, rise: bool = True, loose_ends: bool = True) -> list[Page]:
    """Pages that follow one another, or do not.

    Args:
        draw: as Hypothesis gives it.
        rise: whether the garbage row may rise.
        loose_ends: whether a quiz may be played to its end, or against its pieces.
    """
    pages: list[Page] = []
    for number in range(draw(st.integers(1, 7))):
        page = pages[-1].create_next() if pages else Page(draw(fields), color=True)
        if number and draw(st.integers(0, 2)) == 0:
            page = replace(page, field=draw(fields))
        if draw(st.booleans()):
            comment = draw(st.one_of(st.just(""), texts, quizzes))
            if not (comment.startswith("#Q=") and not loose_ends and comment.count(";")):
                page = replace(page, comment=comment)
        page = replace(
            page,
            lock=draw(st.booleans()),
            rise=rise and draw(st.booleans()),
            mirror=draw(st.booleans()),
            color=draw(st.booleans()),
        )
        placement = draw(st.none() | placements_of(near_letters(page.comment)))
        if placement is not None and placement.cells[-1][1] < 23:
            fits = page.field.fits if page.lock else Field.has_room_for
            page = replace(page, placement=placement if fits(placement) else None)
        if not loose_ends and page.comment.startswith("#Q="):
            page = within_quiz(page)
        pages.append(page)
    return pages


def near_letters(comment: str) -> str:
    """Pieces that a quiz has at hand, so that it is mostly followed; or else all pieces."""
    at_hand = re.match(r"#Q=\[(.?)\]\((.?)\)(\w?)", comment)
    return ("".join(at_hand.groups()) if at_hand else "") or "IOTLJSZ"


def within_quiz(page: Page) -> Page:
    """The page with no piece but the quiz's current one, and that only while others follow."""
    current, queue = page.comment[page.comment.index("(") + 1], page.comment.split(")")[1]
    if page.placement is None or (page.placement.piece.name == current and queue):
        return page
    return replace(page, placement=None)


@pytest.fixture(name="tetris_fumen", scope="module")
def tetris_fumen_process() -> Iterator[TetrisFumen]:
    peer = TetrisFumen()
    yield peer
    peer.close()


@pytest.mark.peers
@EXAMPLES
@given(pages=page_lists())
def test_tetris_fumen_reads_what_we_write(tetris_fumen: TetrisFumen, pages: list[Page]) -> None:
    assert tetris_fumen.read(Fumen(tuple(pages)).encode()) == pages


@pytest.mark.peers
@EXAMPLES
@given(pages=page_lists())
def test_we_read_what_tetris_fumen_writes(tetris_fumen: TetrisFumen, pages: list[Page]) -> None:
    assert list(Fumen.parse(tetris_fumen.write(pages)).pages) == pages


@pytest.mark.peers
@EXAMPLES
@given(pages=page_lists())
def test_output_matches_tetris_fumen(tetris_fumen: TetrisFumen, pages: list[Page]) -> None:
    assert Fumen(tuple(pages)).encode(fold=True) == tetris_fumen.write(pages)


@pytest.mark.peers
@EXAMPLES
@given(cells=st.lists(st.integers(0, 8), min_size=220, max_size=220), action=st.integers(0, 7039))
def test_version_110_reads_the_same(
    tetris_fumen: TetrisFumen, cells: list[int], action: int
) -> None:
    # An obsolete form: a run for each cell, and only the flag against locking.
    loose = 16 * 8 * 4 * 220
    numbers = [((cell + 8) * 220, 2) for cell in cells] + [(action + loose, 3)]
    text = "v110@" + "".join(to_digits(value, count) for value, count in numbers)
    theirs = tetris_fumen.read(text)
    assert theirs == PyFumen().read(text)
    # They read pieces that stick out of the field, too.
    assume(all(Field.has_room_for(page.placement) for page in theirs if page.placement))
    assert list(Fumen.parse(text).pages) == theirs


# py-fumen-py cannot let garbage rise, and ends quizzes in its own way.
@EXAMPLES
@given(pages=page_lists(rise=False, loose_ends=False))
def test_py_fumen_reads_what_we_write(pages: list[Page]) -> None:
    assert PyFumen().read(Fumen(tuple(pages)).encode()) == pages


@EXAMPLES
@given(pages=page_lists(rise=False, loose_ends=False))
def test_we_read_what_py_fumen_writes(pages: list[Page]) -> None:
    assert list(Fumen.parse(PyFumen().write(pages)).pages) == pages
