"""What is checked of a contest's server, and what the contest's text says of it.

Numbers are ours: what stands before the dot is the subject (2 the match, 3 the board, 4 pieces, 5
the flow of a game, 6 transport, 7 the command channel, 8 the state channel).
"""

from __future__ import annotations

from typing import Final

from sevenbag.checks.harness import Clause


def _table(*rows: tuple[str, str, str, str]) -> dict[str, Clause]:
    return {
        name: Clause(name, title, says, f"clause {number}") for name, number, title, says in rows
    }


CLAUSES: Final = _table(
    (
        "answers",
        "6.1",
        "one answer to each request",
        "the command channel answers every request exactly once, with a JSON object",
    ),
    (
        "connect",
        "7.1",
        "MatchConnect is answered by MatchConnectResp",
        "a team that gives its match token, name and password gets comm_type, resp, client_token",
    ),
    (
        "ok",
        "7.2",
        "a team is let in by 'ok'",
        "MatchConnectResp has resp 'ok' in lower case; clients compare it exactly",
    ),
    (
        "client-token",
        "7.3",
        "the client token",
        "client_token is a string, a UUID in the text",
    ),
    (
        "connect-again",
        "7.4",
        "MatchConnect may be repeated",
        "clients repeat MatchConnect, also after it succeeded: it is answered alike, and harmless",
    ),
    (
        "extra-fields",
        "7.5",
        "white space, key order and further fields are free",
        "messages are JSON objects; white space and key order are of no matter",
    ),
    (
        "malformed",
        "7.6",
        "what is no message",
        "what is no JSON object, or lacks a field, is answered by ErrorResp",
    ),
    (
        "unknown-type",
        "7.7",
        "an unknown comm_type",
        "a command other than MatchConnect and GameMove is answered by ErrorResp",
    ),
    (
        "unknown-match",
        "7.8",
        "an unknown match token",
        "a match_token that names no match is answered by ErrorResp",
    ),
    (
        "unknown-team",
        "7.9",
        "a team that is not of the match",
        "a team_name that is not of the match is answered by ErrorResp",
    ),
    (
        "wrong-password",
        "7.10",
        "a wrong password",
        "a wrong password is answered by ErrorResp",
    ),
    (
        "unknown-client",
        "7.11",
        "a client token that was not given out",
        "a move with another client_token than the server gave out is answered by ErrorResp",
    ),
    (
        "unknown-move",
        "7.12",
        "an unknown move",
        "moves are left, right, down, drop, lrotate, rrotate; others are answered by ErrorResp",
    ),
    (
        "error-form",
        "7.13",
        "ErrorResp's fields",
        "ErrorResp has error and message, both strings",
    ),
    (
        "usable",
        "7.14",
        "after an error the socket is as before",
        "a request socket stays usable after an ErrorResp",
    ),
    (
        "move-reply",
        "7.15",
        "a move is answered by 'OK'",
        "GameMoveResp has resp 'OK': so did the real server, and its strongest client wants it",
    ),
    (
        "pause",
        "6.2",
        "a pause before the first state",
        "a game begins a little after the second team's MatchConnect, so that it can subscribe",
    ),
    (
        "envelope",
        "6.3",
        "two frames",
        "every state message has two frames: the match token, and the JSON",
    ),
    (
        "form",
        "8.1",
        "fields of state messages",
        "GameBoardState, GamePieceState, GameEnd and MatchEnd have these fields of these types",
    ),
    (
        "sequence",
        "8.2",
        "sequence rises",
        "sequence is an integer that rises with every message of any kind",
    ),
    (
        "timestamp",
        "8.3",
        "timestamp is the time",
        "timestamp is seconds since 1970",
    ),
    (
        "teams",
        "8.4",
        "states by team",
        "states and scores have both teams' names, as registered, for their keys",
    ),
    (
        "board-state",
        "8.5",
        "boards in 50 digits",
        "board_state is 50 lower-case hexadecimal digits, the top left cell first",
    ),
    (
        "numbers",
        "8.6",
        "piece numbers",
        "each piece has a number that no other of the match has; -1 is none",
    ),
    (
        "order",
        "8.7",
        "the board before the next piece",
        "GameBoardState comes before the GamePieceState that shows the next piece",
    ),
    (
        "repeat",
        "8.8",
        "the state is repeated",
        "whoever subscribes late hears the state soon, at every time step at the latest",
    ),
    (
        "spawn",
        "4.1",
        "pieces enter at column 5",
        "every piece enters with its origin at column 5, row 0 (orientation 0 is what clients take "
        "for granted)",
    ),
    (
        "pieces",
        "4.2",
        "pieces lie where they can",
        "a piece in one of its orientations lies within the walls, in empty cells",
    ),
    (
        "shifts",
        "5.1",
        "left and right",
        "left and right move the piece by one column, at once",
    ),
    (
        "down",
        "5.2",
        "down",
        "down moves the piece by one row, at once",
    ),
    (
        "rotations",
        "4.3",
        "the directions of rotation",
        "lrotate is orientation + 1, rrotate orientation - 1, around the ring",
    ),
    (
        "blocked",
        "5.3",
        "a move that collides",
        "a move that would collide is answered as others are, and not performed",
    ),
    (
        "out-of-date",
        "5.4",
        "a move for another piece",
        "a move whose piece_number is not the present piece's is answered normally, and not done",
    ),
    (
        "no-number",
        "5.5",
        "a move without a number",
        "a move without piece_number is for whatever piece is there",
    ),
    (
        "seats",
        "5.6",
        "each moves its own piece",
        "each player's piece is independent of the other's",
    ),
    (
        "drop",
        "5.7",
        "drop",
        "drop locks the piece where it would come to rest; the next one is there immediately",
    ),
    (
        "gravity",
        "5.8",
        "gravity",
        "pieces fall by themselves, one row a time step",
    ),
    (
        "gravity-lock",
        "5.9",
        "locked by gravity",
        "who lets gravity lock a piece has none until the next time step: null is told meanwhile",
    ),
    (
        "queue",
        "5.10",
        "one queue for both",
        "both players draw from one queue of upcoming pieces, in its order",
    ),
    (
        "boards",
        "3.1",
        "what is locked is on the board",
        "the board is what it was, with the piece where it was locked",
    ),
    (
        "clears",
        "3.2",
        "full rows are cleared",
        "full rows vanish and cleared_rows tells which they were",
    ),
    (
        "garbage",
        "3.3",
        "rows are sent",
        "two, three, four rows cleared at once send one, two, four to the other board's bottom",
    ),
    (
        "holes",
        "3.4",
        "garbage rows have holes",
        "of each row that is sent at least one cell is empty",
    ),
    (
        "top-out",
        "2.1",
        "who passes the top has lost",
        "if one player's stack passes the top, the other one wins the game",
    ),
    (
        "game-end",
        "8.9",
        "GameEnd",
        "GameEnd has scores by team, the winner's name, and the match token",
    ),
    (
        "scores",
        "2.2",
        "points",
        "100, 200, 500, 800 points for one to four rows at once, times the level's factor",
    ),
    (
        "next-game",
        "8.10",
        "the next game",
        "the next game begins by itself, on empty boards; numbers run on",
    ),
    (
        "match-end",
        "8.11",
        "MatchEnd",
        "MatchEnd has match_name, match_token and status 'ENDED'",
    ),
    (
        "silence",
        "8.12",
        "nothing after MatchEnd",
        "nothing follows MatchEnd",
    ),
    (
        "after-end",
        "7.16",
        "commands after the end",
        "commands are still answered when the match is over, normally or by an error",
    ),
)
"""By name, in the order in which they are looked at."""
