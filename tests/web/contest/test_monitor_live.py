"""From a real state channel to viewers."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from sevenbag.contest import telemetry
from sevenbag.web.contest.live_broadcast import (
    LiveBroadcaster,
    LiveViewer,
    SlowViewerError,
    ViewerLimitError,
    WatchedMatch,
)
from sevenbag.web.contest.match_frames import MatchTracker
from tests.web.contest.publisher import TEAMS, Publisher, filled

EMPTY = "." * 200


@pytest.fixture
def channel() -> Iterator[Publisher]:
    with Publisher() as publisher:
        yield publisher


class Places(dict[str, str]):
    """Directory of matches by token."""


@pytest.fixture
async def places() -> Places:
    return Places()


@pytest.fixture
async def hub(places: Places) -> AsyncIterator[LiveBroadcaster]:
    made = LiveBroadcaster(places.get, max_viewers=100, frames_per_second=200)
    yield made
    await made.close()


@pytest.fixture
async def viewer(hub: LiveBroadcaster, places: Places, channel: Publisher) -> LiveViewer:
    """A viewer of the match, whose channel is subscribed."""
    places[channel.token] = channel.endpoint
    viewer = hub.subscribe([subject(channel)])
    await asyncio.to_thread(channel.wait_until_heard)
    return viewer


def subject(publisher: Publisher, match: int = 7) -> WatchedMatch:
    return WatchedMatch(match, publisher.token, publisher.teams)


async def until(viewer: LiveViewer, right: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Look until something is seen."""
    async with asyncio.timeout(120):
        while True:
            for frame in await viewer.next_frames():
                event: dict[str, Any] = json.loads(frame)
                if right(event):
                    return event


def named(event: str) -> Callable[[dict[str, Any]], bool]:
    return lambda seen: bool(seen["event"] == event)


async def test_a_game_is_seen(hub: LiveBroadcaster, places: Places, channel: Publisher) -> None:
    places[channel.token] = channel.endpoint
    viewer = hub.subscribe([subject(channel)])
    first = await until(viewer, named("match_frame"))
    assert (first["match"], first["status"], first["boards"]) == (7, "assigned", [EMPTY] * 2)
    assert first["scores"] is None
    await asyncio.to_thread(channel.wait_until_heard)
    channel.boards(filled(), filled())
    channel.pieces(("O", 0, 0, 5), ("I", 1, 4, 0), "LJTSZ")
    seen = await until(viewer, lambda event: event["queue"] == "LJTSZ")
    assert seen["status"] == "playing"
    assert seen["game"] == "Game 1"
    assert seen["pieces"] == [["O", 0, 0, 5], ["I", 1, 4, 0]]
    channel.boards(filled("....OO....", "....OO...."), filled())
    channel.pieces(None, ("I", 1, 5, 0))
    channel.figures((1200, 300), level=2, lines=(7, 3), games=(1, 0))
    seen = await until(viewer, lambda event: event["scores"] is not None)
    assert seen["boards"] == ["." * 184 + "OO" + "." * 8 + "OO....", EMPTY]
    assert seen["pieces"] == [None, ["I", 1, 5, 0]]
    assert (seen["scores"], seen["lines"], seen["games"]) == ([1200, 300], [7, 3], [1, 0])
    assert seen["level"] == 2
    # An I completes a row on its own, and the opponent receives garbage.
    channel.boards(filled("OO"), filled("G.GG..GGGG"), ((19,), ()))
    seen = await until(viewer, lambda event: event["clears"] != [])
    assert [clear[1:] for clear in seen["clears"]] == [[0, [19]]]
    assert [rise[1:] for rise in seen["garbage_rises"]] == [[1, 1]]
    assert seen["boards"][1].endswith("G.GG..GGGG")
    channel.end_game((1300, 300), 0)
    assert await until(viewer, named("game_finished")) == {
        "event": "game_finished",
        "match": 7,
        "game": "Game 1",
        "winner": 0,
        "scores": [1300, 300],
    }
    channel.game = "Game 2"
    channel.pieces(("T", 0, 0, 5), None)
    seen = await until(viewer, lambda event: event["game"] == "Game 2")
    assert (seen["boards"], seen["status"]) == ([EMPTY] * 2, "playing")
    channel.end_match()
    assert await until(viewer, named("match_finished")) == {"event": "match_finished", "match": 7}


