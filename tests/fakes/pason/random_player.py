"""The organisers' random player of 2012: the opponent that every team practised against.

It connects, then subscribes; for each state message it sends one move at random, never a drop and
never a piece's number, and then sleeps. Half a second was the real thing: beside a quick opponent
it falls far behind, and sends moves for a match that is long over.

    random_player.py HOST TOKEN TEAM PASSWORD [SLEEP]

Prints how many state messages, moves and errors there were. Exit: 0 after MatchEnd.
"""

import json
import random
import sys
import time

import zmq

MOVES = ["left", "right", "lrotate", "rrotate", "down"]


def main() -> int:
    host, token, team, password = sys.argv[1:5]
    sleep = float(sys.argv[5]) if len(sys.argv) > 5 else 0.5
    context = zmq.Context()
    commands = context.socket(zmq.REQ)
    commands.connect(f"tcp://{host}:5557")
    commands.send_string(
        json.dumps(
            {
                "comm_type": "MatchConnect",
                "match_token": token,
                "team_name": team,
                "password": password,
            }
        )
    )
    reply = json.loads(commands.recv())
    if reply["comm_type"] != "MatchConnectResp" or reply["resp"] != "ok":
        print(reply)
        return 2
    client_token = reply["client_token"]

    states = context.socket(zmq.SUB)
    states.connect(f"tcp://{host}:5556")
    states.setsockopt_string(zmq.SUBSCRIBE, token)
    told = moves = errors = 0
    while True:
        _envelope, text = states.recv_multipart()
        message = json.loads(text)
        told += 1
        if message["comm_type"] == "MatchEnd":
            print(f"match over {told} {moves} {errors}")
            return 0
        commands.send_string(
            json.dumps(
                {
                    "comm_type": "GameMove",
                    "client_token": client_token,
                    "move": random.choice(MOVES),
                }
            )
        )
        reply = json.loads(commands.recv())
        moves += 1
        if reply["comm_type"] == "ErrorResp":
            errors += 1
        elif reply["comm_type"] != "GameMoveResp" or reply["resp"] not in ("OK", "ok"):
            print(reply)
            return 1
        time.sleep(sleep)


if __name__ == "__main__":
    sys.exit(main())
