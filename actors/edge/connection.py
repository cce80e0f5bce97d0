"""One connection to a broker by aiomqtt, used once: what was given to it is sent by it or by nobody.

paho, which aiomqtt stands on, keeps what it could not send for the next connection of the same client, and a tap would
be late. So each connection is a client of its own, and one that is given up is reset rather than closed: else the
kernel would go on sending what lies in its buffers.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import aiomqtt
from paho.mqtt.reasoncodes import ReasonCode

from manyhands.actors.edge.link import Will
from manyhands.actors.edge.settings import BrokerSettings, LinkSettings
from manyhands.protocol.errors import BadInput, LinkAway, LinkForbidden

_NO_DELAY = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
"""Without it, and ``set_tcp_nodelay`` at the broker, Nagle and delayed acknowledgements cost 40 ms a message."""
Take = Callable[[str, bytes, bool], None]
"""Gets topic and bytes of a message, and whether the broker kept it from before."""
_RESET = struct.pack("ii", 1, 0)
_VERSIONS = {"5": aiomqtt.ProtocolVersion.V5, "3.1.1": aiomqtt.ProtocolVersion.V311}
_CLOSE_S = 1.0
_CLOSED = -1
"""The number of a socket that is closed."""
_UNSPECIFIED = "Unspecified error"
_HUNG_UP = "the broker hung up"
_ABOUT_US = (0x86, 0x87)
"""Of the reasons for which brokers refuse a connection, those that have to do with who we are."""
GIVEN_UP = "it was given up"
"""Why a connection is gone that we have ended ourselves."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Say by which ``name`` connections are made to which broker, how, and what it tells when it loses one."""

    name: str
    broker: BrokerSettings
    settings: LinkSettings
    will: Will | None = None


class Credentials:
    """Hold what a broker asks for, read from files and environment. Raises BadInput that names what is not there."""

    def __init__(self, broker: BrokerSettings) -> None:
        self.user = _environment(broker.user_env)
        self.password = _environment(broker.password_env)
        self.context = _tls_of(broker) if broker.tls else None


def _environment(name: str | None) -> str | None:
    if name is None:
        return None
    if name not in os.environ:
        raise BadInput(f"the environment has no variable {name}, which should be what the broker asks for")
    return os.environ[name]


def _tls_of(broker: BrokerSettings) -> ssl.SSLContext:
    for path in (broker.ca, broker.cert, broker.key):
        if path is not None and not path.expanduser().is_file():
            raise BadInput(f"there is no file {path}, which should be for the connection to {broker.name}")
    try:
        context = ssl.create_default_context(cafile=_expanded(broker.ca))
        if broker.cert is not None:
            context.load_cert_chain(broker.cert.expanduser(), _expanded(broker.key))
    except (ssl.SSLError, OSError) as error:
        raise BadInput(f"the certificates for the connection to {broker.name} cannot be used: {error}") from error
    return context


def _expanded(path: Path | None) -> str | None:
    return None if path is None else str(path.expanduser())


