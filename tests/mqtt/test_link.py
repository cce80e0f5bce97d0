"""Links over a real mosquitto: what is sent arrives, what raised does not, and whatever breaks is made anew."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import ssl
import subprocess
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from manyhands.actors.edge.link import IncomingMessage, LastWill
from manyhands.actors.edge.mqtt_link import MqttLink
from manyhands.actors.edge.settings import BrokerSettings, LinkSettings
from manyhands.deploy.mosquitto.access import Authority
from manyhands.deploy.mosquitto.configuration import free_port
from manyhands.protocol.edge.messages import EdgeReply, EmptyReply, PictureChunk, Presence
from manyhands.protocol.edge.topics import Topics
from manyhands.protocol.edge.wire import pack
from manyhands.protocol.errors import BadInput, LinkAway, LinkForbidden
from manyhands.protocol.utilities.backoff import Backoff
from tests.mqtt.broker import Mosquitto
from tests.mqtt.conftest import StartBroker

A = Topics("A")
TO_US = A.replies("us")
PATIENCE_S = 20.0


class Ears:
    """Stands at the end of a link, and keeps what it hears; tells ``presence`` after each connection."""

    def __init__(self) -> None:
        self.heard: list[object] = []
        self.news = asyncio.Event()
        self.greeted = 0
        self.link: MqttLink | None = None
        self.presence: bytes | None = None

    def on_message(self, message: IncomingMessage) -> None:
        self.heard.append(message.packet.envelope.body)
        self.news.set()

    async def on_connect(self) -> None:
        if self.presence is not None and self.link is not None:
            await self.link.publish(A.presence, self.presence, retain=True)
        self.greeted += 1
        self.news.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something that follows from what is heard."""
        async with asyncio.timeout(PATIENCE_S):
            while not holds():
                self.news.clear()
                await self.news.wait()

    @property
    def answers(self) -> list[str]:
        return [one.answers for one in self.heard if isinstance(one, EdgeReply)]

    @property
    def told(self) -> list[tuple[str, bool]]:
        return [(one.session, one.online) for one in self.heard if isinstance(one, Presence)]


def done(what: str) -> bytes:
    return pack(EmptyReply(answers=what), 1.0).data


def presence(session: str, online: bool) -> bytes:
    return pack(Presence(site="A", session=session, online=online, since=1.0), 1.0).data


class Ends:
    """Makes links that end with the test."""

    def __init__(self, broker: Mosquitto, stack: AsyncExitStack, environment: pytest.MonkeyPatch) -> None:
        self.broker = broker
        self._stack = stack
        self._environment = environment

    def settings(self, user: str, version: str = "5") -> BrokerSettings:
        account = self.broker.account(user)
        self._environment.setenv(f"USER_{user}", account.user)
        self._environment.setenv(f"PASSWORD_{user}", account.password)
        found = {"host": self.broker.host, "port": self.broker.port, "tls": self.broker.tls, "ca": self.broker.ca}
        found |= {"user_env": f"USER_{user}", "password_env": f"PASSWORD_{user}", "version": version}
        return BrokerSettings.model_validate(found)

    def made(self, user: str, name: str, version: str = "5", **settings: float) -> MqttLink:
        link = MqttLink(name, self.settings(user, version), LinkSettings.model_validate(settings))
        self._stack.push_async_callback(link.stop)
        return link

    async def site(self, version: str = "5", session: str = "one", **settings: float) -> tuple[MqttLink, Ears]:
        link, ears = self.made("A", "manyhands-A", version, **settings), Ears()
        ears.link, ears.presence = link, presence(session, True)
        await link.subscribe(A.commands, A.all_phone_commands)
        await link.start(ears, LastWill(A.presence, presence(session, False)))
        return link, ears

    async def us(self, version: str = "5", **settings: float) -> tuple[MqttLink, Ears]:
        link, ears = self.made("cluster", "us", version, **settings), Ears()
        await link.subscribe(TO_US, A.pictures("us"), A.presence)
        await link.start(ears)
        return link, ears


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


@pytest.fixture
def ends(mosquitto: Mosquitto, stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch) -> Ends:
    return Ends(mosquitto, stack, monkeypatch)


