"""Fumens: texts that other programs wrote, links, errors by name, limits."""

from dataclasses import replace

import pytest

from sevenbag import Board, Piece, Placement, Rotation
from sevenbag.drawing import COLORS
from sevenbag.errors import FumenError
from sevenbag.formats.fumen import MAX_PAGES, Field, Fumen, FumenView, Page
from tests.formats.fumen_peers import to_digits

EMPTY_QUIZ = "vhAAgWeAFLDmClcJSAVDEHBEooRBMoAVBzeNFDK3jPCJHBAA"

# Perfect clears as perfect-tetris 1.3.2 prints them: text, link in front, view, behind, pieces.
SOLUTIONS = [
    "m115@vhASSYeAFLDmClcJSAVDEHBEooRBMoAVBzeNFDK3jPCJHBAAvhKXoBxiBFnB0rBTpB3lB2vBxqBTpB",
    "m115@9gE8EeF8DeG8CeF8NexHYZAFLDmClcJSAVDVSAVG88AYe88A5szPCvAAAAvhEFtBUsBGtB",
    "m115@9gE8EeF8DeG8CeF8Ne1RYZAFLDmClcJSAVDVSAVG88AYe88A5szPCvAAAAvhEvtBUsBGtB",
    "m115@vhATJYYAFLDmClcJSAVDEHBEooRBPoAVBJO1LCvhFxvBxxBxvBxxB",
    "m115@vhATJYZAFLDmClcJSAVjiSAVG88A4N88A5N1LCpAAAAvhFxvBxxBxvBxxB",
    "m115@vhATJYZAFLDmClcJSAVDEHBEooRBPoAVBJO1LC0AAAAvhFxvBxxBxvBxxB",
    "m115@vhATJYcAFLDmClcJSAVDEHBEooRBPoAVBJO1LCJO1LCvhFxvBxxBxvBxxB",
    "m115@vhATJYhAFLDmClcJSAVDEHBEooRBPoAVBJO1LCsvjFDUX9VCqAAAAvhKxkBxfBxvBxqBihBvtBGjBksBFsB",
]


@pytest.mark.parametrize("text", SOLUTIONS)
def test_solutions_clear_the_field_with_the_pieces_of_their_quiz(text: str) -> None:
    fumen = Fumen.parse(text)
    board = fumen.pages[0].field.board()
    queue = list(fumen.pages[0].comment)
    fumen.read_quiz()  # every piece is the current or the held one
    for page in fumen.pages:
        assert page.lock
        assert page.placement is not None
        assert page.field.board() == board
        assert board.is_resting(page.placement)
        board.lock(page.placement)
        assert queue.count(page.placement.piece.name) > 0
    assert board.is_empty
    assert fumen.final_field == Field()


@pytest.mark.parametrize("text", SOLUTIONS)
def test_solution_round_trip(text: str) -> None:
    fumen = Fumen.parse(text)
    placements = [page.placement for page in fumen.pages if page.placement is not None]
    first = replace(fumen.pages[0], placement=None, lock=False)
    rebuilt = Fumen((first,), fumen.view, fumen.before).with_solution(placements)
    assert rebuilt == fumen


@pytest.mark.parametrize(
    ("data", "comment", "pieces"),
    [
        (EMPTY_QUIZ, "#Q=[](L)STIZJOSJIO", "LSTIZJOSJIO"),
        ("9gE8EeF8DeG8CeF8NeAgWZAFLDmClcJSAVDVSAVG88AYe88A5szPCvAAAA", "#Q=[I](T)SZJO", "TISZJO"),
        ("vhAAgWYAFLDmClcJSAVDEHBEooRBPoAVBJO1LC", "#Q=[](O)IIII", "OIIII"),
        ("vhAAgWYAFLDmClcJSAVjiSAVG88A4N88A5N1LC", "#Q=[O](I)III", "IOIII"),
        ("vhAAgWZAFLDmClcJSAVjiSAVG88A4N88A5N1LCpAAAA", "#Q=[O](I)IIII", "IOIIII"),
        ("vhAAgWZAFLDmClcJSAVDEHBEooRBPoAVBJO1LC0AAAA", "#Q=[](O)IIIIT", "OIIIIT"),
    ],
)
def test_quizzes(data: str, comment: str, pieces: str) -> None:
    fumen = Fumen.parse(f"v115@{data}")
    assert fumen.pages[0].comment == comment
    assert "".join(piece.name for piece in fumen.read_quiz().pieces) == pieces
    assert str(fumen.read_quiz()) == comment


