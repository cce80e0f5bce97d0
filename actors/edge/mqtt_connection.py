"""Connect to a broker once, by aiomqtt. A message is sent by this connection or never.

paho, the library below aiomqtt, keeps unsent messages and sends them over the client's next connection. A tap would
then be sent late. So each connection is a new client. An aborted connection is reset rather than closed, because after
closing the kernel would still send the data in its buffers.
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

from manyhands.actors.edge.link import LastWill
from manyhands.actors.edge.settings import BrokerSettings, LinkSettings
from manyhands.protocol.errors import BadInput, LinkAway, LinkForbidden

_NO_DELAY = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
"""Without this option, and ``set_tcp_nodelay`` at the broker, Nagle's algorithm and delayed acknowledgements cost 40 ms
for each message."""
DeliverMessage = Callable[[str, bytes, bool], None]
"""Called with a message's topic and bytes, and with whether it is retained."""
_RESET = struct.pack("ii", 1, 0)
_VERSIONS = {"5": aiomqtt.ProtocolVersion.V5, "3.1.1": aiomqtt.ProtocolVersion.V311}
_CLOSE_S = 1.0
_CLOSED = -1
"""The file descriptor of a closed socket."""
_UNSPECIFIED = "Unspecified error"
_HUNG_UP = "the broker hung up"
_IDENTITY_REASONS = (0x86, 0x87)
"""Reason codes of a refused connection that concern the user: bad credentials, not authorized."""
ABORTED = "it was given up"
"""The reason of a lost connection if we ended the connection ourselves."""


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """Hold the MQTT client id ``name``, the broker, the settings of the link, and the last will."""

    name: str
    broker: BrokerSettings
    link: LinkSettings
    will: LastWill | None = None


class BrokerCredentials:
    """Read user, password and certificates from environment and files. Raises BadInput, which names what is missing."""

    def __init__(self, broker: BrokerSettings) -> None:
        self.user = _read_variable(broker.user_env)
        self.password = _read_variable(broker.password_env)
        self.context = _tls_context(broker) if broker.tls else None


def _read_variable(name: str | None) -> str | None:
    if name is None:
        return None
    if name not in os.environ:
        raise BadInput(f"the environment has no variable {name}, which should be what the broker asks for")
    if not os.environ[name]:
        raise BadInput(f"the variable {name} of the environment is empty: set it to what the broker asks for")
    return os.environ[name]


def _tls_context(broker: BrokerSettings) -> ssl.SSLContext:
    for path in (broker.ca, broker.cert, broker.key):
        if path is not None and not path.expanduser().is_file():
            raise BadInput(f"there is no file {path}, which should be for the connection to {broker.name}")
    try:
        context = ssl.create_default_context(cafile=_expand(broker.ca))
        if broker.cert is not None:
            context.load_cert_chain(broker.cert.expanduser(), _expand(broker.key))
    except (ssl.SSLError, OSError) as error:
        raise BadInput(f"the certificates for the connection to {broker.name} cannot be used: {error}") from error
    return context


def _expand(path: Path | None) -> str | None:
    return None if path is None else str(path.expanduser())