@pytest.mark.parametrize("version", ["5", "3.1.1"])
@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
async def test_messages_and_pictures_arrive(
    start_broker: StartBroker, stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch, tls: bool, version: str
) -> None:
    ends = Ends(start_broker(tls=tls), stack, monkeypatch)
    (us, ears), (site, _) = await ends.us(version), await ends.site(version)
    chunk = PictureChunk(picture="0" * 32, index=0, count=2)
    await site.publish(TO_US, done("first"))
    await site.publish(A.pictures("us"), pack(chunk, 1.0, bytes(131_072)).data)
    await ears.until(lambda: chunk in ears.heard and ears.answers == ["first"] and ears.told == [("one", True)])
    assert (us.connected, us.counts.received, us.counts.malformed) == (True, 3, 0)
    assert site.counts.sent == 3
    assert site.counts.bytes_out == us.counts.bytes_in > 131_072


async def test_a_round_trip_waits_for_no_delayed_acknowledgement(ends: Ends) -> None:
    (us, ears), (site, there) = await ends.us(), await ends.site()
    took: list[float] = []
    for number in range(30):
        began = time.perf_counter()
        await us.publish(A.commands, done(str(number)))
        await there.until(lambda: there.answers[-1:] == [str(number)])  # noqa: B023  awaited here
        await site.publish(TO_US, done(str(number)))
        await ears.until(lambda: ears.answers[-1:] == [str(number)])  # noqa: B023
        took.append(time.perf_counter() - began)
    assert min(took[-10:]) < 0.03, took  # 0.09 to 0.18 s without TCP_NODELAY; a busy machine slows some down


async def test_what_is_not_a_whole_message_of_ours_is_counted(ends: Ends) -> None:
    (us, ears), (site, _) = await ends.us(), await ends.site()
    whole = done("x")
    for data in (whole[:-1], b"noise", whole + b"\0", bytes([whole[0] ^ 1]) + whole[1:]):
        await site.publish(TO_US, data)
    await site.publish(TO_US, b"")
    await site.publish(TO_US, whole)
    await ears.until(lambda: ears.answers == ["x"])
    assert us.counts.malformed == 4


async def test_a_killed_broker_is_connected_to_again_and_what_raised_is_not_sent_late(ends: Ends) -> None:
    (_, ears), (site, there) = await ends.us(), await ends.site()
    await ears.until(lambda: ears.told == [("one", True)])
    ends.broker.kill()
    raised = 0
    async with asyncio.timeout(PATIENCE_S):
        while site.connected or not raised:
            try:
                await site.publish(TO_US, done("late"))
            except LinkAway:
                raised += 1
            await asyncio.sleep(0)
    ends.broker.start()
    await there.until(lambda: there.greeted == 2)
    await ears.until(lambda: ears.greeted == 2)
    await site.publish(TO_US, done("after"))
    await ears.until(lambda: "after" in ears.answers)
    assert ears.answers == ["after"]
    assert (site.counts.unsent, site.counts.connects) == (raised, 2)
    assert ears.told[-1] == ("one", True)


async def test_a_broker_that_accepts_nothing_is_given_up_and_its_connections_with_it(ends: Ends) -> None:
    (_, ears), (site, there) = await ends.us(), await ends.site(publish_s=0.5)
    ends.broker.freeze()
    waiting = [asyncio.create_task(site.publish(TO_US, done(str(number)))) for number in range(40)]
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert {type(result) for result in results} == {LinkAway}
    assert (site.counts.unsent, site.counts.queue) == (40, 0)
    ends.broker.thaw()
    await there.until(lambda: there.greeted == 2)
    await site.publish(TO_US, done("after"))
    await ears.until(lambda: "after" in ears.answers)
    # What lay in the frozen broker's own buffers it reads when it goes on; what waited here, nobody ever sends.
    assert len(ears.answers) <= LinkSettings().in_flight + 1


async def handed_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, bytes_s: float = float("inf")) -> None:
    """Hand on what comes, no faster than that."""
    try:
        while data := await reader.read(65_536):
            await asyncio.sleep(len(data) / bytes_s)
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()


