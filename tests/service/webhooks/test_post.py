"""One message to a real receiver: accepted, refused, redirected, late, or never sent at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from manyhands.protocol.errors import AddressRefused
from manyhands.service.webhook_post import MessagePost, check_address
from tests.service.webhooks.receiver import Receiver, answer_with, hang

NOW = 1_800_000_000.0


@pytest.fixture
async def post() -> AsyncIterator[MessagePost]:
    async with MessagePost() as made:
        yield made


async def test_a_receiver_gets_body_and_headers(post: MessagePost) -> None:
    async with Receiver() as receiver:
        answer = await post.send(receiver.url, {"webhook-id": "msg_1"}, b"{}", NOW)
    assert answer.is_accepted
    assert answer.http_status == 204
    assert [(one.id, one.body, one.path) for one in receiver.messages] == [("msg_1", b"{}", "/hook")]
    assert receiver.messages[0].headers["user-agent"] == "manyhands"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_redirects_are_not_followed(post: MessagePost, status: int) -> None:
    async with Receiver() as other, Receiver(answer_with(status, Location=other.url)) as receiver:
        answer = await post.send(receiver.url, {"webhook-id": "msg_1"}, b"{}", NOW)
    assert not answer.is_accepted
    assert "redirects" in str(answer.problem)
    assert other.messages == []


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [("120", 120.0), ("Fri, 15 Jan 2027 08:01:00 GMT", 60.0), ("Fri, 15 Jan 2021 08:01:00 GMT", 0.0), ("soon", None)],
)
async def test_a_receiver_may_say_when_to_come_back(post: MessagePost, asked: str, seconds: float | None) -> None:
    async with Receiver(answer_with(503, Retry_After=asked)) as receiver:
        answer = await post.send(receiver.url, {"webhook-id": "msg_1"}, b"{}", NOW)
    assert answer.http_status == 503
    assert answer.asked_s == seconds


async def test_a_receiver_that_never_answers_is_left_at_the_deadline() -> None:
    async with Receiver(hang) as receiver, MessagePost(deadline_s=0.2) as post:
        answer = await post.send(receiver.url, {"webhook-id": "msg_1"}, b"{}", NOW)
    assert answer.http_status is None
    assert "within 0.2 s" in str(answer.problem)


async def test_an_answer_without_an_end_holds_up_nothing(post: MessagePost) -> None:
    ended = asyncio.Event()

    async def pour(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        try:
            while True:
                await response.write(b"x" * 65536)
        finally:
            ended.set()

    async with Receiver(pour) as receiver:
        assert (await post.send(receiver.url, {"webhook-id": "msg_1"}, b"{}", NOW)).is_accepted
        await asyncio.wait_for(ended.wait(), 60)


async def test_a_receiver_that_is_down_is_a_problem_and_no_error(post: MessagePost) -> None:
    async with Receiver() as receiver:
        pass
    answer = await post.send(receiver.url, {}, b"{}", NOW)
    assert answer.http_status is None
    assert "cannot be reached" in str(answer.problem)


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254",
        "[fe80::1]",
        "[fe80::1%25eth0]",
        "[::ffff:169.254.169.254]",
        "[2002:a9fe:a9fe::]",
        "[64:ff9b::a9fe:a9fe]",
        "0xA9FEA9FE",
        "100.100.100.200",
        "[fd00:ec2::254]",
        "0.0.0.0",
        "224.0.0.1",
    ],
)
async def test_metadata_addresses_get_no_event_however_they_are_written(post: MessagePost, host: str) -> None:
    answer = await post.send(f"http://{host}/latest/meta-data", {}, b"{}", NOW)
    assert answer.http_status is None
    assert "no event is sent there" in str(answer.problem)


@pytest.mark.parametrize("host", ["2852039166", "169.254.43518"])
async def test_shortened_addresses_are_no_way_around(post: MessagePost, host: str) -> None:
    answer = await post.send(f"http://{host}/latest/meta-data", {}, b"{}", NOW)
    assert answer.http_status is None
    assert "not a canonical" in str(answer.problem)


async def test_an_operator_can_allow_all_addresses() -> None:
    """Where the system connects to the address of no host, it means this host."""
    async with MessagePost(refuses_addresses=False) as post, Receiver() as receiver:
        answer = await post.send(receiver.url.replace("127.0.0.1", "0.0.0.0"), {"webhook-id": "msg_1"}, b"{}", NOW)
    assert "no event is sent there" not in str(answer.problem)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "10.0.0.7", "192.168.1.5", "93.184.215.14", "example.org"])
def test_other_addresses_are_allowed(address: str) -> None:
    check_address(address)


def test_a_refused_address_is_named() -> None:
    with pytest.raises(AddressRefused, match=r"169\.254\.169\.254"):
        check_address("169.254.169.254")
