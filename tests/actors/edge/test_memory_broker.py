"""The broker in memory behaves as links expect it of a real one."""

from __future__ import annotations

import pytest

from manyhands.actors.edge.link import IncomingMessage, LastWill
from manyhands.protocol.base import Message
from manyhands.protocol.edge.messages import Presence
from manyhands.protocol.edge.topics import Topics
from manyhands.protocol.edge.wire import pack
from manyhands.protocol.errors import LinkAway
from tests.actors.edge.memory_broker import MemoryBroker
from tests.virtual_clock import VirtualClock, run_virtual

TOPICS = Topics("lab")


class Ears:
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[Message] = []
        self.retained: list[bool] = []
        self.connections = 0

    def on_message(self, message: IncomingMessage) -> None:
        self.heard.append(message.packet.envelope.body)
        self.retained.append(message.retained)

    async def on_connect(self) -> None:
        self.connections += 1


def presence(online: bool) -> Presence:
    return Presence(site="lab", session="s", online=online, since=1.0)


def test_what_is_retained_is_told_to_who_comes_later_and_a_will_when_a_link_is_lost() -> None:
    async def play() -> None:
        broker, ears = MemoryBroker(), Ears()
        site, client = broker.link(), broker.link()
        await site.start(Ears(), LastWill(TOPICS.presence, pack(presence(False), 1.0).data))
        await site.publish(TOPICS.presence, pack(presence(True), 1.0).data, retain=True)
        await client.start(ears)
        await client.subscribe(TOPICS.presence)
        await VirtualClock().sleep(1)
        await broker.lose(site)
        await VirtualClock().sleep(1)
        assert ears.heard == [presence(True), presence(False)]
        assert ears.retained == [True, False]
        with pytest.raises(LinkAway):
            await site.publish(TOPICS.presence, b"")
        assert site.counts.unsent == 1

    run_virtual(play())


def test_faults_decide_deliveries_and_foreign_bytes_are_counted() -> None:
    async def play() -> None:
        broker = MemoryBroker(lambda _, data: ((2.0, data), (1.0, data[:-1]), (3.0, data)))
        site, client, ears = broker.link(), broker.link(), Ears()
        await site.start(Ears())
        await client.start(ears)
        await client.subscribe("manyhands/v1/+/presence")
        await site.publish(TOPICS.presence, pack(presence(True), 1.0).data)
        await VirtualClock().sleep(2.5)
        assert (len(ears.heard), client.counts.malformed) == (1, 1)
        await broker.lose(client)
        await VirtualClock().sleep(1)
        await broker.regain(client)
        assert (len(ears.heard), ears.connections) == (1, 2)

    run_virtual(play())