class Connection(aiomqtt.Client):
    """Connect, listen and send, once. Everything raises LinkAway in one line. ``take`` gets what arrives, at once."""

    def __init__(self, terms: Terms, credentials: Credentials, take: Take) -> None:
        broker, settings, will = terms.broker, terms.settings, terms.will
        super().__init__(
            broker.host,
            broker.port,
            identifier=terms.name,
            username=credentials.user,
            password=credentials.password,
            protocol=_VERSIONS[broker.version],
            clean_session=None if broker.version == "5" else True,
            will=None if will is None else aiomqtt.Will(will.topic, will.data, qos=1, retain=True),
            timeout=settings.connect_s,
            keepalive=settings.keepalive_s,
            max_inflight_messages=settings.in_flight,
            tls_context=credentials.context,
            socket_options=(_NO_DELAY,),
        )
        self._client.disable_logger()  # what it logs about a connection that broke is raised by us, with its broker
        self._client.connect_timeout = settings.connect_s
        self._broker = broker
        self._no_right = f": {_who(broker)} has no right to it"
        self._publish_s = settings.publish_s
        self._take = take
        self._accepting: dict[int, asyncio.Future[bool]] = {}
        """Whether the broker accepted a message, by its number in this connection."""
        self._accepted_at = 0.0
        """When it did so last, by the loop's time."""

    # ------------------------------------------------------------------ opening and closing
    async def open(self) -> None:
        """Connect. What is left of a connection that came to nothing is gone when this raises."""
        opening = asyncio.ensure_future(self.__aenter__())
        try:
            await asyncio.shield(opening)
        except asyncio.CancelledError:
            # A thread connects, which nothing can break off: it would leave a connection that nobody knows.
            opening.add_done_callback(lambda done: done.exception())
            await asyncio.wait({opening})
            self.abort()
            raise
        except aiomqtt.MqttError as error:
            self.abort()
            raise LinkAway(f"{self._broker.name}: {_why(error, self._broker)}") from error

    async def close(self) -> None:
        """Say goodbye, so that no will is told; at once where the broker does not listen."""
        if self._client.socket() is not None and not self._disconnected.done():
            self._client.disconnect()
            await asyncio.wait({self._disconnected}, timeout=_CLOSE_S)
        self.abort()

    def abort(self) -> None:
        """End it now. What the broker has not read by then, it never gets."""
        used = self._client.socket()
        if isinstance(used, socket.socket):
            used.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._client._sock_close()
        if not self._disconnected.done():
            self._disconnected.set_result(None)
        self._disconnected.exception()  # somebody has looked at it: asyncio would complain
        for accepted in self._accepting.values():
            if not accepted.done():
                accepted.cancel()
        self._accepting.clear()

    async def lost(self) -> str:
        """Return why the connection broke, once it has."""
        await asyncio.wait({self._disconnected})
        error = self._disconnected.exception()
        if error is None:
            return GIVEN_UP
        reason = error.rc if isinstance(error, aiomqtt.MqttCodeError) else None
        # paho has no reason of its own but this one for a connection that broke off.
        return f"the broker ended it: {reason}" if reason is not None and reason != _UNSPECIFIED else "it broke off"

    # ------------------------------------------------------------------ using
    async def listen(self, filters: Iterable[str]) -> None:
        """Subscribe. Raises LinkForbidden for what the broker refuses."""
        topics = [(pattern, 1) for pattern in filters]
        if not topics:
            return
        try:
            codes = await self.subscribe(topics)
        except aiomqtt.MqttError as error:
            raise LinkAway(f"{self._broker.name}: {_why(error, self._broker)}") from error
        for (pattern, _), code in zip(topics, codes, strict=True):
            said: Any = getattr(code, "value", code)
            if said >= 0x80:
                raise LinkForbidden(
                    f"{self._broker.name} does not let {self.identifier} listen to {pattern}{self._no_right}"
                )

    async def send(self, topic: str, data: bytes, retain: bool) -> None:
        """Return once the broker has accepted a message. One that accepts nothing for too long ends the connection."""
        sent = self._client.publish(topic, data, 1, retain)
        if sent.rc != 0:
            self.abort()
            raise LinkAway(f"{self._broker.name}: the connection is gone")
        accepted = self._accepting[sent.mid] = asyncio.get_running_loop().create_future()
        try:
            await self._settled(accepted)
        finally:
            self._accepting.pop(sent.mid, None)
        if not accepted.done():
            self.abort()
            raise LinkAway(f"{self._broker.name} accepted no message for {self._publish_s:g} s")
        if accepted.cancelled():
            raise LinkAway(f"{self._broker.name}: the connection broke off before a message was accepted")
        if not accepted.result():
            raise LinkForbidden(f"{self._broker.name} does not let {self.identifier} send to {topic}{self._no_right}")

    async def _settled(self, accepted: asyncio.Future[bool]) -> None:
        """Wait for the broker's word on a message, for as long as it goes on accepting others that are before it."""
        loop = asyncio.get_running_loop()
        since = loop.time()
        while not accepted.done():
            left_s = max(since, self._accepted_at) + self._publish_s - loop.time()
            if left_s <= 0:
                return
            await asyncio.wait({accepted}, timeout=left_s)

    # ------------------------------------------------------------------ what paho calls
    def _on_socket_open(self, client: Any, userdata: Any, sock: Any) -> None:
        """Have the loop read, unless the socket is closed by then: paho connects in a thread, and we may give up."""
        watch = partial(super()._on_socket_open, client, userdata, sock)
        self._loop.call_soon_threadsafe(lambda: watch() if sock.fileno() != _CLOSED else None)

    def _on_socket_register_write(self, client: Any, userdata: Any, sock: Any) -> None:
        """Have the loop write, unless the socket is closed by then."""

        def write() -> None:
            try:
                client.loop_write()
            except (OSError, ValueError) as error:  # the connection broke off
                if not self._disconnected.done():
                    self._disconnected.set_exception(error)

        def watch() -> None:
            if sock.fileno() != _CLOSED:
                self._loop.add_writer(sock.fileno(), write)

        self._loop.call_soon_threadsafe(watch)

    def _on_message(self, client: Any, userdata: Any, message: Any) -> None:
        """Hand on what arrived: aiomqtt's own queue, once full, loses what the broker was told we have."""
        self._take(message.topic, message.payload, bool(message.retain))

    def _on_publish(self, client: Any, userdata: Any, mid: int, reason_code: Any, properties: Any) -> None:
        """Take the broker's word on a message, which aiomqtt does not look at."""
        self._accepted_at = self._loop.time()
        accepted = self._accepting.get(mid)
        if accepted is not None and not accepted.done():
            accepted.set_result(not reason_code.is_failure)

    def _on_disconnect(
        self, client: Any, userdata: Any, flags: Any, reason_code: Any, properties: Any | None = None
    ) -> None:
        """Fail at once where the broker hangs up in place of an answer, for which aiomqtt would wait."""
        super()._on_disconnect(client, userdata, flags, reason_code, properties)
        self._loop.call_soon_threadsafe(self._hang_up)

    def _hang_up(self) -> None:
        if not self._connected.done():
            self._connected.set_exception(aiomqtt.MqttError(_HUNG_UP))


