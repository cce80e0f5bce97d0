"""Serve the connection of one adb server: the handshake, the streams, and the tasks of their services."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from manyhands.simulator.adbd import wire
from manyhands.simulator.adbd.stream import Buffer, Stream, StreamClosed
from manyhands.simulator.adbd.wire import Command

log = logging.getLogger(__name__)

MAX_STREAMS = 256
AUTH_TOKEN, AUTH_SIGNATURE = 1, 2
TOKEN_BYTES = 20
SMALLEST_MAX_PAYLOAD = 4096
LARGE = 1 << 14
"""From this size on, a payload is written to the socket by itself, not copied behind its header."""

Service = Callable[[Stream], Awaitable[None]]
"""Serve one opened stream and return. Then the connection closes the stream."""

FindService = Callable[[str], Service | None]
"""Return the service for a name such as ``shell,v2,raw:ls``; None refuses the stream."""


class Connection:
    """Serve one connection until the peer has gone, sends something that is not adb, or the task is cancelled."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        banner: str,
        find_service: FindService,
        authorised: Callable[[], bool] = lambda: True,
    ) -> None:
        """``authorised``: whether somebody has accepted the host's key on the phone's screen."""
        self._reader = reader
        self._writer = writer
        self._banner = banner
        self._find_service = find_service
        self._authorised = authorised
        self._max_payload = wire.MAX_PAYLOAD
        self._streams: dict[int, Stream] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._last_id = 0

    async def run(self) -> None:
        """Serve the connection. The caller closes the writer.

        Before this returns, the services of a lost connection are cancelled.
        """
        async with asyncio.TaskGroup() as services:
            try:
                await self._read(services)
            except (wire.BadPacket, ConnectionError) as error:
                log.info("adb connection ended: %s", error)
            self._end_streams()

    # ------------------------------------------------------------------ outlet of the streams
    def send(self, command: Command, arg0: int, arg1: int, payload: bytes = b"") -> None:
        """Send a small packet at once. Do nothing if the host has gone."""
        if self._writer.is_closing():
            return
        self._writer.write(wire.encode(wire.Packet(command, arg0, arg1, payload)))

    async def send_data(self, arg0: int, arg1: int, pieces: tuple[Buffer, ...]) -> None:
        """Send a WRTE. Wait while the socket is full. Raises StreamClosed if the host has gone."""
        if self._writer.is_closing():
            raise StreamClosed("the host is gone")
        length = sum(len(piece) for piece in pieces)
        header = wire.encode_header(Command.WRTE, arg0, arg1, length)
        if length < LARGE:
            self._writer.write(b"".join((header, *pieces)))
        else:
            self._writer.write(b"".join((header, *pieces[:-1])))
            self._writer.write(pieces[-1])
        await self._writer.drain()

    # ------------------------------------------------------------------ packets of the host
    async def _read(self, services: asyncio.TaskGroup) -> None:
        online = False
        while (packet := await wire.read_packet(self._reader, self._max_payload)) is not None:
            if not self._authorised():
                self._challenge(packet)
            elif packet.command == Command.CNXN:
                self._end_streams()
                self._greet(packet)
                online = True
            elif not online:
                continue  # AUTH or STLS: the host wants more than this phone asks for
            elif packet.command == Command.OPEN:
                self._open(services, packet)
            elif (stream := self._stream(packet)) is None:
                continue  # a late packet of a closed stream
            elif packet.command == Command.WRTE:
                stream.feed(packet.payload)
            elif packet.command == Command.OKAY:
                stream.acknowledged()
            elif packet.command == Command.CLSE:
                self._hang_up(stream)

    def _challenge(self, packet: wire.Packet) -> None:
        """Ask the host to sign. If it sends a signature, refuse that by asking again. If it sends a key, do nothing."""
        signed = packet.command == Command.AUTH and packet.arg0 == AUTH_SIGNATURE
        if packet.command == Command.CNXN or signed:
            self.send(Command.AUTH, AUTH_TOKEN, 0, bytes(TOKEN_BYTES))

    def _greet(self, packet: wire.Packet) -> None:
        """Answer CNXN. Raises BadPacket for a host that is too old or takes only very small payloads."""
        if packet.arg0 < wire.VERSION:
            raise wire.BadPacket(f"the host speaks version {packet.arg0:#x} of adb, before {wire.VERSION:#x}")
        if packet.arg1 < SMALLEST_MAX_PAYLOAD:
            raise wire.BadPacket(f"the host takes payloads of at most {packet.arg1} bytes: too few to talk")
        self._max_payload = min(packet.arg1, wire.MAX_PAYLOAD)
        self.send(Command.CNXN, wire.VERSION, self._max_payload, self._banner.encode())

    def _stream(self, packet: wire.Packet) -> Stream | None:
        """Return the stream that a packet names by its two ids; None if no stream has both ids."""
        stream = self._streams.get(packet.arg1)
        return stream if stream is not None and packet.arg0 in (stream.remote, 0) else None

    def _open(self, services: asyncio.TaskGroup, packet: wire.Packet) -> None:
        name = packet.payload.rstrip(b"\0").decode("utf-8", "surrogateescape")
        service = self._find_service(name) if len(self._streams) < MAX_STREAMS else None
        if service is None or packet.arg0 == 0:
            self.send(Command.CLSE, 0, packet.arg0)
            return
        self._last_id = self._last_id % 0xFFFFFFFF + 1
        stream = Stream(self._last_id, packet.arg0, self._max_payload, self)
        self._streams[stream.local] = stream
        self.send(Command.OKAY, stream.local, stream.remote)
        task = services.create_task(self._serve(service, stream, name))
        self._tasks[stream.local] = task
        task.add_done_callback(lambda _: self._ended(stream))

    async def _serve(self, service: Service, stream: Stream, name: str) -> None:
        try:
            await service(stream)
        except ConnectionError as error:
            log.debug("client of %r went away: %s", name, error)
        except Exception:
            # This client's request met a defect of the virtual phone. The requests of other clients must go on.
            log.exception("service %r of a virtual phone failed", name)

    def _ended(self, stream: Stream) -> None:
        del self._streams[stream.local]
        del self._tasks[stream.local]
        stream.close()

    def _hang_up(self, stream: Stream) -> None:
        """Cancel the service of a client that has gone: at once or, if the client has sent data, after ``linger_s``."""
        stream.hang_up()
        task = self._tasks[stream.local]
        if stream.received and stream.linger_s > 0:
            timer = asyncio.get_running_loop().call_later(stream.linger_s, task.cancel)
            task.add_done_callback(lambda _: timer.cancel())
        else:
            task.cancel()

    def _end_streams(self) -> None:
        for stream in self._streams.values():
            stream.hang_up()
        for task in self._tasks.values():
            task.cancel()
