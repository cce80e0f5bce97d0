"""With the credentials of one site nothing can be had of another one: mosquitto itself refuses every try."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.reasoncodes import ReasonCode

from manyhands.actors.edge.link import IncomingMessage
from manyhands.actors.edge.mqtt_gateway import mqtt_link
from manyhands.actors.edge.settings import BrokerSettings, MqttGatewaySettings
from manyhands.deploy.edge_gateway import link_name
from manyhands.protocol.edge.topics import Topics
from tests.mqtt.broker import Mosquitto

A, B = Topics("A"), Topics("B")
WAIT_S = 10.0
MINE, THEIRS = "phone-a", "phone-b"
VERSIONS = {"mqtt5": MQTTProtocolVersion.MQTTv5, "mqtt311": MQTTProtocolVersion.MQTTv311}


class Heard(NamedTuple):
    topic: str
    data: bytes
    retained: bool


class Plain:
    """An MQTT client that says how the broker answers. It knows no rules: it does what it is told."""

    def __init__(self, broker: Mosquitto, name: str, version: MQTTProtocolVersion, client_id: str = "") -> None:
        self._answers: queue.Queue[ReasonCode] = queue.Queue()
        self._heard: queue.Queue[Heard] = queue.Queue()
        self.lost: queue.Queue[ReasonCode] = queue.Queue()
        self._client = Client(CallbackAPIVersion.VERSION2, client_id, protocol=version)
        account = broker.account(name)
        self._client.username_pw_set(account.user, account.password)
        self._client.on_connect = lambda client, data, flags, code, properties: self._answers.put(code)
        self._client.on_subscribe = lambda client, data, mid, codes, properties: self._answers.put(codes[0])
        self._client.on_publish = lambda client, data, mid, code, properties: self._answers.put(code)
        self._client.on_message = self._on_message
        self._client.on_disconnect = lambda client, data, flags, code, properties: self.lost.put(code)
        self._broker = broker

    def _on_message(self, client: Client, data: object, message: MQTTMessage) -> None:
        self._heard.put(Heard(message.topic, bytes(message.payload), message.retain))

    @contextmanager
    def connected(self, will: str | None = None) -> Iterator[Plain]:
        if will is not None:
            self._client.will_set(will, b"A's will", 1, True)
        self._client.connect(self._broker.host, self._broker.port, keepalive=5)
        self._client.loop_start()
        try:
            assert not self._answer().is_failure
            yield self
        finally:
            self._client.disconnect()
            self._client.loop_stop()

    def die(self) -> None:
        """Vanish without a word, so that the broker tells the will."""
        self._client.loop_stop()
        socket = self._client.socket()
        assert socket is not None
        socket.close()

    def may_listen(self, topic: str) -> bool:
        self._client.subscribe(topic, 1)
        return not self._answer().is_failure

    def publish(self, topic: str, data: bytes = b"from A", retain: bool = False) -> ReasonCode:
        self._client.publish(topic, data, 1, retain)
        return self._answer()

    def next(self) -> Heard:
        return self._heard.get(timeout=WAIT_S)

    def _answer(self) -> ReasonCode:
        return self._answers.get(timeout=WAIT_S)


@dataclass(frozen=True, slots=True)
class World:
    """Two sites at work and the cluster, with what B has retained."""

    broker: Mosquitto
    version: MQTTProtocolVersion
    intruder: Plain
    """Has the credentials of site A."""
    site: Plain
    """The gateway of site B, which listens to all that it may."""
    cluster: Plain

    def refuses(self, code: ReasonCode) -> bool:
        """Whether a PUBACK refuses; that of MQTT 3.1.1 has no word for it."""
        return code.is_failure or self.version is MQTTProtocolVersion.MQTTv311

    def untouched(self) -> bool:
        """Nobody heard anything, except for what is sent now; and what B retained stands."""
        self.cluster.publish(B.commands, b"marker")
        self.site.publish(B.replies("run"), b"marker")
        self.cluster.publish(A.commands, b"marker")
        ours = self.site.next(), self.cluster.next(), self.intruder.next()
        with Plain(self.broker, "cluster", self.version).connected() as later:
            for topic in (B.presence, B.phone_state(THEIRS), B.phone_state("phone-x")):
                assert later.may_listen(topic)
            self.site.publish(B.phone_state("phone-x"), b"marker")
            kept = [later.next() for _ in range(3)]
        return ours == (
            Heard(B.commands, b"marker", False),
            Heard(B.replies("run"), b"marker", False),
            Heard(A.commands, b"marker", False),
        ) and kept == [
            Heard(B.presence, b"here", True),
            Heard(B.phone_state(THEIRS), b"device", True),
            Heard(B.phone_state("phone-x"), b"marker", False),
        ]


@pytest.fixture(params=VERSIONS)
def world(mosquitto: Mosquitto, request: pytest.FixtureRequest) -> Iterator[World]:
    version = VERSIONS[request.param]
    with (
        Plain(mosquitto, "A", version).connected() as intruder,
        Plain(mosquitto, "B", version).connected() as site,
        Plain(mosquitto, "cluster", version).connected() as cluster,
    ):
        assert intruder.may_listen(A.commands)
        assert site.may_listen(B.commands)
        assert site.may_listen(B.all_phone_commands)
        site.publish(B.presence, b"here", retain=True)
        site.publish(B.phone_state(THEIRS), b"device", retain=True)
        assert cluster.may_listen("manyhands/v1/+/re/run")
        assert cluster.may_listen("manyhands/v1/+/frames/run")
        yield World(mosquitto, version, intruder, site, cluster)


class Deaf:
    """Stands at the end of a link, and has nothing to tell."""

    def on_message(self, message: IncomingMessage) -> None: ...

    async def on_connect(self) -> None: ...


def saying(topic: str, retain: bool = False, data: bytes = b"from A") -> Callable[[World], bool]:
    return lambda world: world.refuses(world.intruder.publish(topic, data, retain))


def listening(*topics: str) -> Callable[[World], bool]:
    return lambda world: [world.intruder.may_listen(topic) for topic in topics] == [False] * len(topics)


def leaving_a_will(world: World) -> bool:
    with Plain(world.broker, "A", world.version).connected(will=B.presence) as another:
        another.die()
    return True


TRIES: dict[str, Callable[[World], bool]] = {
    "command a phone": saying(B.phone_commands(THEIRS)),
    "command the whole site": saying(B.commands),
    "leave a command for later": saying(B.phone_commands(THEIRS), retain=True),
    "hear its commands": listening(B.commands, B.all_phone_commands, B.phone_commands(THEIRS)),
    "hear its replies and pictures": listening(B.replies("run"), B.pictures("run")),
    "read what it retained": listening(B.presence, B.phone_state(THEIRS), B.all_phone_states),
    "hear by a wildcard in place of the site": listening(
        "manyhands/v1/+/cmd", "manyhands/v1/+/+/cmd", "manyhands/v1/+/presence", "manyhands/v1/+/re/run"
    ),
    "hear by a wildcard for all": listening(
        "#", "+/#", "manyhands/#", "manyhands/v1/#", "manyhands/v1/B/#", "+/+/+/+/+"
    ),
    "hear by sharing a subscription": listening("$share/A/manyhands/v1/B/+/cmd", "$share/A/#"),
    "say that it is away": saying(B.presence, retain=True),
    "wipe out what it retained": saying(B.phone_state(THEIRS), retain=True, data=b""),
    "reply in its name": saying(B.replies("run")),
    "send pictures in its name": saying(B.pictures("run")),
    "leave a will in its name": leaving_a_will,
    "change or read the broker's own rules": lambda world: (
        saying("$CONTROL/dynamic-security/v1")(world) and listening("$CONTROL/#", "$SYS/#")(world)
    ),
    "command its own phones as if it were the cluster": saying(A.phone_commands(MINE)),
    "read replies to others": listening("manyhands/v1/A/re/run", "manyhands/v1/A/#"),
}


@pytest.mark.parametrize("attempt", TRIES)
def test_a_site_cannot(world: World, attempt: str) -> None:
    assert TRIES[attempt](world)
    assert world.untouched()


def test_the_same_is_granted_to_whom_it_belongs(world: World) -> None:
    """What is refused above is not refused to all."""
    assert world.cluster.may_listen("manyhands/v1/+/presence")
    assert world.cluster.next() == Heard(B.presence, b"here", True)
    assert not world.cluster.publish(B.phone_commands(THEIRS), b"tap").is_failure
    assert world.site.next() == Heard(B.phone_commands(THEIRS), b"tap", False)
    assert not world.site.publish(B.pictures("run"), b"chunk").is_failure
    assert world.cluster.next() == Heard(B.pictures("run"), b"chunk", False)


def test_the_cluster_cannot_speak_for_a_site(world: World) -> None:
    for topic in (B.presence, B.phone_state(THEIRS), B.replies("run"), B.pictures("run")):
        assert world.refuses(world.cluster.publish(topic, b"forged", retain=True))
    assert not world.cluster.may_listen(B.all_phone_commands)
    assert world.untouched()


def test_no_site_knows_the_client_id_of_another(mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mosquitto lets any user take over any client id: whoever knew it could throw a gateway out again and again."""
    names = []
    for account in map(mosquitto.account, ("B", "B", "A")):
        monkeypatch.setenv("PASSWORD", account.password)
        at = BrokerSettings(host=mosquitto.host, port=mosquitto.port, user_env="USER", password_env="PASSWORD")
        names.append(link_name("B", at))
    assert names[0] == names[1] != names[2]
    assert names[0] != link_name("A", at)


async def test_no_site_can_throw_out_the_link_of_a_run_by_what_it_is_told(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each request says who asks: that is no client id."""
    account = mosquitto.account("cluster")
    monkeypatch.setenv("USER", account.user)
    monkeypatch.setenv("PASSWORD", account.password)
    at = BrokerSettings(host=mosquitto.host, port=mosquitto.port, tls=False, user_env="USER", password_env="PASSWORD")
    link = mqtt_link(MqttGatewaySettings(broker=at, sites=("A",)), "m-1")
    await link.start(Deaf())
    try:
        for name in ("m-1", "manyhands-m-1", "manyhands-m-1-frames"):
            with Plain(mosquitto, "A", MQTTProtocolVersion.MQTTv5, name).connected():
                await link.subscribe(A.pictures(name))  # by its other connection
                await link.publish(A.commands, b"")
        assert (link.counts.connects, link.counts.failures) == (1, 0)
    finally:
        await link.stop()


def test_two_gateways_of_one_site_have_one_client_id_also_without_a_secret() -> None:
    """So the broker lets one of them alone stay connected."""
    at = BrokerSettings(host="127.0.0.1", port=1883)
    assert link_name("B", at) == link_name("B", at) != link_name("A", at)
