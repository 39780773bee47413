"""Tests of the log: rejected moves with reasons, and no secrets."""

import io
import json
from typing import Any, Literal

import msgspec
import pytest

from sevenbag.contest.settings import LogSettings, MatchRules
from sevenbag.contest.telemetry import RateLimitedLog, create_logger
from tests.contest.server.hosted_server import (
    PASSWORD,
    PASSWORD_HASH,
    hosting,
    lose,
    placement,
    until,
)

QUICK = MatchRules(
    games=1, game_seconds=3_600, first_pause_seconds=0, repeat_seconds=0.05, moves_per_second=1_000
)


async def played(moves: Literal["all", "rejected", "none"], form: Literal["json", "text"]) -> str:
    """The log of a match in which everything happens that is logged."""
    stream = io.StringIO()
    settings = LogSettings(format=form, moves=moves)
    async with hosting(log=settings, logger=create_logger(settings, stream)) as hosted:
        place = hosted.place(placement("Team A", "B", match=QUICK))
        listener = hosted.listener(place)
        wrong = hosted.client()
        await wrong.connect(place, "Team A", password="s3cret but wrong")
        await wrong.connect(place, "Team\nB", password="s3cret and no team")
        wrong.token = "12345678-rest-of-a-token"
        await wrong.move("left")
        await wrong.ask_raw(b'{"comm_type": "GameMove", "password": "s3cret"')
        first, second = await hosted.connect_both(place)
        await listener.until("GamePieceState")
        await second.move("left", piece_number=77)
        for _ in range(9):
            await second.move("left")
        await lose(first, listener)
        await second.move("drop")
        table = hosted.server.matches[place.match_token]
        secrets = [*table.client_tokens, place.match_token, PASSWORD, PASSWORD_HASH]
        await hosted.server.stop("abort")
    log = stream.getvalue()
    for secret in (*secrets, "s3cret", "rest-of-a-token"):
        assert secret not in log
    return log


async def test_moves_that_are_not_done_are_logged_each_with_its_reason() -> None:
    lines: list[dict[str, Any]] = [
        json.loads(line) for line in (await played("rejected", "json")).splitlines()
    ]
    assert all({"event", "level", "timestamp"} <= set(line) for line in lines)
    refused = [line["reason"] for line in lines if line["event"] == "command.rejected"]
    assert refused == [
        "wrong password",
        "unknown team",
        "unknown client token",
        "malformed message",
    ]
    moves = [line for line in lines if line["event"] == "move.received"]
    assert {line["team"] for line in moves if line["reason"] == "out of date"} == {"B"}
    assert {"out of date", "collides", "game over"} <= {line["reason"] for line in moves}
    assert "done" not in {line["reason"] for line in moves}
    stale = next(line for line in moves if line["reason"] == "out of date")
    assert (stale["move"], stale["piece_number"]) == ("left", 77)
    # The first pieces of a match are 1 and 2.
    assert stale["current_piece"] in {1, 2}
    events = [line["event"] for line in lines]
    for event in (
        "match.accepted",
        "team.connected",
        "game.started",
        "game.finished",
        "match.finished",
    ):
        assert event in events


async def test_move_logging_is_configurable() -> None:
    log = await played("all", "text")
    assert "reason=done" in log
    assert "reason='out of date'" in log
    # A team name cannot start a new line.
    assert all(line.startswith("20") for line in log.splitlines())
    log = await played("none", "text")
    assert "reason='out of date'" not in log
    assert "wrong password" in log


async def test_default_log_has_one_line_per_event_and_aggregated_refusals() -> None:
    stream = io.StringIO()
    rules = msgspec.structs.replace(QUICK, linger_seconds=0.05)
    async with hosting(
        log=LogSettings(format="json"), logger=create_logger(LogSettings(format="json"), stream)
    ) as hosted:
        place = hosted.place(placement("A", "B", match=rules))
        listener, stranger = hosted.listener(place), hosted.client()
        for _ in range(30):
            await stranger.connect(place, "A", password="wrong")
            await stranger.connect(place, "C")
        first, second = await hosted.connect_both(place)
        await listener.until("GamePieceState")
        for _ in range(200):
            await second.move("left", piece_number=77)
        await lose(first, listener)
        await until(lambda: place.match_token not in hosted.server.matches)
        for _ in range(30):
            await second.move("left")
        await hosted.server.stop("abort")
    lines: list[dict[str, Any]] = [json.loads(line) for line in stream.getvalue().splitlines()]
    events = [line["event"] for line in lines]
    for event in ("match.accepted", "game.started", "game.finished", "match.finished"):
        assert events.count(event) == 1
    assert "move.received" not in events
    (over,) = [line for line in lines if line["event"] == "game.finished"]
    assert over["moves"]["B"]["out of date"] == 200
    refused = [line for line in lines if line["event"] == "command.rejected"]
    assert {line["match"] for line in refused} == {place.match_token[:8]}
    for reason, team in (("wrong password", "A"), ("unknown team", None), ("match ended", "B")):
        # The last drop of A may arrive after the end of the match.
        mine = [line for line in refused if line["reason"] == reason and line.get("team") == team]
        # The first refusal, then the count of further ones.
        counts = [line.get("count", 1) for line in mine]
        assert sum(counts) == 30
        assert len(counts) < 10


def test_log_is_rate_limited_and_counts_omissions() -> None:
    stream = io.StringIO()
    now = 100.0
    logger = create_logger(LogSettings(format="json"), stream)
    log = RateLimitedLog(logger, lambda: now, lines=10, seconds=1.0)
    for number in range(1_000):
        log.log("move.received", "collides" if number % 2 else "no piece", team="A")
    # A limit for each reason, so that frequent ones do not hide rare ones.
    assert len(stream.getvalue().splitlines()) == 20
    log.log("move.received", "out of date", team="A")
    assert '"out of date"' in stream.getvalue()
    now += 1
    log.log("move.received", "collides", team="A")
    log.log_suppressed()
    lines = [json.loads(line) for line in stream.getvalue().splitlines()][21:]
    assert [(line["reason"], line.get("count")) for line in lines] == [
        ("no piece", 490),
        ("collides", 490),
        ("collides", None),
    ]
    assert {line["team"] for line in lines} == {"A"}


@pytest.mark.parametrize("form", ["json", "text"])
def test_errors_have_a_traceback_without_values_of_variables(form: Literal["json", "text"]) -> None:
    """Of which some are passwords."""

    def check(password: str) -> None:
        raise ValueError(f"{len(password)} characters")

    stream = io.StringIO()
    logger = create_logger(LogSettings(format=form), stream)
    try:
        check(PASSWORD)
    except ValueError as error:
        logger.error("something broke", exc_info=error)
    assert f"{len(PASSWORD)} characters" in stream.getvalue()
    assert "in check" in stream.getvalue() or '"check"' in stream.getvalue()
    assert PASSWORD not in stream.getvalue()
    if form == "json":
        assert len(stream.getvalue().splitlines()) == 1