async def test_no_token_reaches_viewers(channel: Publisher, viewer: LiveViewer) -> None:
    channel.pieces(("T", 0, 0, 5), None)
    channel.end_game((1, 2), 1)
    channel.end_match()
    told: list[str] = []
    while not any("match_finished" in frame for frame in told):
        told += await viewer.next_frames()
    assert not any(channel.token in frame for frame in told)


async def test_a_match_moves_to_another_game_server(
    hub: LiveBroadcaster, places: Places, channel: Publisher
) -> None:
    viewer = hub.subscribe([subject(channel)])
    assert (await until(viewer, named("match_frame")))["status"] == "waiting"
    places[channel.token] = channel.endpoint
    await until(viewer, lambda event: event["status"] == "assigned")
    await asyncio.to_thread(channel.wait_until_heard)
    channel.pieces(("T", 0, 0, 5), None)
    await until(viewer, lambda event: event["status"] == "playing")
    del places[channel.token]
    channel.close()
    await until(viewer, lambda event: event["status"] == "waiting")
    with Publisher(channel.token, game="Game 1 again") as other:
        places[channel.token] = other.endpoint
        await asyncio.to_thread(other.wait_until_heard)
        other.pieces(None, ("Z", 0, 3, 4))
        seen = await until(viewer, lambda event: event["game"] == "Game 1 again")
        assert seen["pieces"] == [None, ["Z", 0, 3, 4]]


async def test_stopping_server_does_not_end_the_match(
    hub: LiveBroadcaster, places: Places, channel: Publisher, viewer: LiveViewer
) -> None:
    channel.pieces(("T", 0, 0, 5), None)
    channel.end_match()
    await until(viewer, named("match_finished"))
    with Publisher(channel.token) as other:
        places[channel.token] = other.endpoint
        await until(viewer, lambda event: event.get("status") == "assigned")
        await asyncio.to_thread(other.wait_until_heard)
        other.pieces(None, ("Z", 0, 3, 4))
        await until(viewer, lambda event: event.get("status") == "playing")
        other.end_match()
        await until(viewer, named("match_finished"))
        # It is on no server any more, and stays over.
        del places[channel.token]
        await asyncio.sleep(0.7)
        assert (
            '"status":"finished"' in hub.subscribe([subject(channel)]).matches[0].tracker.frame_json
        )


async def test_all_viewers_get_the_last_frame_and_the_end(
    hub: LiveBroadcaster, places: Places, channel: Publisher
) -> None:
    places[channel.token] = channel.endpoint
    crowd = [hub.subscribe([subject(channel)]) for _ in range(100)]
    with pytest.raises(ViewerLimitError, match="too many"):
        hub.subscribe([subject(channel)])
    # Once for all of them.
    await asyncio.to_thread(channel.wait_until_heard)
    for row in range(20):
        channel.pieces(("T", 0, row, 5), None)
    channel.end_game((5, 6), 1)
    channel.end_match()

    async def last_row(viewer: LiveViewer) -> int:
        rows: list[int] = []
        while True:
            for event in map(json.loads, await viewer.next_frames()):
                if event["event"] == "match_finished":
                    return rows[-1]
                if event["event"] == "match_frame" and event["pieces"][0]:
                    rows.append(event["pieces"][0][2])

    async with asyncio.timeout(120):
        assert await asyncio.gather(*map(last_row, crowd)) == [19] * 100
    for viewer in crowd:
        hub.unsubscribe(viewer)
        hub.unsubscribe(viewer)
    assert hub.metrics()["site_viewers"] == 0
    assert hub.metrics()["site_viewers_rejected_total"] == 1
    hub.subscribe([subject(channel)])


async def test_slow_viewers_are_dropped(
    hub: LiveBroadcaster, places: Places, channel: Publisher
) -> None:
    places[channel.token] = channel.endpoint
    sleeper, awake = hub.subscribe([subject(channel)]), hub.subscribe([subject(channel)])
    await asyncio.to_thread(channel.wait_until_heard)
    for number in range(500):
        channel.game = f"Game {number}"
        channel.end_game((number, 0), 0)
        await until(awake, lambda event: event.get("scores") == [number, 0])  # noqa: B023
    with pytest.raises(SlowViewerError):
        await sleeper.next_frames()


