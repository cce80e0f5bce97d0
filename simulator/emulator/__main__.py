"""Serve a virtual phone as Google's program ``emulator`` serves its device.

    python -m manyhands.simulator.emulator -avd NAME -port 5554 -read-only ...

The console listens on the port, adb on the next one, and the adb server at ``ANDROID_ADB_SERVER_PORT`` hears of it. The
console restores the snapshots in the AVD's folder: the phone's contents become those of the start, and its connections
end. Options that a virtual phone has no use for are ignored. It serves until a signal.
"""

from __future__ import annotations

import asyncio
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from manyhands.protocol.errors import BadInput
from manyhands.simulator.adbd import PhoneEndpoint
from manyhands.simulator.fleet.virtual_fleet import virtual_phones
from manyhands.simulator.serving.shutdown import Shutdown

HOST = "127.0.0.1"
SIZE = (540, 1200)
SEED = 1
_ADB_S = 10.0


class StubEmulator:
    """Serve one virtual phone and its console."""

    def __init__(self, port: int, snapshots: Path, encoders: ThreadPoolExecutor) -> None:
        """``snapshots``: the AVD's folder of snapshots, by whose names the console knows them."""
        self._port = port
        self._snapshots = snapshots
        self._endpoint = PhoneEndpoint(virtual_phones(*SIZE)(SEED), encoders, HOST, port + 1)
        self._endpoint.phone.is_root = True  # as after "adb root", which Google's images allow

    async def serve(self, shutdown: Shutdown) -> None:
        """Serve until the shutdown begins. Raises BadInput if a port is taken."""
        console = await self._open_console()
        try:
            await self._endpoint.open()
            try:
                await self._register()
                await shutdown.wait()
            finally:
                await self._endpoint.close()
        finally:
            console.close()

    async def _open_console(self) -> asyncio.Server:
        try:
            return await asyncio.start_server(self._converse, HOST, self._port)
        except OSError as error:
            raise BadInput(f"port {self._port} of the console: {error.strerror}") from error

    async def _register(self) -> None:
        """Tell the adb server of this emulator, as a real one does."""
        request = f"host:emulator:{self._port + 1}"
        async with asyncio.timeout(_ADB_S):
            _, writer = await asyncio.open_connection(HOST, int(os.environ.get("ANDROID_ADB_SERVER_PORT", "5037")))
            writer.write(f"{len(request):04x}{request}".encode())
            await writer.drain()
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"Android Console: Authentication required\r\nOK\r\n")
        while line := (await reader.readline()).decode(errors="replace").split():
            writer.write(f"{await self._answer(line)}\r\n".encode())
            await writer.drain()
        writer.close()

    async def _answer(self, words: list[str]) -> str:
        match words:
            case ["auth", _]:
                return "OK"
            case ["avd", "snapshot", "load", name]:
                if not (self._snapshots / name).is_dir():
                    return f"KO: Device 'cache' does not have the requested snapshot '{name}'"
                await self._endpoint.close()
                self._endpoint.phone.reset(SEED)
                await self._endpoint.open()
                await self._register()
                return "OK"
        return f"KO: unknown command: {' '.join(words)}"


async def _serve(port: int, avd: str) -> None:
    with ThreadPoolExecutor(1, "encoder") as encoders:
        snapshots = Path(os.environ.get("ANDROID_AVD_HOME", "")) / f"{avd}.avd" / "snapshots"
        await StubEmulator(port, snapshots, encoders).serve(Shutdown())


def main(arguments: list[str]) -> int:
    try:
        port, avd = (arguments[arguments.index(option) + 1] for option in ("-port", "-avd"))
        asyncio.run(_serve(int(port), avd))
    except (BadInput, ValueError, IndexError) as error:
        sys.stderr.write(f"ERROR | {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
