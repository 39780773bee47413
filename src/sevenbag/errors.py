"""Exceptions of sevenbag.

::

    SevenbagError
    ├── InputError (also a ValueError)   invalid input
    │   ├── PieceError                   unknown piece
    │   ├── BoardError                   board of invalid size or shape, cell outside of it
    │   ├── KicksError                   unknown rotation system, or invalid table
    │   ├── RulesError                   unknown preset, or invalid rule
    │   ├── PlacementError               placement that does not fit or cannot be reached
    │   ├── QueueError                   queue too short or too long
    │   ├── PatternError                 invalid pattern of queues
    │   ├── SpecError                    invalid bot specification
    │   ├── SettingsError                invalid setting of a contest
    │   └── FormatError                  invalid file
    │       ├── FumenError               invalid fumen; `code` names the error
    │       ├── PcFileError              invalid .pc file; `code` names the error
    │       └── NetworkError             network that cannot be read, written or evaluated
    ├── SearchStoppedError               a search reached its limit without a result
    ├── MissingExtraError (also an ImportError)   an optional dependency is not installed
    ├── ScarceMemoryError (also a MemoryError)   not enough memory
    ├── JobError                         a job in another process failed
    │   ├── LostWorkersError             its workers exited repeatedly
    │   └── ClusterError                 cluster that cannot be reached or used
    ├── StoreError                       error of a contest's store
    │   ├── StoreUrlError (also an InputError)   invalid URL of a store
    │   ├── StoreUnreachableError        no such folder or server, read-only, full
    │   ├── StoreLockedError             locked by another process for too long
    │   ├── StoreVersionError            made by a newer sevenbag or another program
    │   ├── StoreCorruptError            damaged file, or not a database
    │   ├── UnknownEntryError            unknown team, match or contest
    │   └── NameTakenError               name used by another entry
    ├── MatchRejectedError               a game server rejects a match
    ├── ServerDismissedError             the scheduler dismissed a game server
    ├── SchedulerError                   a scheduler cannot execute a request now
    ├── ContestError                     a match of a contest cannot be played or continued
    │   ├── CommandRejectedError         the server rejected a command
    │   └── ServerUnreachableError       the server does not answer
    ├── ProtocolError (also a ValueError)   invalid message
    └── BotError                         a bot failed, which loses its game
        ├── BotStartError                cannot be started, or rejects the rules
        ├── BotTimeoutError              no answer in time
        ├── BotDiedError                 exited, or closed its output
        ├── BotProtocolError             invalid answer
        └── BotForfeitError              cannot play, or no move is accepted
"""


class SevenbagError(Exception):
    """Base class of all exceptions of sevenbag."""

    def __reduce__(self) -> tuple[object, ...]:
        # By default, exceptions with additional arguments cannot be unpickled.
        return _revived, (type(self), self.args), self.__dict__ or None


class InputError(SevenbagError, ValueError):
    """Invalid input; the message says what was expected."""


class PieceError(InputError):
    """Unknown piece."""


class BoardError(InputError):
    """Board of invalid size or shape, or cell outside of it."""


class KicksError(InputError):
    """Unknown rotation system, or invalid table."""


class RulesError(InputError):
    """Unknown preset, or invalid rule."""


class PlacementError(InputError):
    """Placement that does not fit or cannot be reached."""


class QueueError(InputError):
    """Queue that is too short or too long."""


class PatternError(InputError):
    """Invalid pattern of queues."""


class SpecError(InputError):
    """Invalid bot specification."""


