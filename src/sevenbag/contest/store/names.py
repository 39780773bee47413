"""Names and other words from outside, before they go into the store."""

from __future__ import annotations

import unicodedata
from typing import Final

from sevenbag.contest.store.tables import LARGEST_ID
from sevenbag.errors import InputError, NameTakenError, printable, shown

LONGEST_NAME: Final = 80
"""Characters of a name of a team, admin or contest."""
_LONGEST_HASH: Final = 400


def name_key(name: str) -> str:
    """What names are compared by: two teams that people cannot tell apart are one.

    >>> name_key("Stack  ATTACK") == name_key("stack attack")
    True
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def expect_other_than(name: str, ours: str) -> None:
    """See that a team does not take the name of our own player.

    Raises:
        NameTakenError: it does; that player would be its opponent in test matches.
    """
    if name_key(name) == name_key(ours):
        raise NameTakenError(f"{shown(ours)} is the name of our own player in test matches")


def is_name(name: str) -> bool:
    """Whether it can be a name at all: printable, with nothing around it, and not too long."""
    return (
        0 < len(name) <= LONGEST_NAME
        and name.isprintable()
        and name == name.strip()
        and _can_be_written(name)
    )


def checked_name(name: str, whose: str) -> str:
    """The name.

    Raises:
        InputError: it cannot be one.
    """
    if not is_name(name):
        raise InputError(
            f"{shown(name)} cannot be the name of {whose}: it is 1 to {LONGEST_NAME} printable "
            "characters without spaces at its ends"
        )
    return name


def checked_hash(password_hash: str) -> str:
    """The hash of a password; a password itself would not get by.

    Raises:
        InputError: it is no hash of argon2.
    """
    if not password_hash.startswith("$argon2") or len(password_hash) > _LONGEST_HASH:
        # Not shown: it may be the password.
        raise InputError("passwords are kept as argon2's hashes only")
    return password_hash


def cleaned(text: str, longest: int = 400) -> str:
    """Words of others that both databases take: in one line, and not longer than that."""
    return printable(text[:longest])


def is_id(number: int) -> bool:
    """Whether a row can have this number: databases refuse others."""
    return 0 < number <= LARGEST_ID


def _can_be_written(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
