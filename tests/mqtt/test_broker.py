"""The broker itself: it lets in who it knows, keeps what is retained over a restart, and answers at once."""

from __future__ import annotations

import socket
import ssl
import stat
import time
from pathlib import Path

import aiomqtt
import psutil
import pytest
from paho.mqtt.reasoncodes import ReasonCode

from tests.mqtt.broker import Mosquitto
from tests.mqtt.clients import client
from tests.mqtt.conftest import StartBroker

VERSIONS = pytest.mark.parametrize("version", [5, 4], ids=["mqtt5", "mqtt311"])


@VERSIONS
@pytest.mark.parametrize("tls", [True, False])
async def test_a_site_and_the_cluster_reach_each_other(start_broker: StartBroker, tls: bool, version: int) -> None:
    broker = start_broker(tls=tls)
    async with client(broker, "A", version) as site, client(broker, "cluster", version) as cluster:
        await site.subscribe("manyhands/v1/A/+/cmd", 1)
        await cluster.subscribe("manyhands/v1/+/re/me", 1)
        await cluster.publish("manyhands/v1/A/phone-1/cmd", b"tap", 1)
        assert (await anext(aiter(site.messages))).payload == b"tap"
        await site.publish("manyhands/v1/A/re/me", b"done", 1)
        assert (await anext(aiter(cluster.messages))).payload == b"done"


async def test_a_user_is_known_by_its_certificate(mosquitto_tls: Mosquitto) -> None:
    async with client(mosquitto_tls, "A", by_certificate=True) as site:
        (granted,) = await site.subscribe("manyhands/v1/A/cmd", 1)
        (refused,) = await site.subscribe("manyhands/v1/B/cmd", 1)
    assert isinstance(granted, ReasonCode)
    assert isinstance(refused, ReasonCode)
    assert not granted.is_failure
    assert refused.is_failure


async def test_a_client_without_a_certificate_is_refused(mosquitto_tls: Mosquitto) -> None:
    context = ssl.create_default_context(cafile=str(mosquitto_tls.ca))
    wrong = aiomqtt.Client(mosquitto_tls.host, mosquitto_tls.certificate_port, tls_context=context, timeout=2)
    with pytest.raises(aiomqtt.MqttError):
        await wrong.__aenter__()


async def test_what_is_retained_outlives_a_broker_that_ends_in_order(mosquitto: Mosquitto) -> None:
    async with client(mosquitto, "A") as site:
        await site.publish("manyhands/v1/A/presence", b"here", 1, retain=True)
    mosquitto.stop()
    mosquitto.start()
    async with client(mosquitto, "cluster") as cluster:
        await cluster.subscribe("manyhands/v1/+/presence", 1)
        message = await anext(aiter(cluster.messages))
        assert (message.topic.value, message.payload, message.retain) == ("manyhands/v1/A/presence", b"here", True)


async def test_a_frozen_broker_answers_when_it_goes_on(mosquitto: Mosquitto) -> None:
    async with client(mosquitto, "A") as site:
        mosquitto.freeze()
        with pytest.raises(aiomqtt.MqttError, match="timed out"):
            await site.publish("manyhands/v1/A/presence", b"here", 1, timeout=0.3)
        mosquitto.thaw()
        await site.publish("manyhands/v1/A/presence", b"here", 1)


async def test_a_round_trip_does_not_wait_for_delayed_acknowledgements(mosquitto: Mosquitto) -> None:
    """Each round trip takes 40 to 90 ms if one side lacks TCP_NODELAY. The first ones of a connection are faster."""
    async with client(mosquitto, "A") as site, client(mosquitto, "cluster") as cluster:
        await site.subscribe("manyhands/v1/A/cmd", 1)
        took: list[float] = []
        for _ in range(20):
            begun = time.perf_counter()
            await cluster.publish("manyhands/v1/A/cmd", b"x" * 300, 1)
            await anext(aiter(site.messages))
            took.append(time.perf_counter() - begun)
    assert min(took[-10:]) < 0.03, took  # the fastest one: a busy machine slows some down


def test_only_the_owner_reads_what_the_broker_keeps(mosquitto_tls: Mosquitto) -> None:
    files = [path for path in mosquitto_tls.folder.path.rglob("*") if path.is_file() and path.suffix != ".log"]
    secret = {"ca.key", "server.key", "access.json", "A.env", "cluster.env", "mosquitto.conf"}
    assert secret <= {path.name for path in files}
    assert {path.name for path in files if stat.S_IMODE(path.stat().st_mode) & 0o077} == set()


@pytest.mark.parametrize("tls", [True, False])
def test_it_listens_where_it_was_told_and_nowhere_else(start_broker: StartBroker, tls: bool) -> None:
    """Some settings open mosquitto's usual port on all addresses beside the ports that were asked for."""
    broker = start_broker(tls=tls)
    asked = {(broker.host, broker.port)} | ({(broker.host, broker.certificate_port)} if tls else set())
    found = psutil.Process(broker.pid).net_connections()
    assert {tuple(one.laddr) for one in found if one.status == psutil.CONN_LISTEN} == asked


def test_a_port_stays_the_same(mosquitto: Mosquitto, tmp_path: Path) -> None:
    port, pid = mosquitto.port, mosquitto.pid
    mosquitto.kill()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((mosquitto.host, port))
    mosquitto.start()
    assert mosquitto.port == port
    assert mosquitto.pid != pid
