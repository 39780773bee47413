"""Clients of 2012 with peculiar habits, each reduced to its habit.

    odd_players.py HABIT HOST TOKEN TEAM PASSWORD

    random_moves  the organisers' random player, against which every team practised: connects, then
              subscribes; one random move for each message, never a drop or a piece's number
    eager     repeats MatchConnect twelve times, whatever the reply
    frames    reads the state channel frame by frame and skips whatever is no JSON object
    threads   connects in one thread while another subscribes, both at once
    strings   sends the piece's number as a string; its moves count as "applied" if the piece moved
    guesser   tries a wrong password and a wrong match first, to see what an error looks like
    leaver    gets its token and is gone
    sprinter  sends moves as fast as replies come in, with a socket for each channel and no pause

Each prints one JSON object of what it saw when the match is over.
"""

import json
import random
import sys
import threading
import time
from typing import Any

import zmq


class Player:
    """Base of the clients: a request socket and a subscription."""

    def __init__(self, host: str, token: str, team: str, password: str) -> None:
        self.host, self.token, self.team, self.password = host, token, team, password
        self.context = zmq.Context()
        self.commands = self.context.socket(zmq.REQ)
        self.commands.connect(f"tcp://{host}:5557")
        self.states = self.context.socket(zmq.SUB)
        self.client_token = ""
        self.seen: dict[str, Any] = {"messages": 0, "games": 0, "errors": []}

    def listen(self) -> None:
        self.states.connect(f"tcp://{self.host}:5556")
        self.states.setsockopt_string(zmq.SUBSCRIBE, self.token)

    def ask(self, **fields: object) -> dict[str, Any]:
        self.commands.send_string(json.dumps(fields))
        reply: dict[str, Any] = json.loads(self.commands.recv())
        if reply["comm_type"] == "ErrorResp":
            self.seen["errors"].append(reply["error"])
        return reply

    def enter(self, *, token: str | None = None, password: str | None = None) -> dict[str, Any]:
        return self.ask(
            comm_type="MatchConnect",
            match_token=self.token if token is None else token,
            team_name=self.team,
            password=self.password if password is None else password,
        )

    def connect(self) -> None:
        reply = self.enter()
        if reply.get("resp") != "ok":
            raise SystemExit(f"not connected: {reply}")
        self.client_token = reply["client_token"]

    def move(self, move: str, **fields: object) -> dict[str, Any]:
        return self.ask(comm_type="GameMove", client_token=self.client_token, move=move, **fields)

    def message(self) -> dict[str, Any]:
        _envelope, text = self.states.recv_multipart()
        return self.noted(json.loads(text))

    def noted(self, message: dict[str, Any]) -> dict[str, Any]:
        self.seen["messages"] += 1
        self.seen["games"] += message["comm_type"] == "GameEnd"
        return message

    def drop_all(self) -> None:
        """Drop every piece until the match is over."""
        while (message := self.message())["comm_type"] != "MatchEnd":
            if self.mine(message):
                self.move("drop")

    def mine(self, message: dict[str, Any]) -> dict[str, Any] | None:
        if message["comm_type"] != "GamePieceState":
            return None
        piece: dict[str, Any] | None = message["states"][self.team]
        return piece


def eager(player: Player) -> None:
    replies = [player.enter() for _ in range(12)]
    player.seen["replies"] = [reply.get("resp") for reply in replies]
    player.seen["tokens"] = len({reply.get("client_token") for reply in replies})
    # The last one is used from here on.
    player.client_token = replies[-1]["client_token"]
    player.listen()
    player.drop_all()


def frames(player: Player) -> None:
    player.listen()
    player.connect()
    skipped = 0
    while True:
        text = player.states.recv()
        try:
            message = json.loads(text)
        except ValueError:
            skipped += 1
            continue
        if not isinstance(message, dict):
            # A token that is JSON would be read as a message.
            raise SystemExit(f"a frame that is JSON, and no object: {text!r}")
        player.noted(message)
        if message["comm_type"] == "MatchEnd":
            break
        if player.mine(message):
            player.move("drop")
    player.seen["skipped"] = skipped


def threads(player: Player) -> None:
    entered = threading.Thread(target=player.connect)
    entered.start()
    player.listen()
    joined = False
    while (message := player.message())["comm_type"] != "MatchEnd":
        if not joined:
            entered.join()
            joined = True
        if player.mine(message):
            player.move("drop")


def strings(player: Player) -> None:
    player.listen()
    player.connect()
    applied = sent = 0
    asked: int | None = None
    while (message := player.message())["comm_type"] != "MatchEnd":
        piece = player.mine(message)
        if piece is None:
            continue
        if asked is not None:
            # Without moves only gravity moves the piece, never to the side.
            applied += piece["number"] == asked and piece["col"] != 5
            asked = None
        if piece["col"] == 5 and piece["row"] < 10:
            reply = player.move("left", piece_number=str(piece["number"]))
            sent += reply["comm_type"] == "GameMoveResp"
            asked = piece["number"]
    player.seen |= {"sent": sent, "applied": applied}


def guesser(player: Player) -> None:
    player.enter(password="not " + player.password)
    player.enter(token="no-such-match")
    player.client_token = "00000000-0000-0000-0000-000000000000"
    player.move("left")
    player.listen()
    player.connect()
    player.drop_all()


def leaver(player: Player) -> None:
    player.connect()


def sprinter(player: Player) -> None:
    player.listen()
    player.connect()
    sent = 0
    ended = False
    while not ended:
        # Read new messages while moves are sent.
        while player.states.poll(0):
            ended = player.message()["comm_type"] == "MatchEnd"
            if ended:
                break
        if not ended:
            player.move(("left", "right", "lrotate", "rrotate", "down", "left")[sent % 6])
            sent += 1
    player.seen["sent"] = sent


def random_moves(player: Player) -> None:
    player.connect()
    player.listen()
    sent = 0
    while player.message()["comm_type"] != "MatchEnd":
        player.move(random.choice(("left", "right", "lrotate", "rrotate", "down")))
        sent += 1
        # The organisers' player slept half a second, and was late beside a quick opponent.
        time.sleep(0.001)
    player.seen["sent"] = sent


HABITS = (random_moves, eager, frames, threads, strings, guesser, leaver, sprinter)


def main() -> None:
    habit = {one.__name__: one for one in HABITS}[sys.argv[1]]
    player = Player(*sys.argv[2:6])
    habit(player)
    print(json.dumps(player.seen))
    player.context.destroy(linger=0)


if __name__ == "__main__":
    main()
