"""Fumen, the field's format for boards, pieces and comments in a link. docs/fumen.md describes it.

::

    Fumen    pages, and the link around them: Fumen.parse(text), fumen.encode()
    Page     a field, perhaps a piece, a comment, and what is done when the page is left
    Field    23 rows of coloured cells, and the garbage row
    Quiz     the pieces of a comment such as ``#Q=[H](C)NEXT``
    View     edit, list or view: the letter in front of the version

What cannot be read or written is a `sevenbag.errors.FumenError`.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from sevenbag.errors import FumenError, shown
from sevenbag.formats.fumen_codec import MAX_PAGES, ROWS_OF, PageReader, write_pages
from sevenbag.formats.fumen_page import MARK, Field, Page, Quiz, create_pages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Placement

__all__ = [
    "MAX_CHARACTERS",
    "MAX_PAGES",
    "VERSIONS",
    "Field",
    "Fumen",
    "FumenView",
    "Page",
    "Quiz",
]

MAX_CHARACTERS: Final = 1_000_000
"""The longest text that is read."""

VERSIONS: Final = tuple(ROWS_OF)
"""The versions that are read; 115 is the one that is written."""

# An editor folds long data: the first fold leaves room for "v115@".
_FOLD: Final = 47

_FIRST_FOLD: Final = 42


class FumenView(enum.StrEnum):
    """How an editor shows a fumen: the letter in front of its version."""

    EDIT = "v"
    LIST = "D"
    VIEW = "m"


_VIEWS: Final = {"v": FumenView.EDIT, "d": FumenView.LIST, "D": FumenView.LIST, "m": FumenView.VIEW}


@dataclass(frozen=True, slots=True)
class _Source:
    """The digits that pages were read from, so that they can be kept where pages are appended."""

    pages: tuple[Page, ...]
    digits: str
    repeats: int


@dataclass(frozen=True, slots=True)
class Fumen:
    """Pages, and the link around them.

    Attributes:
        pages: at least one.
        view: the letter in front of the version.
        before: what stands in front of that letter, such as ``https://fumen.zui.jp/?``.
        after: what follows the data, from its ``#`` or ``&`` on.
    """

    pages: tuple[Page, ...]
    view: FumenView = FumenView.EDIT
    before: str = ""
    after: str = ""
    _source: _Source | None = field(default=None, repr=False, compare=False)

    @staticmethod
    def parse(text: str, versions: Sequence[int] = VERSIONS) -> Fumen:
        """Read a fumen, alone or in a link; the last one counts.

        Args:
            text: up to `MAX_CHARACTERS`; surrounding blanks are left out.
            versions: which versions to read.

        Raises:
            FumenError: `FumenError.code` names what is wrong.
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
        data, after = _split(text[at + len(mark) :])
        reader = PageReader(data, version)
        pages = tuple(reader)
        if not pages:
            raise FumenError("EndOfData", "there is no page in it")
        return Fumen(
            pages,
            view or FumenView.EDIT,
            text[: at - 1] if view else text[:at],
            after,
            _Source(pages, reader.text, reader.repeats) if version == VERSIONS[0] else None,
        )

    @property
    def final_field(self) -> Field:
        """The field that the last page leaves."""
        return self.pages[-1].resulting_field

    def read_quiz(self) -> Quiz:
        """The quiz as the last page leaves it; empty if its comment is none.

        Every page is held to its quiz: a piece that is locked must be the current or the held one.

        Raises:
            FumenError: (``InvalidQuizCaption``, ``InvalidPieceLetter``, ``InvalidQuizPiece``) a
                comment begins like a quiz and is none, or a piece is not in it.
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
        """A new fumen in the same link: from the last page's field and quiz on, a page a placement.

        What follows the data in the link is left out, as it may belong to the old pages.

        Args:
            placements: at least one; full rows of the field are removed before the first.

        Raises:
            FumenError: as `quiz` does; a placement does not fit.
        """
        comment = str(self.read_quiz()) if self.pages[-1].comment.startswith(MARK) else ""
        first = Page(self.final_field.without_full_rows(), placements[0], comment, color=True)
        pages = (first, *create_pages(first, placements[1:]))
        return Fumen(pages, self.view, self.before)

    def with_placements(self, placements: Sequence[Placement]) -> Fumen:
        """The same fumen with a further page for each placement.

        Args:
            placements: at least one; full rows of the field are removed before the first.

        Raises:
            FumenError: a placement does not fit.
        """
        last = self.pages[-1]
        first = replace(last.create_next(placements[0]), field=self.final_field.without_full_rows())
        pages = (*self.pages, first, *create_pages(first, placements[1:]))
        digits = self._appended(pages)
        source = _Source(pages, digits, 0) if digits is not None else None
        return replace(self, pages=pages, _source=source)

    def encode(self, *, fold: bool = False) -> str:
        """The text of the fumen with its link.

        Pages that were read and not replaced keep their digits.

        Args:
            fold: a ``?`` in every line's length of digits, as editors write it.

        Raises:
            FumenError: a comment is too long, a piece does not fit, there are too many pages.
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

    # --- private --------------------------------------------------------------------------------

    def _kept(self) -> _Source | None:
        source = self._source
        return source if source is not None and source.pages is self.pages else None

    def _appended(self, pages: tuple[Page, ...]) -> str | None:
        kept = self._kept()
        if kept is None:
            return None
        more = write_pages(pages[len(self.pages) :], self.pages[-1], kept.repeats)
        return kept.digits + more if more is not None else None


def _split(text: str) -> tuple[str, str]:
    """Data, and what follows it in a link."""
    end = min((at for at in (text.find("#"), text.find("&")) if at >= 0), default=len(text))
    return text[:end], text[end:]


def _expect_text(text: object) -> None:
    if not isinstance(text, str):
        what = f"invalid fumen: expected a string, got {shown(text)}"
        raise FumenError("UnsupportedFumenVersion", what)
