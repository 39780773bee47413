"""Lines of JSON: splitting of byte streams, parsing, and a tolerant reader of messages."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NoReturn, TypeAlias, TypeVar, cast

import msgspec
from msgspec import UNSET, Struct, UnsetType

from sevenbag.errors import ProtocolError

MAX_LINE_BYTES: Final = 1 << 20
"""Length of the longest line that is read, without its end."""


class LineSplitter:
    """Splits bytes into complete lines without their ends.

    A line that is too long is returned once as None as soon as its length is known; the rest of it
    is skipped. So an endless line takes no memory.
    """

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._buffer = bytearray()
        self._skipping = False

    @property
    def pending_bytes(self) -> int:
        """Number of bytes of an incomplete line."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[bytes | None]:
        """Return the lines that these bytes complete."""
        lines: list[bytes | None] = []
        *ended, begun = data.split(b"\n")
        for part in ended:
            self._append(part, lines)
            if not self._skipping:
                lines.append(bytes(self._buffer).removesuffix(b"\r"))
            self._buffer.clear()
            self._skipping = False
        self._append(begun, lines)
        return lines

    def finish(self) -> list[bytes | None]:
        """Return the last line if it has no end."""
        return self.feed(b"\n") if self._buffer else []

    def _append(self, part: bytes, lines: list[bytes | None]) -> None:
        if self._skipping:
            return
        if len(self._buffer) + len(part) <= self._max_bytes:
            self._buffer += part
            return
        self._buffer.clear()
        self._skipping = True
        lines.append(None)


def parse_json(line: bytes | str) -> object:
    """Parse a line of JSON as plain data; None if it is not JSON."""
    try:
        content: object = _DECODER.decode(line)
    except (ValueError, RecursionError):
        return None
    return content


def parse_line(line: bytes | str) -> object:
    """Parse a line of limited length as plain data; None if it is not JSON.

    Raises:
        ProtocolError: the line is longer than `MAX_LINE_BYTES`.
    """
    if len(line) > MAX_LINE_BYTES:
        raise ProtocolError(f"expected a line of at most {MAX_LINE_BYTES} bytes, got {len(line)}")
    return parse_json(line)


def to_plain_data(message: Struct) -> JsonObject:
    """Convert a message to plain data, for transports that carry objects instead of lines."""
    # Converted by way of JSON, because transports accept only its types: no tuples.
    content: object = _DECODER.decode(_ENCODER.encode(message))
    return cast("JsonObject", content)


def message_type(content: object) -> str:
    """Return the type that this data names, known or not; empty if it names none."""
    kind = cast("JsonObject", content).get("type") if isinstance(content, dict) else None
    return kind if isinstance(kind, str) else ""


