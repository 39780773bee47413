"""What is checked of engines for Triangle hosts, and where that is known from.

The published text was written from the code and is wrong in places; where it is, what Triangle.js
4.2.6 does counts.
"""

from __future__ import annotations

from typing import Final

from sevenbag.bots.check.finding import Clause

_TEXT: Final = "published text"
_CODE: Final = "Triangle.js 4.2.6"
_RUST: Final = "triangle-rs"


def _table(*rows: tuple[str, str, str, str]) -> dict[str, Clause]:
    return {row[0]: Clause(*row) for row in rows}


OF_ENGINES: Final = _table(
    (
        "info",
        "introduces itself at once",
        "the engine sends info first; the host waits for it without a time limit",
        f"{_TEXT}, info",
    ),
    (
        "answer",
        "answers play with keys",
        "each play is answered by one move, and its keys place the piece",
        f"{_TEXT}, play",
    ),
    (
        "lines",
        "nothing but messages on the wire",
        "every message is one JSON object on a line of its own; what is not, is passed over",
        f"{_TEXT}, transport",
    ),
    ("form", "messages by the letter", "every message has the parts that the text names", ""),
    (
        "unasked",
        "says what is due",
        "a move answers the play that waits, whichever it was meant for; another one is dropped",
        _CODE,
    ),
    (
        "length",
        "lines that hosts can read",
        "the length of a line is not bounded, but ours reads 1 MiB",
        "no text",
    ),
    (
        "keys",
        "keys by their real names",
        "hosts know rotateCW and rotateCCW; a key that they do not know is dropped, or ends them",
        f"{_CODE}; the published text has them wrong",
    ),
    (
        "one-lock",
        "one piece a move",
        "a move without hardDrop locks nothing, and play comes again; each hardDrop locks a piece",
        _CODE,
    ),
    (
        "das",
        "taps, not slides",
        "dasLeft and dasRight take time, in which the next play comes: moves get mixed up",
        f"{_CODE}, BotWrapper",
    ),
    (
        "gravity",
        "keys that hold good lower down",
        "the piece falls while the host waits, and nobody is told how far",
        f"{_CODE}, BotWrapper",
    ),
    (
        "empty",
        "presses something",
        "a move without keys does nothing, and play comes again",
        _CODE,
    ),
    (
        "quick",
        "answers quickly",
        "the piece falls, and locks, while the host waits",
        f"{_CODE}, BotWrapper",
    ),
    ("stderr", "silent on standard error", "what is written there is shown as an error", _CODE),
    (
        "game",
        "follows a game by itself",
        "state comes only after garbage has entered; the first piece of the game is told nowhere, "
        "and is the one that its bag lacks; pieces are appended",
        _CODE,
    ),
    (
        "garbage",
        "takes garbage from the state",
        "a state is the whole truth: board, hold and queue are replaced, and pieces that came "
        "before it are in its queue already",
        f"{_TEXT}, state",
    ),
    (
        "states",
        "plays where every position is told",
        "a host that drives the engine itself sends state before each play",
        f"{_CODE}, direct",
    ),
    (
        "elsewhere",
        "plays from any position",
        "a state may be any position, with a piece on hold",
        f"{_TEXT}, state",
    ),
    (
        "joined",
        "takes pieces in any number",
        "pieces has one whole bag, or several; in some rooms a single piece",
        _CODE,
    ),
    (
        "bag-14",
        "finds the first piece of a bag of 14",
        "it is the one that two of each lack",
        f"{_CODE}, rooms with 14-bag",
    ),
    (
        "no-bag",
        "begins without knowing its piece",
        "where there is no bag the first piece cannot be known: hold puts it away",
        f"{_CODE}, rooms with total mayhem or classic",
    ),
    (
        "spelling",
        "reads both spellings of the charging field",
        "releases send b2bCharing, the code since then b2bCharging",
        f"{_CODE} and its main branch",
    ),
    (
        "numbers",
        "reads multiplier and cap as fractions",
        "both grow with time",
        _CODE,
    ),
    ("null-data", "reads data that is null", "data is there, and null", _RUST),
    (
        "data",
        "ignores data that it did not ask for",
        "data is whatever host and engine agreed upon",
        f"{_TEXT}, data",
    ),
    (
        "unknown-types",
        "ignores unknown messages",
        "messages of an unknown type are ignored",
        f"{_CODE} does it itself",
    ),
    (
        "unknown-fields",
        "ignores unknown fields",
        "fields that are not known are ignored",
        "no text",
    ),
    (
        "kicks",
        "lives with every rotation system",
        "rooms have SRS, SRS+, SRS-X, TETRA-X, NRS, ARS, ASC or none",
        _CODE,
    ),
    ("sizes", "lives with other boards", "rooms have 4 x 26 and others", f"{_CODE}, preset 4wide"),
    ("rows", "reads boards of 20 rows", "a board has 20 rows", f"{_TEXT}; real ones have 40"),
    (
        "pieces",
        "reads messages in parts and together",
        "a message ends with its line, however it comes through the pipe",
        f"{_TEXT}, transport",
    ),
    ("blank", "survives blank lines and other line ends", "no text has them", "no text"),
    (
        "environment",
        "starts with nothing in its environment",
        "engines are started with an empty environment: no PATH, no HOME",
        _CODE,
    ),
    (
        "interrupt",
        "leaves at SIGINT",
        "that is all a host does to end an engine; nothing is killed",
        _CODE,
    ),
    (
        "end-of-input",
        "leaves at the end of its input",
        "a host that has ended sends nothing",
        "no text",
    ),
)
"""In the order in which they are checked."""
