"""Tests of the command channel alone."""

import asyncio

import zmq
import zmq.asyncio

from sevenbag.contest.server.zmq_channels import CommandChannel, ReplyAddress
from tests.contest.server.hosted_server import until
from tests.fakes.pason.zmtp import NewPeer, OldPeer, Peer


async def test_answer_to_a_disconnected_client_is_counted() -> None:
    asked: list[ReplyAddress] = []

    def answer(sender: ReplyAddress, body: bytes) -> None:
        assert body == b"a command"
        asked.append(sender)

    with zmq.Context() as context:
        channel = CommandChannel(context, "127.0.0.1", 0, max_frame_bytes=1_000)
        channel.start(answer)
        client = context.socket(zmq.REQ)
        client.connect(channel.endpoint)
        client.send(b"a command")
        await until(lambda: asked)
        channel.reply(asked[0], b"an answer")
        assert await asyncio.to_thread(client.recv) == b"an answer"
        assert channel.unsent == 0
        client.close(0)

        def is_counted() -> bool:
            channel.reply(asked[0], b"another answer")
            return channel.unsent > 0

        await until(is_counted)
        channel.close()


async def test_client_address_is_known_if_libzmq_reports_it() -> None:
    addresses: list[str] = []

    def answer(sender: ReplyAddress, body: bytes) -> bytes:
        addresses.append(channel.address)
        return body

    def ask(kind: type[Peer]) -> None:
        with kind("127.0.0.1", channel.port, kind="REQ") as peer:
            assert peer.ask(b"a command") == b"a command"

    with zmq.Context() as context:
        channel = CommandChannel(context, "127.0.0.1", 0, max_frame_bytes=1_000)
        channel.start(answer)
        for kind in (NewPeer, OldPeer):
            await asyncio.to_thread(ask, kind)
        channel.close()
    assert addresses == ["127.0.0.1", ""]