class MqttConnection(aiomqtt.Client):
    """Connect, subscribe and publish; errors are LinkAway in one line. ``deliver`` is called with each message."""

    def __init__(self, settings: ConnectionSettings, credentials: BrokerCredentials, deliver: DeliverMessage) -> None:
        broker, link, will = settings.broker, settings.link, settings.will
        super().__init__(
            broker.host,
            broker.port,
            identifier=settings.name,
            username=credentials.user,
            password=credentials.password,
            protocol=_VERSIONS[broker.version],
            clean_session=None if broker.version == "5" else True,
            will=None if will is None else aiomqtt.Will(will.topic, will.data, qos=1, retain=True),
            timeout=link.connect_s,
            keepalive=link.keepalive_s,
            max_inflight_messages=link.in_flight,
            tls_context=credentials.context,
            socket_options=(_NO_DELAY,),
        )
        self._client.disable_logger()  # a broken connection raises an error, which says what the logger would
        self._client.connect_timeout = link.connect_s
        self._broker = broker
        self._no_right = f": {_describe_user(broker)} has no right to it"
        self._publish_s = link.publish_s
        self._deliver = deliver
        self._unacknowledged: dict[int, asyncio.Future[bool]] = {}
        """Messages sent, by their packet id; the result is whether the broker accepted the message."""
        self._acknowledged_at = 0.0
        """When the last acknowledgement of the broker arrived, by the loop's clock."""

    # ------------------------------------------------------------------ opening and closing
    async def open(self) -> None:
        """Connect. Raises LinkAway, after closing the socket."""
        opening = asyncio.ensure_future(self.__aenter__())
        try:
            await asyncio.shield(opening)
        except asyncio.CancelledError:
            # A thread connects. It cannot be cancelled, so a cancelled caller would leave a connection that nobody
            # closes.
            opening.add_done_callback(lambda future: future.exception())
            await asyncio.wait({opening})
            self.abort()
            raise
        except aiomqtt.MqttError as error:
            self.abort()
            raise LinkAway(f"{self._broker.name}: {_describe_failure(error, self._broker)}") from error

    async def close(self) -> None:
        """Disconnect in order, so that the broker publishes no last will; without its answer if it does not answer."""
        if self._client.socket() is not None and not self._disconnected.done():
            self._client.disconnect()
            await asyncio.wait({self._disconnected}, timeout=_CLOSE_S)
        self.abort()

    def abort(self) -> None:
        """Reset the connection. Data that the broker has not read is lost."""
        used = self._client.socket()
        if isinstance(used, socket.socket):
            used.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._client._sock_close()
        if not self._disconnected.done():
            self._disconnected.set_result(None)
        self._disconnected.exception()  # otherwise asyncio warns that it was never retrieved
        for accepted in self._unacknowledged.values():
            if not accepted.done():
                accepted.cancel()
        self._unacknowledged.clear()

    async def wait_until_lost(self) -> str:
        """Wait until the connection is lost, and return the reason."""
        await asyncio.wait({self._disconnected})
        error = self._disconnected.exception()
        if error is None:
            return ABORTED
        reason = error.rc if isinstance(error, aiomqtt.MqttCodeError) else None
        # paho uses this reason for a connection that broke.
        return f"the broker ended it: {reason}" if reason is not None and reason != _UNSPECIFIED else "it broke off"

    # ------------------------------------------------------------------ messages
    async def subscribe_all(self, filters: Iterable[str]) -> None:
        """Subscribe to filters. Raises LinkForbidden for one that the broker refuses."""
        topics = [(pattern, 1) for pattern in filters]
        if not topics:
            return
        try:
            codes = await self.subscribe(topics)
        except aiomqtt.MqttError as error:
            raise LinkAway(f"{self._broker.name}: {_describe_failure(error, self._broker)}") from error
        for (pattern, _), code in zip(topics, codes, strict=True):
            value: Any = getattr(code, "value", code)
            if value >= 0x80:
                raise LinkForbidden(
                    f"{self._broker.name} does not let {self.identifier} listen to {pattern}{self._no_right}"
                )

    async def send(self, topic: str, data: bytes, retain: bool) -> None:
        """Publish, and wait until the broker accepts.

        If the broker accepts no message for ``publish_s``, disconnect.
        """
        publication = self._client.publish(topic, data, 1, retain)
        if publication.rc != 0:
            self.abort()
            raise LinkAway(f"{self._broker.name}: the connection is gone")
        accepted = self._unacknowledged[publication.mid] = asyncio.get_running_loop().create_future()
        try:
            await self._wait_for_acknowledgement(accepted)
        finally:
            self._unacknowledged.pop(publication.mid, None)
        if not accepted.done():
            self.abort()
            raise LinkAway(f"{self._broker.name} accepted no message for {self._publish_s:g} s")
        if accepted.cancelled():
            raise LinkAway(f"{self._broker.name}: the connection broke off before a message was accepted")
        if not accepted.result():
            raise LinkForbidden(f"{self._broker.name} does not let {self.identifier} send to {topic}{self._no_right}")

    async def _wait_for_acknowledgement(self, accepted: asyncio.Future[bool]) -> None:
        """Wait until this message is acknowledged, or until no message at all has been acknowledged for
        ``publish_s``.
        """
        loop = asyncio.get_running_loop()
        since = loop.time()
        while not accepted.done():
            left_s = max(since, self._acknowledged_at) + self._publish_s - loop.time()
            if left_s <= 0:
                return
            await asyncio.wait({accepted}, timeout=left_s)

    # ------------------------------------------------------------------ callbacks of paho
    def _on_socket_open(self, client: Any, userdata: Any, sock: Any) -> None:
        """Register the socket for reading, unless it is already closed: paho connects in a thread, and the
        connection may be aborted meanwhile.
        """
        watch = partial(super()._on_socket_open, client, userdata, sock)
        self._loop.call_soon_threadsafe(lambda: watch() if sock.fileno() != _CLOSED else None)

    def _on_socket_register_write(self, client: Any, userdata: Any, sock: Any) -> None:
        """Register the socket for writing, unless it is already closed."""

        def write() -> None:
            try:
                client.loop_write()
            except (OSError, ValueError) as error:  # the connection broke
                if not self._disconnected.done():
                    self._disconnected.set_exception(error)

        def watch() -> None:
            if sock.fileno() != _CLOSED:
                self._loop.add_writer(sock.fileno(), write)

        self._loop.call_soon_threadsafe(watch)

    def _on_message(self, client: Any, userdata: Any, message: Any) -> None:
        """Deliver a message at once. aiomqtt's own queue would drop acknowledged messages when it is full."""
        self._deliver(message.topic, message.payload, bool(message.retain))

    def _on_publish(self, client: Any, userdata: Any, mid: int, reason_code: Any, properties: Any) -> None:
        """Record the acknowledgement of a message with its reason code, which aiomqtt ignores."""
        self._acknowledged_at = self._loop.time()
        accepted = self._unacknowledged.get(mid)
        if accepted is not None and not accepted.done():
            accepted.set_result(not reason_code.is_failure)

    def _on_disconnect(
        self, client: Any, userdata: Any, flags: Any, reason_code: Any, properties: Any | None = None
    ) -> None:
        """Fail at once if the broker disconnects during the handshake. aiomqtt would continue to wait for
        its answer.
        """
        super()._on_disconnect(client, userdata, flags, reason_code, properties)
        self._loop.call_soon_threadsafe(self._hang_up)

    def _hang_up(self) -> None:
        if not self._connected.done():
            self._connected.set_exception(aiomqtt.MqttError(_HUNG_UP))


