"""Teams that come to their match and do nothing more: their games end by the clock."""

from __future__ import annotations

import json
from typing import Final

import zmq

PASSWORD: Final = "correct horse battery"
TEAMS: Final = ("red", "blue")


def has_come(endpoint: str, token: str, team: str) -> bool:
    """Ask a game server for a team's seat; False if it is not to be had there yet."""
    with zmq.Context() as context, context.socket(zmq.REQ) as client:
        client.setsockopt(zmq.LINGER, 0)
        client.setsockopt(zmq.RCVTIMEO, 30_000)
        client.connect(endpoint)
        client.send_json(
            {
                "comm_type": "MatchConnect",
                "match_token": token,
                "team_name": team,
                "password": PASSWORD,
            }
        )
        return bool(json.loads(client.recv())["comm_type"] == "MatchConnectResp")
