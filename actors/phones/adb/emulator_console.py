"""Restore a snapshot of an emulator through its console.

The console listens on loopback of the emulator's machine and asks for a token, which is in a file there. So only an
emulator of this machine can be restored.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
from pathlib import Path

from manyhands.actors.phones.adb.server import AdbServer
from manyhands.protocol.errors import PhoneUnfit

TOKEN_FILE = ".emulator_console_auth_token"
"""The file in the user's home folder in which emulators keep the token."""
_SERIAL = re.compile(r"emulator-(\d{1,5})")
RESTORE_S = 30.0
ONLINE_AGAIN_S = 15.0
"""How long an emulator may be away from adb after it restored a snapshot. A reset has 60 s in all, the deadline of
``act``, and prepares the phone again in the rest."""


def console_port(serial: str, adb_host: str) -> int | None:
    """Return the port of an emulator's console on this machine, None if the serial is no emulator's.

    ``adb_host``: where the phone's adb server is. Raises PhoneUnfit for an emulator of another machine.
    """
    match = _SERIAL.fullmatch(serial)
    if match is None:
        return None
    if not _is_loopback(adb_host):
        raise PhoneUnfit(
            f"phone {serial}: its snapshot cannot be restored from here, its console is on the adb server's machine, "
            f"{adb_host}: run there, start a gateway there (docs/edge.md), or leave reset_snapshot out"
        )
    return int(match[1])


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def restore_snapshot(server: AdbServer, serial: str, snapshot: str) -> bool:
    """Let an emulator restore a snapshot, and return once it is online again; return False if it is no emulator.

    Its connections to adb end. Raises PhoneLost, PhoneUnfit.
    """
    port = console_port(serial, server.host)
    if port is None:
        return False
    await _load(port, snapshot)
    await server.wait_online(serial, ONLINE_AGAIN_S)
    return True


async def _load(port: int, snapshot: str) -> None:
    """Let the emulator with this console load a snapshot. Raises PhoneUnfit."""
    try:
        async with asyncio.timeout(RESTORE_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                await _read_answer(reader)
                token = await asyncio.to_thread(_read_token)
                for line in ((f"auth {token}",) if token else ()) + (f"avd snapshot load {snapshot}",):
                    writer.write(f"{line}\n".encode())
                    await _read_answer(reader)
            finally:
                writer.close()
    except (OSError, EOFError) as error:  # TimeoutError is an OSError
        why = str(error) or type(error).__name__
        raise PhoneUnfit(f"phone emulator-{port}: its snapshot {snapshot} was not restored: {why}") from error


def _read_token() -> str:
    path = Path.home() / TOKEN_FILE
    return path.read_text().strip() if path.is_file() else ""


async def _read_answer(reader: asyncio.StreamReader) -> None:
    """Read lines until ``OK``. Raises OSError for ``KO: ...``, EOFError if the console hangs up."""
    while line := await reader.readline():
        if line.startswith(b"OK"):
            return
        if line.startswith(b"KO"):
            raise OSError(line.decode(errors="replace").strip())
    raise EOFError("the console hung up")