def _describe_failure(error: aiomqtt.MqttError, broker: BrokerSettings) -> str:
    """Return the reason of a failed connection in one line, with advice on what to check."""
    text, cause = str(error), error.__context__
    if isinstance(error, aiomqtt.MqttCodeError) and isinstance(error.rc, ReasonCode):
        return (
            f"it refuses us: {error.rc}{f': {_describe_user(broker)}' if error.rc.value in _IDENTITY_REASONS else ''}"
        )
    if isinstance(cause, ssl.SSLCertVerificationError):
        trusted = "those of this system" if broker.ca is None else str(broker.ca)
        return f"its certificate is not accepted: {cause.verify_message} (trusted are {trusted})"
    if isinstance(cause, ssl.SSLError):
        return f"no TLS with it: {cause.reason or text}"
    if isinstance(cause, socket.gaierror):
        return f"there is no host of that name: {cause.strerror}"
    if isinstance(cause, OSError) and cause.errno is not None:
        return f"it cannot be reached: {cause.strerror or text}"
    if text == _HUNG_UP:
        if not broker.tls:
            return "it hung up in place of an answer; it may want TLS: mqtts:// in place of mqtt://"
        return f"it hung up in place of an answer{'; it may want a certificate of ours' if broker.cert is None else ''}"
    return "it does not answer" if "timed out" in text else text


def _describe_user(broker: BrokerSettings) -> str:
    """Return where the user's name and password come from, without the name itself."""
    if broker.user_env is not None:
        return f"the user whose name and password are in {broker.user_env} and {broker.password_env}"
    return "whoever gives no name and no certificate" if broker.cert is None else f"the user of {broker.cert}"