async def test_a_slow_connection_on_which_messages_are_accepted_one_by_one_is_kept(ends: Ends) -> None:
    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_broker, to_broker = await asyncio.open_connection(ends.broker.host, ends.broker.port)
        both = handed_on(reader, to_broker, 600_000), handed_on(from_broker, writer)
        await asyncio.gather(*both, return_exceptions=True)

    async with await asyncio.start_server(slow, "127.0.0.1", 0) as server:
        at = ends.settings("A").model_copy(update={"port": server.sockets[0].getsockname()[1]})
        link = MqttLink("manyhands-A", at, LinkSettings(publish_s=1.5))
        await link.start(Ears())
        count = LinkSettings().in_flight  # together they take 3.5 s
        chunks = [PictureChunk(picture="0" * 32, index=index, count=count) for index in range(count)]
        sent = (link.publish(A.pictures("us"), pack(chunk, 1.0, bytes(131_072)).data) for chunk in chunks)
        results = await asyncio.gather(*sent, return_exceptions=True)
        counts = link.counts
        await link.stop()
    assert results == [None] * count
    assert (counts.sent, counts.unsent, counts.failures) == (count, 0, 0)


async def test_a_link_that_is_lost_has_its_will_told_and_one_that_stops_has_not(ends: Ends) -> None:
    (_, ears), (site, _) = await ends.us(), await ends.site()
    await ears.until(lambda: len(ears.told) == 1)
    await site.stop()
    other, _ = await ends.site(session="two")
    await ears.until(lambda: len(ears.told) == 2)
    again, _ = await ends.site(session="three")
    await ears.until(lambda: ("three", True) in ears.told)
    # The old connection's will is told before what the new one of the same name tells.
    assert ears.told == [("one", True), ("two", True), ("two", False), ("three", True)]
    await other.stop()
    await again.stop()


async def test_a_later_subscription_holds_also_after_a_new_connection(ends: Ends) -> None:
    (us, ears), (site, _) = await ends.us(), await ends.site()
    await us.subscribe(A.phone_state("x"))
    await site.publish(A.phone_state("x"), done("state"))
    await ears.until(lambda: ears.answers == ["state"])
    ends.broker.kill()
    ends.broker.start()
    await ears.until(lambda: ears.greeted == 2)
    async with asyncio.timeout(PATIENCE_S):
        while not site.connected:
            await asyncio.sleep(0.01)
    await site.publish(A.phone_state("x"), done("again"))
    await ears.until(lambda: "again" in ears.answers)


# ---------------------------------------------------------------------------- what another try does not mend
async def refused(link: MqttLink) -> str:
    with pytest.raises(BadInput) as caught:
        await link.start(Ears())
    said = str(caught.value)
    assert "\n" not in said
    assert not link.connected
    with pytest.raises(LinkAway):
        await link.publish(TO_US, b"")
    return said


