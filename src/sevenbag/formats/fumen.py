"""Fumen: boards, pieces and comments encoded in a link. docs/fumen.md describes the format."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from sevenbag.errors import FumenError, shown
from sevenbag.formats.fumen_codec import MAX_PAGES, ROWS_OF, PageReader, write_pages
from sevenbag.formats.fumen_page import MARK, Field, Page, Quiz, create_pages

if TYPE_CHECKING:
    from sevenbag._kernel import Placement

__all__ = ["MAX_CHARACTERS", "MAX_PAGES", "VERSIONS", "Field", "Fumen", "FumenView", "Page", "Quiz"]

MAX_CHARACTERS: Final = 1_000_000
"""Maximum length of a text."""

VERSIONS: Final = tuple(ROWS_OF)
"""Supported versions; `Fumen.encode` writes 115."""

# An editor folds long data: the first fold leaves room for "v115@".
_FOLD: Final = 47
_FIRST_FOLD: Final = 42


class FumenView(enum.StrEnum):
    """Mode of an editor for a fumen: the letter before its version."""

    EDIT = "v"
    LIST = "D"
    VIEW = "m"


_VIEWS: Final = {"v": FumenView.EDIT, "d": FumenView.LIST, "D": FumenView.LIST, "m": FumenView.VIEW}


@dataclass(frozen=True, slots=True)
class _Source:
    """Encoded text of parsed pages, reused when pages are appended."""

    pages: tuple[Page, ...]
    digits: str
    repeats: int


@dataclass(frozen=True, slots=True)
class Fumen:
    """Pages and their link.

    Attributes:
        pages: at least one page.
        view: letter before the version.
        before: text before that letter, such as ``https://fumen.zui.jp/?``.
        after: text after the data, from its ``#`` or ``&`` on.
    """

    pages: tuple[Page, ...]
    view: FumenView = FumenView.EDIT
    before: str = ""
    after: str = ""
    _source: _Source | None = field(default=None, repr=False, compare=False)

    @staticmethod
    def parse(text: str, versions: Sequence[int] = VERSIONS) -> Fumen:
        """Parse a fumen, alone or in a link; the last fumen of a text counts.

        Args:
            text: up to `MAX_CHARACTERS`; surrounding spaces are ignored.
            versions: accepted versions.

        Raises:
            FumenError: the text is invalid; see `FumenError.code`.
        """
        _expect_text(text)
        if len(text) > MAX_CHARACTERS:
            raise FumenError(
                "TooLong", f"{len(text)} characters, at most {MAX_CHARACTERS} are read"
            )
        text = text.strip()
        for version in versions:
            mark = f"{version}@"
            at = text.rfind(mark)
            if at >= 0:
                break
        else:
            wanted = " or ".join(f"{version}@" for version in versions)
            raise FumenError("UnsupportedFumenVersion", f"there is no {wanted} in it")
        letter = text[at - 1] if at else ""
        view = _VIEWS.get(letter)
        rest = text[at + len(mark) :]
        data = re.split("[#&]", rest, maxsplit=1)[0]
        reader = PageReader(data, version)
        pages = tuple(reader)
        if not pages:
            raise FumenError("EndOfData", "there is no page in it")
        return Fumen(
            pages,
            view or FumenView.EDIT,
            text[: at - 1] if view else text[:at],
            rest.removeprefix(data),
            _Source(pages, reader.text, reader.repeats) if version == VERSIONS[0] else None,
        )

    @property
    def final_field(self) -> Field:
        """Field after the last page."""
        return self.pages[-1].resulting_field

    def read_quiz(self) -> Quiz:
        """Return the quiz after the last page; empty if its comment is not a quiz.

        Every locked piece must be the current or the held piece of the quiz.

        Raises:
            FumenError: (``InvalidQuizCaption``, ``InvalidPieceLetter``, ``InvalidQuizPiece``) a
                quiz is invalid, or does not contain a piece.
        """
        quiz = Quiz()
        for number, page in enumerate(self.pages, 1):
            quiz = Quiz()
            if not page.comment.startswith(MARK):
                continue
            try:
                quiz = Quiz.parse(page.comment)
                if page.lock and page.placement is not None:
                    quiz = quiz.play(page.placement.piece)
            except FumenError as error:
                raise FumenError(error.code, f"page {number}: {error}") from None
        return quiz

    def with_solution(self, placements: Sequence[Placement]) -> Fumen:
        """Return a new fumen with a page per placement, from the last page's field and quiz.

        The part of the link after the data is omitted, as it may refer to the old pages.

        Args:
            placements: at least one; full rows of the field are removed before the first.

        Raises:
            FumenError: the quiz is invalid (see `read_quiz`), or a placement does not fit.
        """
        comment = str(self.read_quiz()) if self.pages[-1].comment.startswith(MARK) else ""
        first = Page(self.final_field.without_full_rows(), placements[0], comment, color=True)
        pages = (first, *create_pages(first, placements[1:]))
        return Fumen(pages, self.view, self.before)

    def with_placements(self, placements: Sequence[Placement]) -> Fumen:
        """Return the fumen with another page for each placement.

        Args:
            placements: at least one; full rows of the field are removed before the first.

        Raises:
            FumenError: a placement does not fit.
        """
        last = self.pages[-1]
        first = replace(last.create_next(placements[0]), field=self.final_field.without_full_rows())
        pages = (*self.pages, first, *create_pages(first, placements[1:]))
        kept, source = self._kept(), None
        if kept is not None:
            more = write_pages(pages[len(self.pages) :], last, kept.repeats)
            source = None if more is None else _Source(pages, kept.digits + more, 0)
        return replace(self, pages=pages, _source=source)

    def encode(self, *, fold: bool = False) -> str:
        """Return the fumen and its link as text.

        Parsed pages that were not replaced keep their digits.

        Args:
            fold: insert ``?`` at the line lengths that editors use.

        Raises:
            FumenError: a comment is too long, a piece does not fit, or there are too many pages.
        """
        kept = self._kept()
        digits = kept.digits if kept is not None else write_pages(self.pages)
        assert digits is not None, "nothing was promised"
        if fold and len(digits) > _FIRST_FOLD:
            lines = re.findall(f".{{1,{_FOLD}}}", digits[_FIRST_FOLD:])
            digits = "?".join([digits[:_FIRST_FOLD], *lines])
        return f"{self.before}{self.view}{VERSIONS[0]}@{digits}{self.after}"

    def __str__(self) -> str:
        return self.encode()

    def _kept(self) -> _Source | None:
        source = self._source
        return source if source is not None and source.pages is self.pages else None


def _expect_text(text: object) -> None:
    if not isinstance(text, str):
        what = f"invalid fumen: expected a string, got {shown(text)}"
        raise FumenError("UnsupportedFumenVersion", what)