def _why(error: aiomqtt.MqttError, broker: BrokerSettings) -> str:
    """Return why there is no connection, in a line that says what to look at."""
    said, cause = str(error), error.__context__
    if isinstance(error, aiomqtt.MqttCodeError) and isinstance(error.rc, ReasonCode):
        return f"it refuses us: {error.rc}{f': {_who(broker)}' if error.rc.value in _ABOUT_US else ''}"
    if isinstance(cause, ssl.SSLCertVerificationError):
        trusted = "those of this system" if broker.ca is None else str(broker.ca)
        return f"its certificate is not accepted: {cause.verify_message} (trusted are {trusted})"
    if isinstance(cause, ssl.SSLError):
        return f"no TLS with it: {cause.reason or said}"
    if isinstance(cause, socket.gaierror):
        return f"there is no host of that name: {cause.strerror}"
    if isinstance(cause, OSError) and cause.errno is not None:
        return f"it cannot be reached: {cause.strerror or said}"
    if said == _HUNG_UP:
        if not broker.tls:
            return "it hung up in place of an answer; it may want TLS: mqtts:// in place of mqtt://"
        return f"it hung up in place of an answer{'; it may want a certificate of ours' if broker.cert is None else ''}"
    return "it does not answer" if "timed out" in said else said


def _who(broker: BrokerSettings) -> str:
    """Return as whom we come, without the name itself."""
    if broker.user_env is not None:
        return f"the user whose name and password are in {broker.user_env} and {broker.password_env}"
    return "whoever gives no name and no certificate" if broker.cert is None else f"the user of {broker.cert}"
