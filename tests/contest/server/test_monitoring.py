"""Health, readiness and metrics."""

import asyncio
import contextlib
import socket
import urllib.error
import urllib.request
from collections.abc import AsyncGenerator

import pytest
from prometheus_client.parser import text_string_to_metric_families

from sevenbag.contest.settings import MatchRules
from tests.contest.server.hosted_server import HostedServer, RecordingSink, hosting, lose, placement


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


@contextlib.asynccontextmanager
async def watched(sink: RecordingSink | None = None) -> AsyncGenerator[tuple[HostedServer, int]]:
    async with hosting(result_sink=sink, http_port=free_port()) as hosted:
        yield hosted, hosted.server.http_port


def fetched(port: int, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=120) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def answered(port: int, request: str) -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(request.encode())
        with connection.makefile(newline="") as answer:
            return answer.read()


async def metrics(port: int) -> dict[str, float]:
    """All samples, by name and label values."""
    status, text = await asyncio.to_thread(fetched, port, "/metrics")
    assert status == 200
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(text):
        assert family.documentation
        for sample in family.samples:
            found[" ".join([sample.name, *sample.labels.values()])] = sample.value
    return found


async def test_metrics_count_what_happens() -> None:
    match = MatchRules(games=1, first_pause_seconds=0, repeat_seconds=0.05)
    async with watched() as (hosted, port):
        before = await metrics(port)
        assert before["sevenbag_contest_matches_hosted"] == 0
        place = hosted.place(placement(match=match))
        listener = hosted.listener(place)
        loser, other = await hosted.connect_both(place)
        await other.ask_raw(b"{")
        await other.move("left", piece_number=-5)
        await lose(loser, listener)
        after = await metrics(port)
        # There is a second team that has never moved.
        assert after["sevenbag_contest_logins_total"] == 2
        assert after["sevenbag_contest_commands_rejected_total malformed message"] == 1
        assert after["sevenbag_contest_games_total"] == 1
        assert after["sevenbag_contest_matches_total"] == 1
        assert after["sevenbag_contest_matches_hosted"] == 1
        assert after["sevenbag_contest_states_published_total"] > 10
        fates = hosted.server.metrics.moves
        assert sum(fates.values()) > 10
        for fate, count in fates.items():
            assert after[f"sevenbag_contest_moves_total {fate}"] == count
        assert after["sevenbag_contest_loop_delay_seconds"] >= 0
        told = hosted.server.create_heartbeat().commands
        assert told == 3 + sum(fates.values())


async def test_health_and_readiness() -> None:
    sink = RecordingSink()
    async with watched(sink) as (hosted, port):
        assert await asyncio.to_thread(fetched, port, "/health") == (200, "ok\n")
        assert await asyncio.to_thread(fetched, port, "/ready") == (200, "ready\n")
        # A proxy may send an absolute target.
        whole = f"GET http://elsewhere.example:{port}/health?now HTTP/1.1\r\nHost: x\r\n\r\n"
        assert (await asyncio.to_thread(answered, port, whole)).endswith("\r\n\r\nok\n")
        sink.problem = "the scheduler does not answer"
        status, words = await asyncio.to_thread(fetched, port, "/ready?why")
        assert (status, words) == (503, "the scheduler does not answer\n")
        sink.problem = ""
        place = hosted.place(placement(match=MatchRules(first_pause_seconds=0)))
        listener = hosted.listener(place)
        await hosted.connect_both(place)
        await listener.next()
        stopping = asyncio.create_task(hosted.server.stop("finish"))
        await asyncio.sleep(0.02)
        status, words = await asyncio.to_thread(fetched, port, "/ready")
        assert status == 503
        assert "shutting down" in words
        assert (await asyncio.to_thread(fetched, port, "/health"))[0] == 200
        await hosted.server.stop("abort")
        await stopping


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", b"404"),
        (b"POST /health HTTP/1.1\r\nHost: x\r\n\r\n", b"405"),
        (b"rubbish\r\n\r\n", b"400"),
        (b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n", b"200"),
        (b"HEAD /metrics HTTP/1.0\r\n\r\n", b"200"),
        (b"\xff" * 100_000, b"400"),
        (b"GET /health HTTP/1.1\r\n" + b"a: b\r\n" * 2_000, b"400"),
        (b"GET /hea", b""),
    ],
)
async def test_nonsense_is_answered_or_cut_off(request_bytes: bytes, status: bytes) -> None:
    async with watched() as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        with contextlib.suppress(ConnectionError):
            writer.write(request_bytes)
            if not status:
                writer.write_eof()
            answer = await reader.read()
            assert answer[9:12] == status
            if request_bytes.startswith(b"HEAD"):
                assert answer.endswith(b"\r\n\r\n")
        writer.close()
        assert (await asyncio.to_thread(fetched, port, "/health"))[0] == 200