def test_fields() -> None:
    pco = Fumen.parse("v115@9gE8DeG8CeH8BeG8CeA8JeAgH")
    assert str(pco.final_field) == "GGGGG....G\nGGGGGG...G\nGGGGGGG..G\nGGGGGG...G"
    full_row = Fumen.parse("v115@bhJ8JeAgWcAFLDmClcJSAVDEHBEooRBPoAVBJO1LCJO1LC")
    assert full_row.pages[0].field.height == 1
    assert full_row.final_field == Field(), "the full row goes as the page is left"


def test_link_is_preserved() -> None:
    text = f"https://harddrop.com/fumen/?v115@{EMPTY_QUIZ}#english.js"
    fumen = Fumen.parse(f"  {text}\n")
    before = "https://harddrop.com/fumen/?"
    assert (fumen.before, fumen.view, fumen.after) == (before, FumenView.EDIT, "#english.js")
    assert fumen.encode() == text
    assert replace(fumen, view=FumenView.LIST).encode() == text.replace("v115", "D115")
    solved = fumen.with_solution([Placement("L", Rotation.NORTH, 1, 0)])
    assert solved.encode().startswith(f"{before}v115@vhA")
    assert "#" not in solved.encode()


def test_extended_fumen_keeps_its_pages() -> None:
    # tetris-fumen would write "vhB" for two unchanged pages.
    text = f"https://x/?v115@{EMPTY_QUIZ}vhAAgH#english.js"
    fumen = Fumen.parse(text)
    longer = fumen.with_placements([Placement("L", Rotation.NORTH, 1, 0)])
    assert longer.encode().startswith(text.removesuffix("#english.js") + "vhA")
    assert longer.encode().endswith("#english.js")
    assert Fumen.parse(longer.encode()) == longer


def test_repeats_are_kept_when_pages_are_added() -> None:
    # perfect-tetris promises one or two more unchanged fields than there are pages.
    fumen = Fumen.parse("v115@vhFxvBxxB")
    assert len(fumen.pages) == 2
    longer = fumen.with_placements([Placement("O", Rotation.NORTH, 7, y) for y in (2, 4, 6)])
    assert longer.encode().startswith("v115@vhFxvBxxB")
    assert not longer.encode().startswith("v115@vhFxvBxxBvh")
    assert Fumen.parse(longer.encode()) == longer
    cleared = replace(fumen.pages[-1], field=Field.from_rows(["GGGG......"]), placement=None)
    assert Fumen.parse(Fumen((*fumen.pages, cleared)).encode()).pages[-1] == cleared


@pytest.mark.parametrize(
    ("text", "before", "view"),
    [
        ("v115@vhAAgH", "", FumenView.EDIT),
        ("d115@vhAAgH", "", FumenView.LIST),
        ("D115@vhAAgH", "", FumenView.LIST),
        ("m115@vhAAgH", "", FumenView.VIEW),
        ("115@vhAAgH", "", FumenView.EDIT),
        ("x?115@vhAAgH", "x?", FumenView.EDIT),
        ("v115@vhBAgHAgH and m115@vh?A AgH&page=2", "v115@vhBAgHAgH and ", FumenView.VIEW),
    ],
)
def test_start_of_the_data(text: str, before: str, view: FumenView) -> None:
    fumen = Fumen.parse(text)
    assert (fumen.before, fumen.view, len(fumen.pages)) == (before, view, 1)


