"""Every error that sevenbag raises on purpose.

::

    SevenbagError
    ├── InputError (also a ValueError)   something given to sevenbag cannot be used
    │   ├── PieceError                   no such piece
    │   ├── BoardError                   a board of wrong size or shape, a cell outside it
    │   ├── KicksError                   no such rotation system, or a broken table
    │   ├── RulesError                   no such preset, or a rule out of its range
    │   ├── PlacementError               a placement that does not fit or cannot be reached
    │   ├── QueueError                   a queue too short or too long for what is asked
    │   ├── PatternError                 a pattern of queues that cannot be read
    │   ├── SpecError                    a bot specification that names no bot
    │   ├── SettingsError                a contest's setting that is none, or out of its range
    │   └── FormatError                  a file that is not what it should be
    │       ├── FumenError               a fumen that is none; `code` names what is wrong
    │       ├── PcFileError              the same of a .pc file
    │       └── NetworkError             a network that cannot be read, written or evaluated
    ├── SearchStoppedError               a search reached its limit before it knew the answer
    ├── MissingExtraError (also an ImportError)   an optional part is not installed
    ├── ScarceMemoryError (also a MemoryError)   there is not enough memory for what is asked
    ├── JobError                         work given to other processes failed
    │   ├── LostWorkersError             its workers ended again and again
    │   └── ClusterError                 a cluster that cannot be reached, or is of no use
    ├── StoreError                       a contest's store cannot do what is asked
    │   ├── StoreUrlError (also an InputError)   a URL that names no store
    │   ├── StoreUnreachableError        no such folder or server, read-only, full
    │   ├── StoreLockedError             somebody else holds it for too long
    │   ├── StoreVersionError            of a newer sevenbag, or not of sevenbag at all
    │   ├── StoreCorruptError            its file is damaged, or no database
    │   ├── UnknownEntryError            no such team, match or contest in it
    │   └── NameTakenError               the name belongs to another
    ├── MatchRejectedError               a game server does not take a match
    ├── ServerDismissedError             the scheduler wants a game server no more
    ├── SchedulerError                   a contest's match that cannot be placed now, and the like
    ├── ContestError                     a contest's match that cannot be played, or gone on with
    │   ├── CommandRejectedError         the server said no, and why
    │   └── ServerUnreachableError       the server does not answer, or has gone
    ├── ProtocolError (also a ValueError)   a message from outside that cannot be understood
    └── BotError                         a bot failed; its result is a counted loss
        ├── BotStartError                it cannot be started, or refuses the rules
        ├── BotTimeoutError              it did not answer in time
        ├── BotDiedError                 it ended, or closed its output
        ├── BotProtocolError             it answered with something else than an answer
        └── BotForfeitError              bot cannot play, or none of its moves is accepted
"""


class SevenbagError(Exception):
    """Base of all errors that sevenbag raises on purpose."""

    def __reduce__(self) -> tuple[object, ...]:
        # As exceptions are pickled otherwise, those with arguments of their own cannot be read back
        # in the process that asked.
        return _revived, (type(self), self.args), self.__dict__ or None


class InputError(SevenbagError, ValueError):
    """Something given to sevenbag cannot be used; the message says what would be right."""


class PieceError(InputError):
    """No such piece."""


class BoardError(InputError):
    """A board of wrong size or shape, or a cell outside it."""


class KicksError(InputError):
    """No such rotation system, or a broken table."""


class RulesError(InputError):
    """No such preset, or a rule out of its range."""


class PlacementError(InputError):
    """A placement that does not fit or cannot be reached."""


class QueueError(InputError):
    """A queue too short or too long for what is asked."""


class PatternError(InputError):
    """A pattern of queues that cannot be read."""


class SpecError(InputError):
    """A bot specification that names no bot."""


