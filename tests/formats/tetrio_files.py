"""Files of TETR.IO in all their layouts, made from the rounds of `tests.game.tetrio_rounds`."""

import json
from typing import Any, Final

from sevenbag.formats.tetrio_file import TetrioPlayerRound, read_tetrio_file
from tests.game.tetrio_rounds import ROUNDS

HANDLING: Final = {
    "arr": 2,
    "das": 10,
    "dcd": 0,
    "sdf": 20,
    "safelock": True,
    "cancel": False,
    "may20g": True,
    "irs": "tap",
    "ihs": "tap",
}

KEYS: Final = {
    "L": "moveLeft",
    "R": "moveRight",
    "X": "rotateCW",
    "Z": "rotateCCW",
    "S": "softDrop",
    "H": "hardDrop",
    "C": "hold",
}


def player(name: str) -> dict[str, Any]:
    """A player's part of a round, as files of version 19 have it."""
    told = ROUNDS[name]
    numbers = told["numbers"]
    stats: dict[str, Any] = {"clears": {}, "garbage": {}, "kills": 0, "zenith": {"floor": 0}}
    for field, value in numbers.items():
        inside, _, last = field.rpartition(".")
        if field not in {"apm", "pps", "vsscore", "finaltime"}:
            (stats[inside] if inside else stats)[last] = value
    return {
        "id": name,
        "username": name,
        "alive": told["out"] is None,
        "replay": {
            "frames": told["frames"],
            "events": events(name),
            "options": {
                "version": 19,
                "seed": told["seed"],
                "gameid": 1,
                "handling": dict(HANDLING),
                "hasgarbage": True,
                "gmargin": 7200,
                "gincrease": 0.0035,
                "allow180": True,
                "garbagemargin": 10800,
                "garbageincrease": 0.008,
                "b2bchaining": True,
                "nolockout": True,
                "song": "none",
                "slot_bar1": None,
            },
            "results": {"stats": stats, "gameoverreason": told["out"] or "winner"},
        },
    }


def match(*names: str) -> dict[str, Any]:
    """A file of version 19 with these rounds, one player in each."""
    return {
        "id": None,
        "gamemode": "league",
        "ts": "2026-07-24T00:00:00.000Z",
        "users": [{"id": name, "username": name} for name in names],
        "replay": {"leaderboard": [], "rounds": [[player(name)] for name in names]},
        "version": 1,
    }


def solo(name: str) -> dict[str, Any]:
    """The same as a game of one player."""
    made = match(name)
    made["replay"] = player(name)["replay"]
    return made


def older(name: str, version: int) -> dict[str, Any]:
    """The same in the layout of version 15 or 18; the options and numbers lie in events."""
    replay = player(name)["replay"]
    options = {**replay["options"], "version": version}
    handling = options.pop("handling")
    first = {
        "frame": 0,
        "type": "full",
        "data": {"options": options, "game": {"handling": handling, "board": [[None] * 10]}},
    }
    last = {
        "frame": replay["frames"],
        "type": "end",
        "data": {
            "reason": replay["results"]["gameoverreason"],
            "export": {"stats": replay["results"]["stats"]},
        },
    }
    repacked = [_repacked(event, version) for event in replay["events"]]
    keys = {"frames": replay["frames"], "events": [first, *repacked, last]}
    return {
        "_id": "0",
        "ts": "2022-12-19T00:00:00.000Z",
        "gametype": "league",
        "ismulti": True,
        "data": [{"board": [{"user": {"username": name}}], "replays": [keys]}],
    }


def written(file: dict[str, Any]) -> bytes:
    """The bytes of a file."""
    return json.dumps(file).encode()


def replay_of(file: dict[str, Any]) -> dict[str, Any]:
    """The replay of the first player in a file of version 19."""
    found = file["replay"]["rounds"][0][0]["replay"]
    assert isinstance(found, dict)
    return found


def read_player(file: dict[str, Any]) -> TetrioPlayerRound:
    """Read a file with one player."""
    ((found,),) = read_tetrio_file(written(file)).rounds
    return found


def events(name: str) -> list[dict[str, Any]]:
    """Every event of a round."""
    told = ROUNDS[name]
    found: list[dict[str, Any]] = [{"frame": 0, "type": "start", "data": {}}]
    for word in told["keys"].split():
        sign = "+" if "+" in word else "-"
        when, letter = word.split(sign)
        frame, tenths = when.split(".")
        kind = "keydown" if sign == "+" else "keyup"
        data = {"key": KEYS[letter], "subframe": int(tenths) / 10}
        found.append({"frame": int(frame), "type": kind, "data": data})
    for words in (text.split() for text in told["messages"].split(";")):
        frame, kind, message = _message(words)
        inner = {"id": 0, "frame": 0, "type": kind, "data": message}
        found.append({"frame": frame, "type": "ige", "data": inner})
    found.sort(key=lambda event: event["frame"])
    return found


def _message(words: list[str]) -> tuple[int, str, dict[str, Any]]:
    garbage: dict[str, Any] = {
        "type": "garbage",
        "gameid": 2,
        "frame": 0,
        "x": 3,
        "y": 8,
        "size": 1,
    }
    match words:
        case [frame, "target", _]:
            return int(frame), "target", {"targets": [2]}
        case [frame, "in", "iid", number, "amt", lines, "ack", known]:
            told = {"iid": int(number), "cid": int(number), "amt": int(lines), "ackiid": int(known)}
            return int(frame), "interaction", garbage | told
        case [frame, "ok", number]:
            told = {"iid": int(number), "cid": int(number)}
            return int(frame), "interaction_confirm", garbage | told
        case _:
            raise AssertionError(words)


def _repacked(event: dict[str, Any], version: int) -> dict[str, Any]:
    if event["type"] != "ige":
        return event
    kind, message = event["data"]["type"], dict(event["data"]["data"])
    if kind == "target":
        if version == 15:
            return {"frame": event["frame"], "type": "targets", "data": {"data": ["two"]}}
        packed: dict[str, Any] = {"type": kind, "targets": ["two"], "frame": 0}
    elif version == 15:
        number = message.pop("cid")
        inner = {"type": "garbage", "amt": message.get("amt", 0), "x": 0, "y": 0, "column": 4}
        packed = {"type": kind, "data": inner, "sender": "two", "sent_frame": 0, "cid": number}
    else:
        message.pop("gameid")
        packed = {"type": kind, "gameid": "two", "frame": 0, "cid": 1, "data": message}
    return {"frame": event["frame"], "type": "ige", "data": {"type": "ige", "data": packed}}
