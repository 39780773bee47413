"""Fumen, the field's format for boards, pieces and comments in a link. docs/fumen.md describes it.

::

    Fumen    pages, and the link around them: Fumen.parse(text), fumen.encode()
    Page     a field, perhaps a piece, a comment, and what is done when the page is left
    Field    23 rows of coloured cells, and the garbage row
    Quiz     the pieces of a comment such as ``#Q=[H](C)NEXT``
    View     edit, list or view: the letter in front of the version

What cannot be read or written is a `sevenbag.errors.FumenError`.
"""

from sevenbag.formats.fumen.codec import MAX_PAGES
from sevenbag.formats.fumen.document import MAX_CHARACTERS, VERSIONS, Fumen, View
from sevenbag.formats.fumen.field import Field
from sevenbag.formats.fumen.page import Page
from sevenbag.formats.fumen.quiz import Quiz

__all__ = [
    "MAX_CHARACTERS",
    "MAX_PAGES",
    "VERSIONS",
    "Field",
    "Fumen",
    "Page",
    "Quiz",
    "View",
]
