"""The fake Triangle host agrees with recordings of Triangle.js."""

import json

import pytest

from tests.fakes.triangle_host import Batch, Game, Room
from tests.truth import truth_json, truth_lines


def drawn(game: Game) -> str:
    """Return the board in the form of the recordings."""
    rows = ["".join("g" if c == "gb" else c or "." for c in row) for row in game.board]
    return "/".join(rows).rstrip("/.") if any(map(any, game.board)) else ""


@pytest.mark.parametrize(("name", "kicks"), [("s2-srsplus", "SRS+"), ("s2-srs", "SRS")])
def test_recorded_games(name: str, kicks: str) -> None:
    game = Game(Room(), 1)
    pieces = 0
    for line in truth_lines(f"triangle/play-{name}.jsonl"):
        if "new" in line:
            game = Game(Room(kicks=kicks), line["new"]["seed"], direct=True)
            game.b2b = line["b2b"]
        elif "garbage" in line:
            game.pending.append(Batch(line["garbage"], -20))
        elif "keys" in line:
            for key in line["keys"]:
                game.press(key)
            pieces += 1
            assert drawn(game) == line["board"].rstrip("/.")
            assert (game.combo, game.b2b) == (line["combo"], line["b2b"])
            assert (game.piece.name, game.hold) == (line["current"], line["hold"])
            assert [batch.lines for batch in game.pending] == line["pending"]
            assert game.dead == line["topout"]
    assert pieces > 300


def test_recorded_bags() -> None:
    bags = truth_json("triangle/bags.json")
    for kind in ("7-bag", "14-bag", "total mayhem"):
        for seed, pieces in bags[kind].items():
            game = Game(Room(bag=kind), int(seed))
            assert [game.piece.name, *game.queue][:31] == pieces.split()[:31]


def test_the_recorded_loop() -> None:
    """Compare a game of two hard drops per second with the recording, frame by frame."""
    lines = list(truth_lines("triangle/transcript-wrapper-simplebot.jsonl"))
    game, told = Game(Room(), 1), list[tuple[int, str]]()
    assert game.queue == lines[1]["msg"]["queue"]
    dealt = list[list[str]]()
    while not game.dead:
        due = game.frame >= (game.pieces + 1) / 2 * 60
        if due:
            told.append((game.frame, "play"))
        frame = game.frame
        game.tick(["hardDrop"] if due else [])
        if game.dealt:
            told.append((frame, "pieces"))
            dealt.append(list(game.dealt))
            game.dealt.clear()
    out = [(line["frame"], line["msg"]["type"]) for line in lines[2:] if line["dir"] == "out"]
    assert told == out
    assert dealt == [line["msg"]["pieces"] for line in lines if line["msg"]["type"] == "pieces"]
    assert json.dumps(game.board).count("null") < 400
