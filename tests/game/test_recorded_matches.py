"""Real matches of TETR.IO, lock by lock: boards, spins, attacks, and garbage as it came by network.

The replay tells when attacks were announced and confirmed, and which keys were pressed when;
another engine has told what each lock did. Where a piece was placed is found among the kernel's
placements.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from sevenbag._kernel import Board, GarbageQueue, InFlightAttacks, Placement
from sevenbag.game import Rules
from sevenbag.game.rules import compile_rules
from tests.counted import compared
from tests.game.recorded import SPINS
from tests.truth import truth_json, truth_lines

# Options that the matches omit have the defaults of a room.
RULES = Rules.preset("tetrio-default")
KERNEL = compile_rules(RULES)


@pytest.mark.parametrize("match", ["versus-a", "versus-b"])
def test_locks(match: str) -> None:
    rounds = truth_json(f"replays/{match}.ttrm")["replay"]["rounds"]
    recorded: dict[tuple[int, str], list[Any]] = {}
    for lock in truth_lines(f"replays/{match}.locks.jsonl"):
        recorded.setdefault((lock["round"], lock["user"]), []).append(lock)
    count = rows = 0
    for (number, user), locks in recorded.items():
        side = next(side for side in rounds[number] if side["username"] == user)
        player = Recorded(side["replay"])
        for lock in locks:
            player.follow(lock)
            count += 1
            rows += len(lock["added"])
    assert count > 500
    assert rows > 50
    compared("locks of recorded matches", count)
    compared("garbage rows of recorded matches", rows)


class Recorded:
    """One player in one round."""

    def __init__(self, replay: Any) -> None:
        self.events: Iterator[Any] = iter(replay["events"])
        self.next_event: Any = next(self.events, None)
        self.drops = {
            event["frame"]
            for event in replay["events"]
            if event["type"] == "keydown" and event["data"]["key"] == "hardDrop"
        }
        seed = replay["options"]["seed"]
        self.queue = GarbageQueue(KERNEL, seed)
        self.crossing = InFlightAttacks()
        self.targets: list[int] = []
        self.board = Board()
        self.colors: tuple[str, ...] = ("." * 10,) * 40
        self.combo = self.chain = 0
        self.pieces = 0

    def follow(self, lock: Any) -> None:
        """Play one lock and compare all its recorded values."""
        self.pieces += 1
        frame = lock["frame"]
        dropped = frame in self.drops
        self._hear_until(frame, dropped)
        placement = self._found(lock)
        before = self.combo, self.chain
        self.board, colors, self.combo, self.chain = KERNEL.apply_lock(
            self.board, self.colors, placement, self.combo, self.chain
        )
        assert colors is not None
        self.colors = colors
        assert (self.combo - 1, self.chain - 1) == (lock["combo"], lock["b2b"]), lock
        lines = lock["lines"]
        sent: tuple[int, ...] = ()
        holes: list[int] = []
        if lines:
            attacks = RULES.compute_attack(
                lines,
                placement.spin,
                combo=before[0],
                back_to_back=before[1],
                perfect_clear=self.board.is_empty,
                piece=placement.piece,
            )
            assert list(attacks) == lock["raw"], lock
            sent, _ = self.queue.cancel(attacks, self.pieces)
        else:
            holes = [row[0] for row in self.queue.enter(frame, 8, dropped)]
        assert list(sent) == lock["sent"], lock
        assert holes == lock["added"], lock
        for hole in holes:
            self.board.add_garbage(hole)
            row = "".join("." if x == hole else "G" for x in range(10))
            self.colors = (row, *self.colors[:-1])
        for lines_sent in sent:
            for target in self.targets:
                self.crossing.send(target, lines_sent)
        assert "/".join(self.colors).lower().rstrip("./") == lock["board"].rstrip("./"), lock

    def _hear_until(self, frame: int, dropped: bool) -> None:
        """Return the network events before the lock; events of a frame are in order."""
        while self.next_event is not None and self.next_event["frame"] <= frame:
            event = self.next_event
            if event["frame"] == frame:
                if not dropped:
                    return
                if event["type"] == "keydown" and event["data"]["key"] == "hardDrop":
                    self.next_event = next(self.events, None)
                    return
            if event["type"] == "ige":
                self._hear(event["frame"], event["data"])
            self.next_event = next(self.events, None)

    def _hear(self, frame: int, message: Any) -> None:
        told = message["data"]
        if message["type"] == "target":
            self.targets = told["targets"]
        elif message["type"] == "interaction":
            sender, number = told["gameid"], told["iid"]
            left = self.crossing.receive(sender, number, told["amt"], told["ackiid"])
            self.queue.announce(sender, number, left)
        elif message["type"] == "interaction_confirm":
            self.queue.confirm(told["gameid"], told["iid"], frame)

    def _found(self, lock: Any) -> Placement:
        """The placement that leads to the recorded board, by the colours of what has been added."""
        board = lock["board"].split("/") if lock["board"] else []
        wanted = [row.upper() for row in board[len(lock["added"]) :]]
        found: list[Placement] = []
        for placement in KERNEL.placements(self.board, lock["mino"].upper(), self.combo > 0):
            _, colors, _, _ = KERNEL.apply_lock(self.board, self.colors, placement, 0, 0)
            assert colors is not None
            if "/".join(colors).rstrip("./") == "/".join(wanted).rstrip("./"):
                found.append(placement)
        spun = [placement for placement in found if placement.spin == SPINS[lock["spin"]]]
        assert spun, f"{lock}: spins {[placement.spin for placement in found]}"
        return spun[0]