def test_folds_match_those_of_editors() -> None:
    pages = tuple(Page(comment="x" * 100 + str(number)) for number in range(2))
    lines = Fumen(pages).encode(fold=True).split("?")
    assert {len(line) for line in lines[:-1]} == {47}
    assert len(lines[-1]) <= 47
    assert Fumen.parse("?".join(lines)).pages == pages


def test_version_110_has_two_rows_less() -> None:
    # One run of 220 unchanged cells; then a T pointing up on the floor: row 21 from the top.
    same = to_digits(8 * 220 + 219, 2) + "A"
    action = to_digits(5 + 8 * (2 + 4 * (20 * 10 + 4)), 3)
    runs = to_digits(8 * 220 + 209, 2) + to_digits(16 * 220 + 9, 2)  # garbage row grey
    higher = to_digits(5 + 8 * (2 + 4 * (18 * 10 + 4)), 3)
    fumen = Fumen.parse(f"v110@{same}{action}{runs}{higher}")
    assert fumen.pages[0].placement == Placement("T", Rotation.NORTH, 4, 0)
    assert fumen.pages[1].field.garbage == "GGGGGGGGGG"
    assert fumen.pages[1].field.rows[:2] == ("...TTT....", "....T.....")
    assert Fumen.parse(fumen.encode()).pages == fumen.pages, "written as version 115"


def test_version_110_can_be_refused() -> None:
    with pytest.raises(FumenError, check=lambda error: error.code == "UnsupportedFumenVersion"):
        Fumen.parse("v110@vhAAgH", versions=(115,))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "UnsupportedFumenVersion"),
        ("v116@vhAAgH", "UnsupportedFumenVersion"),
        ("v115@", "EndOfData"),
        ("v115@#vhAAgH", "EndOfData"),
        ("v115@v", "EndOfData"),
        ("v115@vhAAg", "EndOfData"),
        ("v115@vhAAgWeAFLDmCl", "EndOfData"),
        ("v115@vh", "InvalidFieldRepeat"),
        ("v115@9gE8EeF8DeG8CeF8Pe", "InvalidFieldLength"),
        ("v115@AAuhAgH", "InvalidBlock"),  # 8 less than nothing
        ("v115@AAvhAAgH", "InvalidFieldLength"),
        ("v115@vhAAgWBA/////", "InvalidCaption"),
        ("v115@vhATvB", "InvalidPieceLocation"),  # an O in the last column
    ],
)
def test_errors_have_the_names_that_tools_print(text: str, code: str) -> None:
    with pytest.raises(FumenError, check=lambda error: error.code == code):
        Fumen.parse(text)


def test_a_piece_in_a_filled_cell_can_be_shown_but_not_locked() -> None:
    field = Field.from_rows(["GGGG......"])
    piece = Placement("O", Rotation.NORTH, 0, 0)
    shown = Fumen((Page(field, piece, lock=False),))
    assert Fumen.parse(shown.encode()) == shown
    with pytest.raises(
        FumenError, match="page 1", check=lambda error: error.code == "InvalidPieceLocation"
    ):
        Fumen((Page(field, piece),)).encode()


@pytest.mark.parametrize(("x", "y"), [(9, 0), (-1, 0), (3, -1), (3, 23)])
def test_a_piece_outside_cannot_be_written(x: int, y: int) -> None:
    page = Page(placement=Placement("O", Rotation.NORTH, x, y), lock=False)
    with pytest.raises(FumenError, check=lambda error: error.code == "InvalidPieceLocation"):
        Fumen((page,)).encode()


def test_a_piece_may_stick_out_of_the_top() -> None:
    page = Page(placement=Placement("T", Rotation.NORTH, 4, 22))
    fumen = Fumen((page,))
    assert Fumen.parse(fumen.encode()) == fumen
    assert fumen.final_field.rows[22] == "...TTT...."


@pytest.mark.parametrize("rows", [["GGG"], ["GGGGGGGGGX"], ["." * 10] * 24])
def test_rows_that_are_none(rows: list[str]) -> None:
    with pytest.raises(FumenError):
        Field.from_rows(rows)


