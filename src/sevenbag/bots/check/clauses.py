"""What is checked, and where the texts say so."""

from __future__ import annotations

from typing import Final

from sevenbag.bots.check.finding import Clause

_SILENT: Final = "no text"


def _table(*rows: tuple[str, str, str, str]) -> dict[str, Clause]:
    return {row[0]: Clause(*row) for row in rows}


OF_BOTS: Final = _table(
    (
        "lines",
        "nothing but messages on the wire",
        "every message is one JSON object on a line of its own, and nothing else is written there",
        "0000-mvp, transport",
    ),
    ("form", "messages by the letter", "every message has the parts that the text names", ""),
    (
        "unasked",
        "says what is due",
        "a bot sends info at launch, and answers rules and suggest; it says nothing else",
        "0000-mvp, life cycle",
    ),
    (
        "length",
        "lines under 4096 bytes",
        "the length of a line is not bounded, but frontends read it into a buffer",
        f"{_SILENT}; Universal-Shaktris-Stadium has 4096 bytes",
    ),
    (
        "info",
        "introduces itself at once",
        "the bot sends info immediately after launch",
        "0000-mvp, info",
    ),
    (
        "ready",
        "answers the rules",
        "the bot answers rules with ready, or with error",
        "0000-mvp, rules",
    ),
    (
        "rules-plain",
        "answers rules that say nothing",
        "every part of rules may be left out; no randomizer means that it is unknown",
        "0001-randomizer, rules",
    ),
    (
        "rules-unknown",
        "answers rules with unknown words",
        "an unknown randomizer is to be read as unknown; unknown attributes are ignored",
        "0001-randomizer, rules",
    ),
    (
        "rules-again",
        "answers the rules again",
        "rules may come again, and are answered again",
        f"{_SILENT}; frontends do it between games",
    ),
    (
        "answer",
        "suggests a legal move",
        "the bot answers suggest with moves in order of preference; if none of them is valid, it "
        "forfeits",
        "0000-mvp, suggestion",
    ),
    (
        "first-move",
        "its first move is the one it means",
        "a frontend plays the first valid move of the list",
        "0000-mvp, suggestion; some frontends take the first or the last as it is",
    ),
    (
        "spin",
        "claims the spins that there are",
        "spin says whether the placement is to be a spin",
        "0000-mvp, move; battletris refuses a move with a wrong claim",
    ),
    (
        "once",
        "answers each question once",
        "every suggest is answered by one suggestion",
        "0000-mvp, suggest",
    ),
    (
        "empty",
        "knows a move when it is asked at once",
        "a suggestion without moves means that the bot forfeits",
        "0000-mvp, suggestion; jstris and battletris take it so",
    ),
    (
        "quick",
        "answers quickly",
        "the bot answers suggest as quickly as possible",
        "0000-mvp, suggest; battletris counts more than 500 ms as a loss",
    ),
    (
        "game",
        "plays a game",
        "play and new_piece advance the position from which the bot goes on",
        "0000-mvp, play",
    ),
    (
        "other-move",
        "follows moves that it did not suggest",
        "play advances the position by the move that it names, suggested or not",
        "0000-mvp, play",
    ),
    (
        "hold",
        "follows holds",
        "whether a move holds is told by its piece; a first hold takes two pieces from the queue",
        "0000-mvp, play",
    ),
    (
        "forms",
        "takes a move for its cells",
        "several locations name the same four cells; a frontend may play any of them",
        f"{_SILENT}; Quadspace does",
    ),
    (
        "order",
        "takes new_piece before play",
        "new_piece adds to the queue, and may come first",
        "versus text, life cycle; Universal-Shaktris-Stadium does it",
    ),
    (
        "twice",
        "does not move by being asked",
        "only play advances the position; asked again, the bot answers for the same one",
        "0000-mvp, play",
    ),
    (
        "again",
        "takes a start in mid-game",
        "start sets the position; frontends send it when garbage has entered",
        "0000-mvp, start; all frontends do it, without stop",
    ),
    (
        "next-game",
        "plays after a stop",
        "after stop, another start may come",
        "0000-mvp, life cycle",
    ),
    (
        "unknown-types",
        "ignores unknown messages",
        "messages of an unknown type are ignored",
        "0000-mvp, transport",
    ),
    (
        "unknown-attributes",
        "ignores unknown attributes",
        "attributes that are not known are ignored",
        "0000-mvp, transport",
    ),
    (
        "randomizers",
        "lives with every randomizer",
        "the randomizer is uniform, seven_bag, general_bag or unknown",
        "0001-randomizer, start",
    ),
    ("json", "reads any JSON", "messages are JSON, with or without blanks", "0000-mvp, transport"),
    (
        "pieces",
        "reads messages in parts and together",
        "a message ends with its line, however it comes through the pipe",
        "0000-mvp, transport",
    ),
    (
        "state",
        "reads combo and back-to-back",
        "combo is a number, back_to_back true or false",
        "0000-mvp, start",
    ),
    (
        "count",
        "reads back-to-back as a count",
        "back_to_back is a whole number",
        "versus text, start",
    ),
    (
        "opponents",
        "lives with opponents",
        "start and play may tell of opponents",
        "versus text, start and play",
    ),
    (
        "tall",
        "plays high up",
        "pieces appear at about x 4, y 19; where that is filled, a row higher",
        "0000-mvp, rules; battletris and Cold Clear 2 do it so",
    ),
    (
        "short-queue",
        "plays the last piece of the queue",
        "the queue has any number of pieces",
        "0000-mvp, start",
    ),
    (
        "waiting",
        "waits for pieces",
        "queue and hold may both be empty at the start",
        f"{_SILENT}; Cold Clear 2 waits",
    ),
    (
        "unstarted",
        "survives a question without a position",
        "suggest is only valid while the bot calculates",
        "0000-mvp, suggest; frontends ask after stop nevertheless",
    ),
    (
        "blank",
        "survives blank lines and other line ends",
        "line ends are not specified",
        f"{_SILENT}; programs on Windows write them so",
    ),
    (
        "garbage",
        "follows garbage",
        "rows are added at the bottom in order, the last one as the new bottom",
        "0002-garbage (draft)",
    ),
    ("quit", "leaves at quit", "the bot exits", "0000-mvp, quit"),
    (
        "end-of-input",
        "leaves at the end of its input",
        "the end of the input without quit is not specified",
        f"{_SILENT}; web pages and killed frontends never say quit",
    ),
)
"""Of bots, in the order in which they are checked."""

