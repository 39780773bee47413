"""Checks of the command channel: who is let in, and what is an error."""

from __future__ import annotations

import json
import time
import uuid
from typing import TYPE_CHECKING, Any

from tests.conformance.pason.server_check.lab import GoneError

if TYPE_CHECKING:
    from tests.conformance.pason.server_check.lab import Lab, Side

Json = dict[str, Any]


async def errors(lab: Lab) -> None:
    """What is no command, or a wrong one; nobody has connected yet."""
    side = lab.sides[0]
    for data in (b"{", b"[]", b'"MatchConnect"', b"\xff\xfe", b""):
        await _expect_error(lab, "malformed", data, f"{data!r}")
    for missing in ("match_token", "team_name", "password"):
        command = {k: v for k, v in lab.connecting(side).items() if k != missing}
        await _expect_error(lab, "malformed", command, f"MatchConnect without {missing}")
    await _expect_error(lab, "unknown-type", {"comm_type": "GameStart"}, "GameStart")
    unknown = str(uuid.uuid4())
    told = lab.connecting(side, match_token=unknown)
    await _expect_error(lab, "unknown-match", told, "a match token that there is none of")
    told = lab.connecting(side, team_name=f"nobody {unknown[:8]}")
    await _expect_error(lab, "unknown-team", told, "a team that is not of the match")
    told = lab.connecting(side, password=unknown)
    await _expect_error(lab, "wrong-password", told, "a wrong password")
    stranger = {"comm_type": "GameMove", "client_token": unknown, "move": "left"}
    await _expect_error(lab, "unknown-client", stranger, "a client token that was not given out")


async def first_team(lab: Lab) -> None:
    """Our team connects, and once more."""
    side = lab.sides[0]
    lab.look_at("usable")
    answer = await lab.ask(side.name, lab.connecting(side))
    if not _is_let_in(lab, side, answer, "connect"):
        if answer is None or "comm_type" not in answer:
            lab.note("usable", "error", "after errors, commands are not answered as before")
        words = "" if answer is None else f": {answer.get('error')}: {answer.get('message')}"
        raise GoneError(f"{side.name} is not let in{words:.200}")
    lab.look_at("connect-again", "extra-fields")
    again = await lab.ask(side.name, lab.connecting(side))
    _is_let_in(lab, side, again, "connect-again")
    told = lab.connecting(side, client_version="1.0", extra=[1, None])
    loose = json.dumps(dict(reversed(told.items())), indent=3).encode()
    _is_let_in(lab, side, await lab.ask(side.name, loose), "extra-fields")
    await _expect_error(
        lab,
        "unknown-move",
        {"comm_type": "GameMove", "client_token": lab.tokens[side.name], "move": "hold"},
        "the move hold",
    )
    told = {"comm_type": "GameMove", "client_token": lab.tokens[side.name]}
    await _expect_error(lab, "malformed", told, "GameMove without move")


async def second_team(lab: Lab) -> None:
    """The other team connects; only then the first game begins, and not at once."""
    other = lab.sides[1]
    began = time.monotonic()
    if other.password is not None:
        lab.look_at("pause")
        await lab.listen(lab.timing.quiet)
        if lab.heard_first is not None:
            lab.note("pause", "error", "states are told before the second team has connected")
        began = time.monotonic()
        answer = await lab.ask(other.name, lab.connecting(other))
        if not _is_let_in(lab, other, answer, "connect"):
            raise GoneError(f"{other.name} is not let in")
    if not await lab.until(lambda: lab.follower.pieces, lab.timing.begin):
        lab.note("pause", "error", f"no game has begun within {lab.timing.begin:g} s")
        raise GoneError("no game has begun")
    if other.password is not None and lab.heard_first is not None:
        passed = lab.heard_first - began
        if 0 < passed < lab.timing.pause:
            what = f"the first state came {passed * 1000:.0f} ms after the second MatchConnect"
            lab.note("pause", "warning", what)


async def after_the_end(lab: Lab) -> None:
    """The match is over: nothing more is told, but who asks is answered."""
    lab.look_at("silence", "after-end")
    await lab.listen(lab.timing.quiet)
    answer = await lab.move(lab.sides[0].name, "left")
    if answer is not None and answer.get("comm_type") not in {"GameMoveResp", "ErrorResp"}:
        lab.note("after-end", "error", f"a move after the end is answered by {answer!r:.80}")
    if answer is None:
        lab.note("after-end", "error", "a move after the end is not answered")
    await lab.listen(lab.timing.quiet)


# --- helpers ------------------------------------------------------------------------------------


async def _expect_error(lab: Lab, clause: str, command: Json | bytes, what: str) -> None:
    lab.look_at(clause)
    answer = await lab.ask(lab.sides[0].name, command)
    if answer is None:
        lab.note(clause, "error", f"{what} is not answered by ErrorResp")
        return
    if answer.get("comm_type") != "ErrorResp":
        kind = f"{answer.get('comm_type')!r:.60}"
        lab.note(clause, "error", f"{what} is answered by {kind}, must be 'ErrorResp'")
        return
    lab.look_at("error-form")
    for field in ("error", "message"):
        if not isinstance(answer.get(field), str):
            lab.note("error-form", "error", f"ErrorResp has {field} {answer.get(field)!r:.60}")


def _is_let_in(lab: Lab, side: Side, answer: Json | None, clause: str) -> bool:
    """Whether it is the answer to who may come in, with findings where it is not quite."""
    lab.look_at(clause, "ok", "client-token")
    if answer is None or answer.get("comm_type") != "MatchConnectResp":
        kind = None if answer is None else answer.get("comm_type")
        what = f"MatchConnect is answered by {kind!r:.60}, must be 'MatchConnectResp'"
        lab.note(clause, "error", what)
        return False
    if answer.get("resp") != "ok":
        lab.note("ok", "error", f"resp is {answer.get('resp')!r:.60}, must be 'ok'")
    token = answer.get("client_token")
    if not isinstance(token, str) or not token:
        lab.note("client-token", "error", f"client_token is {token!r:.60}, must be a string")
        return False
    try:
        uuid.UUID(token)
    except ValueError:
        lab.note("client-token", "note", "client_token is no UUID, as it is in the text")
    lab.tokens[side.name] = token
    return True