@pytest.mark.parametrize("version", ["5", "3.1.1"])
async def test_a_wrong_password_is_told_in_a_line(ends: Ends, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    link = ends.made("A", "manyhands-A", version)
    monkeypatch.setenv("PASSWORD_A", "a wrong one")
    said = await refused(link)
    assert "it refuses us: Not authorized" in said
    assert "in USER_A and PASSWORD_A" in said
    assert "a wrong one" not in said
    nobody = ends.settings("A", version).model_copy(update={"user_env": None, "password_env": None})
    assert "whoever gives no name and no certificate" in await refused(MqttLink("x", nobody))
    monkeypatch.setenv("PASSWORD_A", "a wrong one")
    monkeypatch.delenv("PASSWORD_A")
    assert "no variable PASSWORD_A" in await refused(link)


async def test_a_broker_that_is_not_there_is_told_in_a_line(ends: Ends) -> None:
    nobody = ends.settings("A").model_copy(update={"port": free_port()})
    assert "it cannot be reached: Connection refused" in await refused(MqttLink("x", nobody))
    nowhere = nobody.model_copy(update={"host": "no-such-host.invalid"})
    assert "there is no host of that name" in await refused(MqttLink("x", nowhere))


async def test_a_broker_that_hangs_up_or_says_nothing_is_told_in_a_line(ends: Ends) -> None:
    hanging, given_up = True, asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        if not hanging:
            await given_up.wait()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        link = MqttLink("x", ends.settings("A").model_copy(update={"port": port}), LinkSettings(connect_s=1))
        assert "it hung up in place of an answer" in await refused(link)
        hanging = False
        assert "it does not answer" in await refused(link)
        given_up.set()


@pytest.mark.parametrize(
    ("host", "tls", "warned"),
    [
        ("no-such-host.invalid", False, True),
        ("no-such-host.invalid", True, False),
        ("192.0.2.1", False, True),
        ("127.0.0.2", False, False),
        ("::1", False, False),
        ("localhost", False, False),
    ],
)
async def test_a_broker_elsewhere_without_tls_is_warned_of(
    caplog: pytest.LogCaptureFixture, host: str, tls: bool, warned: bool
) -> None:
    broker = BrokerSettings(host=host, port=free_port(), tls=tls)
    assert await refused(MqttLink("x", broker, LinkSettings(connect_s=0.2)))
    assert any("without TLS" in said for said in warnings(caplog)) is warned


async def test_what_is_forbidden_is_told_in_a_line(ends: Ends) -> None:
    link, ears = ends.made("B", "manyhands-B"), Ears()
    ears.link, ears.presence = link, presence("b", True)
    with pytest.raises(BadInput, match=r"does not let manyhands-B send to manyhands/v1/A/presence: .* in USER_B and"):
        await link.start(ears)
    ears.presence = None
    await link.start(ears)
    with pytest.raises(LinkForbidden):
        await link.publish(TO_US, done("x"))
    with pytest.raises(BadInput, match=r"listen to manyhands/v1/A/cmd"):
        await link.subscribe(A.commands)
    assert link.connected


async def test_certificates_that_are_not_accepted_are_told_in_a_line(
    mosquitto_tls: Mosquitto,
    stack: AsyncExitStack,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    ends = Ends(mosquitto_tls, stack, monkeypatch)
    right = ends.settings("A")
    other = Authority(tmp_path / "other")
    other.make()
    account = mosquitto_tls.account("A")
    cases = {
        "its certificate is not accepted: .*(self-signed|issuer)": right.model_copy(update={"ca": other.pair.cert}),
        "there is no file .*nowhere": right.model_copy(update={"ca": tmp_path / "nowhere"}),
        "certificates .* cannot be used": right.model_copy(update={"ca": account.key}),
        "no TLS with it|it cannot be reached|it may want TLS: mqtts://|it does not answer": right.model_copy(
            update={"tls": False}
        ),
        "it may want a certificate of ours": right.model_copy(update={"port": mosquitto_tls.certificate_port}),
    }
    for said, settings in cases.items():
        with pytest.raises(BadInput, match=said):
            await MqttLink("x", settings, LinkSettings(connect_s=2)).start(Ears())
    assert warnings(caplog) == []
    shown = right.model_copy(update={"cert": account.cert, "key": account.key, "user_env": None, "password_env": None})
    link = MqttLink("x", shown.model_copy(update={"port": mosquitto_tls.certificate_port}))
    stack.push_async_callback(link.stop)
    await link.start(Ears())
    assert link.connected


async def test_a_certificate_of_another_host_and_one_that_has_expired_are_told_in_a_line(
    stack: AsyncExitStack, tmp_path: Path
) -> None:
    """A server that only shows certificates: mosquitto's are always made anew before they expire."""
    authority = Authority(tmp_path)
    elsewhere = authority.for_server(["elsewhere.example"])
    past = [tmp_path / "past.key", tmp_path / "past.csr", tmp_path / "past.crt", tmp_path / "past.ext"]
    key, request, expired, names = past
    names.write_text("subjectAltName=IP:127.0.0.1\nauthorityKeyIdentifier=keyid\n")
    new = ["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    subprocess.run([*new, "-subj", "/CN=past", "-keyout", key, "-out", request], check=True, capture_output=True)
    signing: list[str | Path] = ["openssl", "x509", "-req", "-in", request, "-out", expired, "-days", "-1"]
    signing += ["-extfile", names]
    signing += ["-CA", authority.pair.cert, "-CAkey", authority.pair.key, "-CAcreateserial"]
    subprocess.run(signing, check=True, capture_output=True)
    for cert, secret, said in (
        (elsewhere.cert, elsewhere.key, "not valid for '127.0.0.1'"),
        (expired, key, "certificate has expired"),
    ):
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(cert, secret)
        server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context)
        async with server:
            port = server.sockets[0].getsockname()[1]
            settings = BrokerSettings(host="127.0.0.1", port=port, ca=authority.pair.cert)
            assert said in await refused(MqttLink("x", settings, LinkSettings(connect_s=2)))


async def test_two_links_of_one_name_end_each_other_more_and_more_slowly(ends: Ends) -> None:
    (first, _), (second, _) = await ends.site(), await ends.site(session="two")
    began = time.monotonic()
    async with asyncio.timeout(PATIENCE_S):
        while first.counts.connects + second.counts.connects < 6:
            await asyncio.sleep(0.01)
    assert time.monotonic() - began > 0.5  # each waits 0.1 to 0.2 s the first time, then 0.2 to 0.4 s


def warnings(log: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in log.records if one.levelno >= logging.WARNING]


async def test_links_of_one_name_say_once_that_there_is_another(ends: Ends, caplog: pytest.LogCaptureFixture) -> None:
    (first, _), (second, _) = await ends.site(), await ends.site(session="two")
    async with asyncio.timeout(PATIENCE_S):
        while min(first.counts.connects, second.counts.connects) < 5:
            await asyncio.sleep(0.01)
    control = [said for said in warnings(caplog) if said.startswith("manyhands-A: no connection")]
    assert len([said for said in control if "another process may have the same name" in said]) == 2
    assert len(control) <= 4


async def test_each_reason_for_no_connection_is_told_once_and_what_ends_it(
    ends: Ends, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker that is gone and one that lets a user in no more are mended by different people."""
    link, there = await ends.site(retry=Backoff(first_s=0.2, longest_s=0.2, jitter=0.5))
    ends.broker.kill()
    async with asyncio.timeout(PATIENCE_S):
        while not any("it cannot be reached" in said for said in warnings(caplog)):
            await asyncio.sleep(0.01)
        right = os.environ["PASSWORD_A"]
        monkeypatch.setenv("PASSWORD_A", "no longer right")
        ends.broker.start()
        while not any("it refuses us" in said for said in warnings(caplog)):
            await asyncio.sleep(0.01)
    failures = link.counts.failures
    async with asyncio.timeout(PATIENCE_S):
        while link.counts.failures < failures + 6:
            await asyncio.sleep(0.01)
    monkeypatch.setenv("PASSWORD_A", right)
    await there.until(lambda: there.greeted == 2)
    control = [said for said in warnings(caplog) if said.startswith("manyhands-A: ")]
    assert len(control) == len(set(control))
    assert control[-1] == f"manyhands-A: connected to {ends.settings('A').name} again"
    assert ends.broker.account("A").password not in caplog.text


async def test_a_broker_that_is_lost_is_told_once_and_not_for_each_connection(
    ends: Ends, caplog: pytest.LogCaptureFixture
) -> None:
    link, there = await ends.site(retry=Backoff(first_s=0.2, longest_s=0.2, jitter=0.5))
    caplog.set_level(logging.INFO)
    failures = link.counts.failures
    ends.broker.kill()
    async with asyncio.timeout(PATIENCE_S):
        while link.counts.failures < failures + 6:
            await asyncio.sleep(0.01)
        ends.broker.start()
        while not any("-frames: connected to" in one.getMessage() for one in caplog.records):
            await asyncio.sleep(0.01)
    await there.until(lambda: there.greeted == 2)
    said = [one for one in warnings(caplog) if one.startswith("manyhands-A")]
    assert [one for one in said if "-frames" in one.partition(":")[0]] == []
    assert [one for one in said if one.endswith(" again")] == [
        f"manyhands-A: connected to {ends.settings('A').name} again"
    ]


async def test_neither_connection_waits_for_more_data_before_it_sends(ends: Ends) -> None:
    seen: list[int | bytes] = []
    real = socket.socket.setsockopt

    def spy(used: socket.socket, level: int, name: int, value: int | bytes) -> None:
        if (level, name) == (socket.IPPROTO_TCP, socket.TCP_NODELAY):
            seen.append(value)
        real(used, level, name, value)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "setsockopt", spy)
        await ends.site()
    assert seen == [1, 1]