class SettingsError(InputError):
    """Invalid setting, or unreadable settings file.

    Attributes:
        errors: messages by name of the field, if the settings came from a form.
    """

    def __init__(self, message: str, errors: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.errors = errors or {}


class FormatError(InputError):
    """Invalid file."""


class FumenError(FormatError):
    """Fumen that cannot be read or written.

    Attributes:
        code: name of the error in other fumen tools, such as ``EndOfData``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class PcFileError(FormatError):
    """Unreadable .pc file, or a solution that does not fit into one.

    Attributes:
        code: name of the error in perfect-tetris, such as ``EndOfStream``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class NetworkError(FormatError):
    """Network that cannot be read, written or evaluated.

    Attributes:
        path: place in its file, such as ``genome.genes[3].weight``; empty for the whole file.
        code: ``InvalidNetwork``, the name of the error in perfect-tetris.
    """

    code = "InvalidNetwork"

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class SearchStoppedError(SevenbagError):
    """A search reached its limit without a result."""


class MissingExtraError(SevenbagError, ImportError):
    """An optional dependency is not installed; the message says how to install it."""


class ScarceMemoryError(SevenbagError, MemoryError):
    """Not enough memory."""


class JobError(SevenbagError):
    """A job in another process failed."""


class LostWorkersError(JobError):
    """Workers exited repeatedly, at the same job or before their first one.

    Attributes:
        job: number of that job, from 0; None before the first one.
    """

    def __init__(self, message: str, job: int | None = None) -> None:
        super().__init__(message)
        self.job = job


class ClusterError(JobError):
    """Cluster that cannot be reached or used."""


class StoreError(SevenbagError):
    """Error of a contest's store."""


class StoreUrlError(StoreError, InputError):
    """Invalid URL of a store."""


class StoreUnreachableError(StoreError):
    """Store that cannot be opened, read or written: no such folder or server, no space."""


class StoreLockedError(StoreError):
    """Store that another process locks for longer than the timeout."""


class StoreVersionError(StoreError):
    """Database of a newer sevenbag, or of another program."""


class StoreCorruptError(StoreError):
    """Store with a damaged file, or a file that is not a database."""


class UnknownEntryError(StoreError):
    """Unknown team, match or contest."""


class NameTakenError(StoreError):
    """Name that another entry uses."""


class MatchRejectedError(SevenbagError):
    """A game server rejects a match, or has no match with that token."""


class ServerDismissedError(SevenbagError):
    """The scheduler dismissed a game server; the message has the reason."""


class SchedulerError(SevenbagError):
    """A contest's scheduler cannot execute a request now; the message has the reason."""


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
    """Invalid message.

    Attributes:
        path: place in the message, such as ``move.location.x``; empty for the whole message.
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
    """

    def __init__(self, bot: str, message: str) -> None:
        super().__init__(f"{bot}: {message}")
        self.bot = bot

    @property
    def reason(self) -> str:
        """Return the message without the bot's name."""
        return str(self).removeprefix(f"{self.bot}: ")


class BotStartError(BotError):
    """The bot cannot be started, or rejects the rules."""


class BotTimeoutError(BotError):
    """The bot did not answer in time."""


class BotDiedError(BotError):
    """The bot exited, or closed its output, during a game."""


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
    """Check the type of an argument.

    Args:
        what: name of the argument.
        value: the argument.
        wanted: expected type or types.
        name: description of the expected types for the message.
        error: class of the raised error.
    """
    if not isinstance(value, wanted):
        raise error(f"invalid {what}: expected {name}, got {shown(value)}")


def check_integer(name: str, value: object, maximum: int, minimum: int = 0) -> None:
    """Raise a RulesError unless a value is an integer within a range.

    Args:
        name: name of the value for the message.
        value: the value.
        maximum: largest valid integer.
        minimum: smallest valid integer.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= maximum:
        raise RulesError(
            f"invalid {name}: expected integer from {minimum} to {maximum}, got {shown(value)}"
        )


def shown(value: object, longest: int = 60) -> str:
    """Return a value as quoted in messages, truncated to `longest` characters."""
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
    """Replace each unprintable character in untrusted text by a question mark.

    These are control characters, line breaks, bidi overrides, invisible characters and lone
    surrogates: a terminal may interpret them, and pages and pictures cannot contain all of them.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _revived(kind: type[SevenbagError], args: tuple[object, ...]) -> SevenbagError:
    return BaseException.__new__(kind, *args)
