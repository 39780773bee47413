"""Exceptions of sevenbag.

All derive from `SevenbagError`; those for invalid arguments, texts and files derive from
`InputError`, which is a ValueError.
"""


class SevenbagError(Exception):
    """Base class of all errors that sevenbag raises."""

    def __reduce__(self) -> tuple[object, ...]:
        # By default, exceptions with additional arguments cannot be unpickled.
        return _revived, (type(self), self.args), self.__dict__ or None


class InputError(SevenbagError, ValueError):
    """An argument, text or file is invalid."""


class PieceError(InputError):
    """The piece is unknown."""


class BoardError(InputError):
    """A board has the wrong size or shape, or a cell is outside of it."""


class KicksError(InputError):
    """The rotation system is unknown or invalid."""


class RulesError(InputError):
    """The preset is unknown, or a rule is out of range."""


class PlacementError(InputError):
    """A placement does not fit or cannot be reached."""


class QueueError(InputError):
    """A queue is too short or too long."""


class PatternError(InputError):
    """A pattern of queues is invalid."""


class SpecError(InputError):
    """A bot specification is invalid."""


class SettingsError(InputError):
    """Invalid setting, or unreadable settings file.

    Attributes:
        errors: messages by name of the field, if the settings came from a form.
    """

    def __init__(self, message: str, errors: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.errors = errors or {}


class FormatError(InputError):
    """A file is invalid or cannot be read or written."""


class FumenError(FormatError):
    """A fumen is invalid or cannot be encoded.

    Attributes:
        code: name of the error in the tools of the format, such as ``EndOfData``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class PcFileError(FormatError):
    """A .pc file is invalid, or a solution cannot be encoded.

    Attributes:
        code: name of the error in the tools of the format, such as ``EndOfStream``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class NetworkError(FormatError):
    """A network cannot be read, written or evaluated.

    Attributes:
        path: location in the file, such as ``genome.genes[3].weight``; empty for the whole file.
        code: ``InvalidNetwork``, for tools that name errors.
    """

    code = "InvalidNetwork"

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class SearchStoppedError(SevenbagError):
    """A search reached its limit without an answer."""


class MissingExtraError(SevenbagError, ImportError):
    """An optional dependency is not installed; the message says how to install it."""


class ScarceMemoryError(SevenbagError, MemoryError):
    """There is not enough memory."""


class JobError(SevenbagError):
    """Work in other processes failed."""


class LostWorkersError(JobError):
    """Workers ended repeatedly, during the same job or before the first one.

    Attributes:
        job: number of the job, from 0; None before the first one.
    """

    def __init__(self, message: str, job: int | None = None) -> None:
        super().__init__(message)
        self.job = job


class ClusterError(JobError):
    """A cluster cannot be reached or used."""


class StoreError(SevenbagError):
    """A contest's store failed."""


class StoreUrlError(StoreError, InputError):
    """The URL of a store is invalid."""


class StoreUnreachableError(StoreError):
    """A store cannot be opened, read or written: no such folder or server, or no space."""


class StoreLockedError(StoreError):
    """Another process has locked the store for too long."""


class StoreVersionError(StoreError):
    """The database is of a newer sevenbag, or of another program."""


class StoreCorruptError(StoreError):
    """The file of a store is damaged, or is not a database."""


class UnknownEntryError(StoreError):
    """The store has no such team, match or contest."""


class NameTakenError(StoreError):
    """The name is used by another entry."""


class MatchRejectedError(SevenbagError):
    """A game server rejects a match, or has no match with that token."""


class ServerDismissedError(SevenbagError):
    """The scheduler dismissed a game server; the message has the reason."""


class SchedulerError(SevenbagError):
    """A contest's scheduler cannot do this now; the message is for users."""


class ContestError(SevenbagError):
    """A match of a contest cannot be played or continued."""


class CommandRejectedError(ContestError):
    """The server of a contest rejected a command.

    Attributes:
        error: kind of error as sent by the server, such as ``wrong password``.
    """

    def __init__(self, error: str, message: str) -> None:
        super().__init__(f"the server refuses: {shown(error)[1:-1]}: {shown(message, 200)[1:-1]}")
        self.error = error


class ServerUnreachableError(ContestError):
    """The server of a contest does not answer; the message says for how long."""


class ProtocolError(SevenbagError, ValueError):
    """A message of a bot or client is invalid.

    Attributes:
        path: location in the message, such as ``move.location.x``; empty for the whole message.
        kind: type of the message; empty if unknown.
    """

    def __init__(self, message: str, path: str = "", kind: str = "") -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path
        self.kind = kind


class BotError(SevenbagError):
    """A bot failed.

    Attributes:
        bot: name of the bot in the match.
        reason: the message without the bot's name.
    """

    def __init__(self, bot: str, message: str) -> None:
        super().__init__(f"{bot}: {message}")
        self.bot = bot
        self.reason = message


class BotStartError(BotError):
    """The bot cannot be started, or rejects the rules."""


class BotTimeoutError(BotError):
    """The bot did not answer in time."""


class BotDiedError(BotError):
    """The bot exited or closed its output."""


class BotProtocolError(BotError):
    """The bot sent an invalid answer."""


class BotForfeitError(BotError):
    """The bot reported that it cannot play, or its profile accepts none of its moves."""


def expect_type(
    what: str,
    value: object,
    wanted: type | tuple[type, ...],
    name: str,
    error: type[InputError] = InputError,
) -> None:
    """Check the type of an argument; `what` and `name` describe it and the type in the error."""
    if not isinstance(value, wanted):
        raise error(f"invalid {what}: expected {name}, got {shown(value)}")


def check_integer(name: str, value: object, maximum: int, minimum: int = 0) -> None:
    """Raise a RulesError unless a value is an integer from `minimum` to `maximum`."""
    if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= maximum:
        raise RulesError(
            f"invalid {name}: expected integer from {minimum} to {maximum}, got {shown(value)}"
        )


def shown(value: object, longest: int = 60) -> str:
    """Quote a value for a message, in one line of limited length."""
    if isinstance(value, str | bytes):
        # Truncate before quoting, not after.
        return repr(value) if len(value) <= longest else f"{value[:longest]!r}..."
    try:
        text = repr(value)
    except ValueError:
        # Python does not format integers of more than some thousand digits.
        return "a number with too many digits"
    return text if len(text) <= longest else text[:longest] + "..."


def printable(text: str) -> str:
    """Replace unprintable characters in untrusted text by question marks.

    These are control characters, line breaks, bidi overrides, invisible characters and lone
    surrogates: a terminal may interpret them, and pages and pictures cannot contain all of them.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _revived(kind: type[SevenbagError], args: tuple[object, ...]) -> SevenbagError:
    return BaseException.__new__(kind, *args)