async def test_several_matches_on_several_servers(hub: LiveBroadcaster, places: Places) -> None:
    with Publisher() as one, Publisher() as other:
        places.update({one.token: one.endpoint, other.token: other.endpoint})
        viewer = hub.subscribe([subject(one, 1), subject(other, 2)])
        await asyncio.to_thread(one.wait_until_heard)
        await asyncio.to_thread(other.wait_until_heard)
        one.pieces(("T", 0, 1, 1), None)
        other.pieces(("J", 0, 2, 2), None)
        seen: dict[int, Any] = {}
        async with asyncio.timeout(120):
            while len(seen) < 2:
                for event in map(json.loads, await viewer.next_frames()):
                    if event["pieces"][0] is not None:
                        seen[event["match"]] = event["pieces"][0]
        assert seen == {1: ["T", 0, 1, 1], 2: ["J", 0, 2, 2]}


async def test_match_is_followed_before_it_has_viewers(places: Places, channel: Publisher) -> None:
    """New viewers know the piece of every cell."""
    places[channel.token] = channel.endpoint
    hub = LiveBroadcaster(
        places.get,
        active_tokens=lambda: [channel.token, "unknown"],
        find_match={channel.token: subject(channel)}.get,
    )
    hub.start()
    await asyncio.to_thread(channel.wait_until_heard)
    channel.boards(filled(), filled())
    channel.pieces(("O", 0, 0, 5), None)
    channel.boards(filled("....OO....", "....OO...."), filled())
    viewer = hub.subscribe([subject(channel)])
    seen = await until(viewer, lambda event: event["boards"][0] != EMPTY)
    assert seen["boards"][0] == "." * 184 + "OO" + "." * 8 + "OO...."
    assert hub.metrics()["site_live_matches"] == 1
    await hub.close()


async def test_missed_end_of_a_match(hub: LiveBroadcaster, channel: Publisher) -> None:
    viewer = hub.subscribe([subject(channel)])
    hub.finish_match(channel.token)
    hub.finish_match("nobody looks at this one")
    await until(viewer, named("match_finished"))


async def test_invalid_endpoint(
    places: Places, channel: Publisher, capsys: pytest.CaptureFixture[str]
) -> None:
    hub = LiveBroadcaster(places.get)
    places[channel.token] = "rubbish"
    viewer = hub.subscribe([subject(channel)])
    assert (await until(viewer, named("match_frame")))["status"] == "waiting"
    assert await asyncio.to_thread(telemetry.flush_logs)
    assert "live.subscribe_failed" in capsys.readouterr().err
    places[channel.token] = channel.endpoint
    await until(viewer, lambda event: event["status"] == "assigned")
    await hub.close()


RUBBISH = [
    b"",
    b"{",
    b"[]",
    b'{"comm_type": "Other"}',
    b'{"comm_type": "GamePieceState"}',
    b'{"comm_type": "GameEnd", "scores": 3}',
    b'{"comm_type": "MatchEnd"',
    b"\xff\xfe",
    b"[" * 50_000,
    b" " * 100_000,
]


@pytest.mark.parametrize("data", RUBBISH)
def test_invalid_messages_are_counted(data: bytes) -> None:
    tracker = MatchTracker(1, TEAMS)
    tracker.handle_message(data)
    assert json.loads(tracker.frame_json)["boards"] == [EMPTY] * 2
    assert tracker.invalid_messages == 1
    tracker.handle_statistics(data)
    assert tracker.invalid_messages == 2


def test_invalid_boards() -> None:
    tracker = MatchTracker(1, TEAMS)
    for board in ("", "0" * 49, "x" * 50, "0" * 51):
        states = {team: {"board_state": board, "cleared_rows": [10**30, -1]} for team in TEAMS}
        message = {
            "comm_type": "GameBoardState",
            "game_name": "",
            "sequence": 1,
            "timestamp": 0,
            "states": states,
        }
        assert tracker.handle_message(json.dumps(message).encode()) is None
    assert tracker.invalid_messages == 4
    assert json.loads(tracker.frame_json)["clears"] == []