def test_too_long_a_comment() -> None:
    assert Fumen.parse(Fumen((Page(comment="x" * 4095),)).encode()).pages[0].comment == "x" * 4095
    for comment in ("x" * 4096, "\N{SNOWMAN}" * 683):
        with pytest.raises(FumenError, check=lambda error: error.code == "InvalidCaption"):
            Fumen((Page(comment=comment),)).encode()


@pytest.mark.parametrize(
    "comment",
    ["100%", "%41", "%u2603", "\N{SNOWMAN}", "\N{GRINNING FACE}", "a\tb\nc", "é", "~", "x" * 7],
)
def test_comment_round_trip(comment: str) -> None:
    assert Fumen.parse(Fumen((Page(comment=comment),)).encode()).pages[0].comment == comment


@pytest.mark.parametrize(
    "text",
    [
        "v115@" + "A" * 999_990,
        "v115@" + "vhAAgH" * 100_000,
        "v115@" + "vh/" + "AgH" * 300_000,
        "x" * 2_000_000,
    ],
    ids=["cells", "pages", "repeats", "length"],
)
def test_huge_input_is_refused_at_once(text: str) -> None:
    with pytest.raises(FumenError):
        Fumen.parse(text)


def test_the_greatest_number_of_pages() -> None:
    fumen = Fumen((Page(),) * MAX_PAGES)
    assert len(Fumen.parse(fumen.encode()).pages) == MAX_PAGES
    with pytest.raises(FumenError, check=lambda error: error.code == "TooManyPages"):
        Fumen((Page(),) * (MAX_PAGES + 1)).encode()


def test_letters_are_those_of_pictures() -> None:
    assert set(Field.from_rows(["ILOZTJSG.."]).rows[0]) - {"."} <= set(COLORS)


def test_boards() -> None:
    board = Board.from_rows(["#########.", "##........"])
    field = Field.from_board(board)
    assert field.rows[:2] == ("GGGGGGGGG.", "GG........")
    assert field.board() == board
    assert field[0, 1] == "G"
    assert field[9, 0] == "."
    assert field[0, -1] == "."
    with pytest.raises(IndexError):
        field[10, 0]
    with pytest.raises(FumenError):
        Field.from_board(Board(width=8))
    with pytest.raises(FumenError):
        Field.from_board(Board.from_rows(["#........."] * 24))


def test_a_field_repeats_itself() -> None:
    field = Field.from_rows(["ILOZTJSG..", ".........I"], "G.........")
    assert eval(repr(field), {"Field": Field}) == field
    assert str(field) == ".........I\nILOZTJSG..\n----------\nG........."


def test_rising_and_mirroring() -> None:
    field = Field.from_rows(["L.........", *["........J."] * 22], "GGGG.GGGGG")
    left = Page(field, rise=True, mirror=True).resulting_field
    assert left.rows[:3] == ("GGGGG.GGGG", ".........L", ".J........")
    assert left.height == 23
    assert left.garbage == "." * 10
    assert Page(field, rise=True, mirror=True, lock=False).resulting_field == field


def test_a_full_garbage_row_is_not_removed() -> None:
    assert Page(Field.from_rows([], "GGGGGGGGGG")).resulting_field.garbage == "GGGGGGGGGG"


def test_pages_follow_one_another() -> None:
    first = Page(comment="#Q=[](O)IT")
    second = first.create_next(Placement("O", Rotation.NORTH, 0, 0))
    third = second.create_next(Placement("T", Rotation.NORTH, 4, 0))
    comments = [page.comment for page in (first, second, third)]
    assert comments == ["#Q=[](O)IT", "#Q=[](O)IT", "#Q=[](I)T"]
    assert third.create_next().comment == "#Q=[](I)"
    assert third.create_next().field.rows[:2] == ("OO.TTT....", "OO..T.....")
    assert Piece.T.name == third.create_next().field[4, 1]
