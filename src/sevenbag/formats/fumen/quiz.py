"""The quiz of a comment, ``#Q=[H](C)NEXT``: held, current and next pieces, and how they advance.

Two readers have different needs. Whoever plays on wants an exact quiz or a named error: `Quiz`.
Whoever reads a page only wants to know which comment the next page has if it brings none of its
own, and a comment that is no quiz is simply a comment: `carried`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Piece
from sevenbag.errors import FumenError

if TYPE_CHECKING:
    from sevenbag._kernel import Placement

MARK: Final = "#Q="

_CAPTION: Final = re.compile(r"#Q=\[(.?)\]\((.?)\)(.*)", re.DOTALL)
# What editors take for a quiz: blanks between the letters, and more text behind a semicolon.
_LOOSE: Final = re.compile(r"#Q=\[([IOTLJSZ]?)\]\(([IOTLJSZ]?)\)([IOTLJSZ]*)(?:;(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Quiz:
    """Pieces to play.

    Attributes:
        hold: the held piece; None for none.
        current: the piece to play; None only if nothing comes after it.
        queue: what comes next.
    """

    hold: Piece | None = None
    current: Piece | None = None
    queue: tuple[Piece, ...] = ()

    @staticmethod
    def parse(comment: str) -> Quiz:
        """The quiz of a comment; an empty ``()`` takes the first of the next pieces.

        Raises:
            FumenError: (``NotQuiz``, ``InvalidQuizCaption``, ``InvalidPieceLetter``) it is none.
        """
        if not comment.startswith(MARK):
            raise FumenError("NotQuiz", f"the comment is no quiz: it does not begin with {MARK}")
        found = _CAPTION.fullmatch(comment)
        if found is None:
            raise FumenError(
                "InvalidQuizCaption", f"a quiz looks like #Q=[H](C)NEXT, not {_shown(comment)}"
            )
        hold, current, queue = found.groups()
        return Quiz(
            _piece(hold) if hold else None,
            _piece(current) if current else None,
            tuple(map(_piece, queue)),
        )._shifted()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All pieces, in the order of the solver: current, held, next; without what is missing."""
        first = [piece for piece in (self.current, self.hold) if piece is not None]
        return (*first, *self.queue)

    def played(self, piece: Piece) -> Quiz:
        """The quiz after a piece, which is the current one or comes out of the hold.

        Raises:
            FumenError: (``InvalidQuizPiece``) the quiz does not have it there.
        """
        quiz = self if piece is self.current else self._held()
        if piece is not quiz.current:
            raise FumenError("InvalidQuizPiece", f"{piece.name} is played, but the quiz is {self}")
        return Quiz(quiz.hold, None, quiz.queue)._shifted()

    def __str__(self) -> str:
        hold, current = (
            piece.name if piece is not None else "" for piece in (self.hold, self.current)
        )
        return f"{MARK}[{hold}]({current}){''.join(piece.name for piece in self.queue)}"

    # --- private --------------------------------------------------------------------------------

    def _shifted(self) -> Quiz:
        if self.current is not None or not self.queue:
            return self
        return Quiz(self.hold, self.queue[0], self.queue[1:])

    def _held(self) -> Quiz:
        """Hold used: the current piece goes in, what was held comes out."""
        if self.hold is not None or not self.queue:
            return Quiz(self.current, self.hold, self.queue)
        return Quiz(self.current, self.queue[0], self.queue[1:])


def carried(comment: str, placement: Placement | None, *, lock: bool) -> str:
    """The comment of the next page, if that brings none of its own.

    A quiz advances by a piece that is locked; one that is used up leaves what stands behind its
    semicolon, which may be the next quiz. A piece that the quiz does not have leaves it as it is.
    The rules are those of the editors, tetris-fumen's in particular.
    """
    state = _loose(comment)
    if state is None:
        return comment
    if lock and placement is not None:
        state = _loosely_played(state, placement.piece.name)
    return _loosely_written(state)


# --- helpers ------------------------------------------------------------------------------------

# Hold, current, next, and what stands behind the semicolon (None if there is none): letters, as a
# quiz that only has to be carried on needs no pieces.
_Loose = tuple[str, str, str, str | None]


def _loose(comment: str) -> _Loose | None:
    """The state of a comment that editors take for a quiz; a used-up one passes on to the next."""
    if not comment.startswith(MARK):
        return None
    found = _LOOSE.fullmatch(re.sub(r"\s+", "", comment))
    if found is None:
        return None
    hold, current, queue, rest = found.groups()
    if rest is not None and not (hold or current or queue):
        following = _loose(rest)
        if following is not None:
            return following
    return hold, current, queue, rest


def _loosely_played(state: _Loose, letter: str) -> _Loose:
    hold, current, queue, rest = state
    if letter == current:
        return hold, queue[:1], queue[1:], rest
    if letter == hold:
        return current, queue[:1], queue[1:], rest
    if letter == queue[:1] and not hold:
        return current, queue[1:2], queue[2:], rest
    if letter == queue[:1] and not current:
        return hold, queue[1:2], queue[2:], rest
    return state


def _loosely_written(state: _Loose) -> str:
    hold, current, queue, rest = state
    if not current and hold:
        hold, current = "", hold
    elif not current:
        current, queue = queue[:1], queue[1:]
    if not current:
        return rest or ""
    return f"{MARK}[{hold}]({current}){queue}" + (f";{rest}" if rest is not None else "")


def _piece(letter: str) -> Piece:
    if letter not in Piece.__members__:
        raise FumenError(
            "InvalidPieceLetter",
            f"{_shown(letter)} in the quiz is no piece; they are IOTLJSZ, in capitals",
        )
    return Piece[letter]


def _shown(text: str) -> str:
    return ascii(text if len(text) <= 40 else text[:39] + "...")