OF_FRONTENDS: Final = _table(
    (
        "lines",
        "nothing but messages on the wire",
        "every message is one JSON object on a line of its own",
        "0000-mvp, transport",
    ),
    ("form", "messages by the letter", "every message has the parts that the text names", ""),
    (
        "waits-for-info",
        "waits for info",
        "the bot introduces itself first; the frontend then sends rules",
        "0000-mvp, life cycle; bots in browsers lose what comes before they have loaded",
    ),
    (
        "waits-for-ready",
        "waits for ready",
        "the frontend sends start when the bot is ready",
        "0000-mvp, life cycle",
    ),
    (
        "rules",
        "tells the rules",
        "the frontend sends rules before anything else",
        "0000-mvp, life cycle",
    ),
    (
        "started",
        "asks only of a position",
        "suggest, play and new_piece are only valid while the bot calculates",
        "0000-mvp, suggest and play",
    ),
    (
        "bag",
        "tells the bag at the end of the queue",
        "bag_state is what is left of the bag after the last piece of the queue",
        "0001-randomizer, start",
    ),
    (
        "same-randomizer",
        "names one randomizer",
        "the type in start is the word in rules",
        "0001-randomizer, start",
    ),
    (
        "new-pieces",
        "tells every new piece",
        "each piece that joins the queue is told by new_piece; after a first hold there are two",
        "0000-mvp, new_piece",
    ),
    (
        "dealt",
        "deals as it said",
        "a seven-bag deals each piece once before any comes again",
        "0001-randomizer, rules",
    ),
    (
        "legal",
        "plays what can be played",
        "play tells a move that was made",
        "0000-mvp, play",
    ),
    (
        "preferred",
        "plays the most preferred valid move",
        "the frontend plays the most preferred move that is valid",
        "0000-mvp, suggestion",
    ),
    (
        "cells",
        "takes a move for its cells",
        "several locations name the same four cells",
        "no text; bots name them in any form",
    ),
    (
        "spin",
        "judges spins itself",
        "spin says whether a spin should be performed, not that it was",
        "0000-mvp, move",
    ),
    (
        "patience",
        "waits for its answer",
        "a suggestion answers each suggest",
        "0000-mvp, suggest",
    ),
    (
        "features",
        "uses what was announced",
        "a message that is not of the text is only for bots that announce it",
        "0002-garbage (draft), and the rule that its discussion made",
    ),
    ("quit", "says quit", "the frontend tells the bot to exit by quit", "0000-mvp, life cycle"),
)
"""Of frontends."""
