"""Make a phone listen for adb servers on a TCP port."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import tempfile
from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial

from manyhands.protocol.errors import BadInput
from manyhands.simulator.adbd.connection import Connection
from manyhands.simulator.adbd.services import find_service
from manyhands.simulator.phone.device import PhoneDevice
from manyhands.simulator.phone.vendors.vendor import Vendor, change_commands
from manyhands.simulator.shell.commands import android_commands
from manyhands.simulator.shell.language.interpreter import Shell
from manyhands.simulator.system.phone_system import PhoneSystem

log = logging.getLogger(__name__)

REOPEN_S = 0.5
FEATURES = "shell_v2,cmd,fixed_push_mkdir"
BUFFER_LIMIT = 1 << 21


class PhoneEndpoint:
    """Serve one phone on one port. The phone can vanish (all connections drop, the port closes) and come back.

    The phone's system (files, ledger) lives as long as this object. ``encoders`` runs the encoding of screenshots; the
    caller owns it. ``vendors`` change what its shell answers; one of them may name its serial.
    """

    def __init__(
        self,
        device: PhoneDevice,
        encoders: Executor,
        host: str = "127.0.0.1",
        port: int = 0,
        vendors: Sequence[Vendor] = (),
    ) -> None:
        self.phone = PhoneSystem(device, encoders)
        self.host = host
        self.port = port
        """The port on which the phone listens; 0 until ``open`` has chosen one."""
        self.answer_as(vendors)
        name = next((vendor.serial for vendor in vendors if vendor.serial), None)
        self._folder = None if name is None else tempfile.TemporaryDirectory(prefix="phone-")
        self._socket = None if self._folder is None else f"{self._folder.name}/{name}"
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    def answer_as(self, vendors: Sequence[Vendor]) -> None:
        """Answer as these vendors' phones do, and no longer as any other. Lines that run already go on as before."""
        self._shell = Shell(self.phone, android_commands(partial(change_commands, vendors=vendors)))

    @property
    def serial(self) -> str:
        """Return the serial by which an adb server knows this phone once it is connected."""
        return f"{self.host}:{self.port}" if self._socket is None else f"localfilesystem:{self._socket}"

    async def open(self) -> None:
        """Listen. After ``close``, listen on the same port again. Raises BadInput if the port is taken."""
        if self._server is not None:
            return
        if self._socket is not None:
            self._server = await asyncio.start_unix_server(self._accept, self._socket, limit=BUFFER_LIMIT)
            return
        try:
            self._server = await asyncio.start_server(self._accept, self.host, self.port, limit=BUFFER_LIMIT)
        except OSError as error:
            raise BadInput(f"a virtual phone cannot listen on {self.host}:{self.port}: {error.strerror}") from error
        self.port = self._server.sockets[0].getsockname()[1]

    async def reopen(self) -> None:
        """Listen on the same port again, as soon as the port is free."""
        while True:
            try:
                await self.open()
            except BadInput as error:  # the system gave the port to another connection in the meantime
                log.warning("%s cannot come back yet: %s", self.serial, error)
                await asyncio.sleep(REOPEN_S)
            else:
                log.warning("%s listens again", self.serial)
                return

    async def close(self) -> None:
        """Drop all connections and free the port. To an adb server this looks like an unplugged phone."""
        if self._server is None:
            return
        server, self._server = self._server, None
        server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await server.wait_closed()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        name = self.phone.properties
        banner = (
            f"device::ro.product.name={name['ro.product.name']};ro.product.model={name['ro.product.model']};"
            f"ro.product.device={name['ro.product.device']};features={FEATURES}"
        )
        connection = Connection(
            reader, writer, banner, lambda service: find_service(self._shell, service), lambda: self.phone.authorised
        )
        task = asyncio.get_running_loop().create_task(_to_the_end(connection, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)


async def _to_the_end(connection: Connection, writer: asyncio.StreamWriter) -> None:
    """Run a connection, and return when its socket is closed."""
    try:
        await connection.run()
    finally:
        writer.transport.abort()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