class SettingsError(InputError):
    """A setting is invalid, or its file cannot be read.

    Attributes:
        errors: messages by name of the field, if the settings came from a form.
    """

    def __init__(self, message: str, errors: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.errors = errors or {}


class FormatError(InputError):
    """A file that is not what it should be."""


class FumenError(FormatError):
    """A fumen that cannot be read or written.

    Attributes:
        code: what is wrong, in one word as the field's tools say it, such as ``EndOfData``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class PcFileError(FormatError):
    """A .pc file that cannot be read, or a solution that fits into none.

    Attributes:
        code: what is wrong, in one word as the field's tools say it, such as ``EndOfStream``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class NetworkError(FormatError):
    """A network that cannot be read, written or evaluated.

    Attributes:
        path: where in its file, such as ``genome.genes[3].weight``; empty for the whole file.
        code: ``InvalidNetwork``, for tools that name errors.
    """

    code = "InvalidNetwork"

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class SearchStoppedError(SevenbagError):
    """A search reached its limit before it knew the answer."""


class MissingExtraError(SevenbagError, ImportError):
    """An optional part of sevenbag is not installed; the message says how to get it."""


class ScarceMemoryError(SevenbagError, MemoryError):
    """There is not enough memory for what is asked."""


class JobError(SevenbagError):
    """Work given to other processes failed."""


class LostWorkersError(JobError):
    """Workers ended again and again, at the same job or before they had any.

    Attributes:
        job: number of the job that they ended at, from 0; None where they had none.
    """

    def __init__(self, message: str, job: int | None = None) -> None:
        super().__init__(message)
        self.job = job


class ClusterError(JobError):
    """A cluster that cannot be reached, or is of no use."""


class StoreError(SevenbagError):
    """A contest's store cannot do what is asked."""


class StoreUrlError(StoreError, InputError):
    """A URL that names no store."""


class StoreUnreachableError(StoreError):
    """A store that cannot be opened, read or written: no such folder or server, no room."""


class StoreLockedError(StoreError):
    """Somebody else holds a store for longer than one is willing to wait."""


class StoreVersionError(StoreError):
    """A database of a newer sevenbag, or of another program."""


class StoreCorruptError(StoreError):
    """A store whose file is damaged, or is no database."""


class UnknownEntryError(StoreError):
    """No such team, match or contest in the store."""


class NameTakenError(StoreError):
    """A name that belongs to another already."""


class MatchRejectedError(SevenbagError):
    """A game server does not take a match, or has none of that token."""


class ServerDismissedError(SevenbagError):
    """The scheduler wants a game server no more; the message says why."""


class SchedulerError(SevenbagError):
    """A contest's scheduler cannot do now what it is asked for; in words for people."""


class ContestError(SevenbagError):
    """A match of a contest that cannot be played, or gone on with."""


class CommandRejectedError(ContestError):
    """A contest's server said no.

    Attributes:
        error: in the server's words, such as ``wrong password``.
    """

    def __init__(self, error: str, message: str) -> None:
        super().__init__(f"the server refuses: {shown(error)[1:-1]}: {shown(message, 200)[1:-1]}")
        self.error = error


class ServerUnreachableError(ContestError):
    """A contest's server does not answer, or has gone; the message says for how long."""


class ProtocolError(SevenbagError, ValueError):
    """A message from outside that cannot be understood.

    Attributes:
        path: where in the message, such as ``move.location.x``; empty for the whole message.
        kind: of what type the message says to be; empty where that is not known.
    """

    def __init__(self, message: str, path: str = "", kind: str = "") -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path
        self.kind = kind


class BotError(SevenbagError):
    """A bot failed.

    Attributes:
        bot: the name by which the match knows the bot.
    """

    def __init__(self, bot: str, message: str) -> None:
        super().__init__(f"{bot}: {message}")
        self.bot = bot

    @property
    def reason(self) -> str:
        """Return the message without the bot's name."""
        return str(self).removeprefix(f"{self.bot}: ")


class BotStartError(BotError):
    """It cannot be started, or refuses the rules."""


class BotTimeoutError(BotError):
    """It did not answer in time."""


class BotDiedError(BotError):
    """It ended, or closed its output, in mid-game."""


class BotProtocolError(BotError):
    """It answered with something that is no answer."""


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
    """A value as messages quote it: no longer than a line, whatever was given."""
    if isinstance(value, str | bytes):
        # Not written out whole to be cut afterwards.
        return repr(value) if len(value) <= longest else f"{value[:longest]!r}..."
    try:
        text = repr(value)
    except ValueError:
        # Python writes out no number of more than some thousand digits.
        return "a number without end"
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