def describe_value(value: object) -> str:
    """Describe a value for an error message, by its kind if it is long."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


T = TypeVar("T")
D = TypeVar("D")
JsonObject: TypeAlias = dict[str, Any]
Severity: TypeAlias = Literal["error", "warning", "note"]

MAX_COUNT: Final = 1_000_000
"""Larger counts are read as this one."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """A difference between a message and its specification.

    Attributes:
        path: field of the message.
        problem: expected and actual value.
        clause: clause of the specification.
        severity: ``error``: strict programs reject it; ``warning``: some do; ``note``: allowed.
    """

    path: str
    problem: str
    clause: str
    severity: Severity


class InvalidValueError(Exception):
    """Signals a value that cannot be read. The reader knows its path."""


def invalid(expected: str, value: object) -> InvalidValueError:
    """Create the error for a value."""
    return InvalidValueError(f"expected {expected}, got {describe_value(value)}")


class FieldReader:
    """Reads the fields of one message.

    Known quirks of programs are accepted; `InvalidValueError` is raised for anything else. A
    checking reader reports quirks and invalid values instead and continues; values that it returns
    for invalid ones are of no use.

    Args:
        checking: collect deviations from the specification.
        ignore_extensions: read invalid extension fields as absent.
    """

    __slots__ = ("_ignore_extensions", "_path", "checking", "deviations")

    def __init__(self, *, checking: bool = False, ignore_extensions: bool = False) -> None:
        self.checking = checking
        self.deviations: list[tuple[str, str, Severity]] = []
        self._ignore_extensions = ignore_extensions
        self._path: list[str | int] = []

    @property
    def path(self) -> str:
        """Return the path of the current value, such as ``moves[0].location``."""
        parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in self._path]
        return "".join(parts).removeprefix(".")

    def report(self, problem: str, severity: Severity = "error") -> None:
        """Report a quirk of the current value."""
        if self.checking:
            self.deviations.append((self.path, problem, severity))

    def expect(self, expected: str, value: object, severity: Severity = "error") -> None:
        """Report a value that is accepted although the specification demands another."""
        if self.checking:
            self.report(f"expected {expected}, got {describe_value(value)}", severity)

    def required(self, data: JsonObject, key: str, read: ReadValue[T]) -> T:
        """Read a field without which a message is invalid."""
        if key not in data:
            return self._read(key, _reject_missing, None)
        return self._read(key, read, data[key])

    def field(self, data: JsonObject, key: str, read: ReadValue[T], default: D) -> T | D:
        """Read a field that some programs leave out though the specification demands it."""
        value = data.get(key)
        if value is not None:
            return self._read(key, read, value)
        if self.checking:
            self._read(key, read if key in data else _reject_missing, None)
        return default

    def optional(self, data: JsonObject, key: str, read: ReadValue[T]) -> T | UnsetType:
        """Read a field that may be absent; null is accepted too."""
        value = data.get(key)
        if value is not None or (self.checking and key in data):
            return self._read(key, read, value)
        return UNSET

    def extension(self, data: JsonObject, key: str, read: ReadValue[T]) -> T | UnsetType:
        """Read an optional field without which the game can go on."""
        depth = len(self._path)
        try:
            return self.optional(data, key, read)
        except InvalidValueError:
            if not self._ignore_extensions:
                raise
            del self._path[depth:]
            return UNSET

    def items(self, values: list[Any], read: ReadValue[T]) -> tuple[T, ...]:
        """Read the items of a list."""
        if self.checking:
            return tuple([self._read(i, read, value) for i, value in enumerate(values)])
        path = self._path
        path.append(0)
        found: list[T] = []
        for path[-1], value in enumerate(values):
            found.append(read(self, value))
        path.pop()
        return tuple(found)

    def _read(self, key: str | int, read: Callable[[FieldReader, Any], T], value: object) -> T:
        path = self._path
        path.append(key)
        if self.checking:
            depth = len(path)
            try:
                result = read(self, value)
            except InvalidValueError as error:
                del path[depth:]
                self.report(str(error))
                result = cast("T", None)
        else:
            result = read(self, value)
        path.pop()
        return result


ReadValue: TypeAlias = Callable[[FieldReader, Any], T]
MessageReaders: TypeAlias = Mapping[str, Callable[[FieldReader, JsonObject], T]]


def read_fields(
    content: object, readers: MessageReaders[T], *, ignore_extensions: bool = False
) -> T | None:
    """Read plain data as a message; None if it is not a message of a known type.

    Raises:
        ProtocolError: a message of a known type is invalid; `kind` is that type.
    """
    kind = message_type(content)
    read = readers.get(kind)
    if read is None:
        return None
    reader = FieldReader(ignore_extensions=ignore_extensions)
    try:
        return read(reader, cast("JsonObject", content))
    except InvalidValueError as error:
        raise ProtocolError(f"{error} (in a {kind} message)", reader.path, kind) from None


def check_fields(
    content: object, readers: MessageReaders[object], find_clause: Callable[[str, str], str]
) -> list[Deviation]:
    """Return all deviations of a message from its specification; none for unknown types.

    Args:
        content: plain data.
        readers: reader of each type of message.
        find_clause: return the clause of the specification for a message type and a path.
    """
    kind = message_type(content)
    reader = FieldReader(checking=True)
    if (read := readers.get(kind)) is not None:
        read(reader, cast("JsonObject", content))
    return [
        Deviation(path, problem, find_clause(kind, path), severity)
        for path, problem, severity in reader.deviations
    ]


def list_of(read: ReadValue[T], max_items: int) -> ReadValue[tuple[T, ...]]:
    """Create a reader of lists."""

    def read_list(reader: FieldReader, value: object) -> tuple[T, ...]:
        return reader.items(read_plain_list(value, max_items), read)

    return read_list


def read_plain_list(value: object, max_items: int) -> list[Any]:
    """Return the value if it is a list of limited length."""
    if not isinstance(value, list):
        raise invalid("a list", value)
    items = cast("list[object]", value)
    if len(items) > max_items:
        raise invalid(f"at most {max_items} items", len(items))
    return items


def choice_of(choices: Mapping[str, T], official: Sequence[str]) -> ReadValue[T]:
    """Create a reader of names."""
    expected = f"one of {' '.join(official)}"

    def read_choice(reader: FieldReader, value: object) -> T:
        found = choices.get(value) if isinstance(value, str) else None
        if found is None:
            raise invalid(expected, value)
        if reader.checking and value not in official:
            reader.expect(expected, value)
        return found

    return read_choice


def one_of(names: Sequence[T]) -> ReadValue[T]:
    """Create a reader of names without quirks."""
    return choice_of({str(name): name for name in names}, [str(name) for name in names])


def integer_from(minimum: int, maximum: int) -> ReadValue[int]:
    """Create a reader of integers in a range; JavaScript's ``2.0`` is accepted."""

    def read_integer(reader: FieldReader, value: object) -> int:
        number = as_integer(value)
        if number is None or not minimum <= number <= maximum:
            raise invalid(f"an integer from {minimum} to {maximum}", value)
        if isinstance(value, float):
            reader.expect("an integer without a decimal point", value, "warning")
        return number

    return read_integer


def count_from(minimum: int) -> ReadValue[int]:
    """Create a reader of counts, which are rounded down and clamped."""

    def read_count(reader: FieldReader, value: object) -> int:
        if type(value) is int:
            number = value
        elif isinstance(value, int | float) and math.isfinite(value):
            number = math.floor(value)
            whole = isinstance(value, float) and value.is_integer()
            expected = "an integer without a decimal point" if whole else "an integer"
            reader.expect(expected, value, "warning" if whole else "error")
        else:
            raise invalid("an integer", value)
        if number < minimum:
            reader.expect(f"an integer from {minimum}", value)
        return min(max(number, minimum), MAX_COUNT)

    return read_count


def read_text(_reader: FieldReader, value: object) -> str:
    """Read a string."""
    if not isinstance(value, str):
        raise invalid("a string", value)
    return value


def read_label(reader: FieldReader, value: object) -> str:
    """Read a string for display; a number, such as a version, is accepted."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        reader.expect("a string", value)
        return str(value)
    return read_text(reader, value)


def read_object(_reader: FieldReader, value: object) -> JsonObject:
    """Read an object."""
    if not isinstance(value, dict):
        raise invalid("an object", value)
    return cast("JsonObject", value)


def as_integer(value: object) -> int | None:
    """Return a number without a fraction as an integer; None for other values."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


_DECODER: Final = msgspec.json.Decoder(Any)
_ENCODER: Final = msgspec.json.Encoder()


def _reject_missing(_reader: FieldReader, _value: object) -> NoReturn:
    raise InvalidValueError("is missing")
