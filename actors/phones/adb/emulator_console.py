"""Restore a snapshot of an emulator through its console, which listens on loopback and asks for a token."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from manyhands.protocol.errors import PhoneUnfit

TOKEN_FILE = ".emulator_console_auth_token"
"""The file in the user's home folder in which emulators keep the token."""
_SERIAL = re.compile(r"emulator-(\d{1,5})")
RESTORE_S = 60.0


def console_port(serial: str) -> int | None:
    """Return the port of an emulator's console, None if the serial is no emulator's."""
    match = _SERIAL.fullmatch(serial)
    return None if match is None else int(match[1])


async def restore_snapshot(port: int, snapshot: str) -> None:
    """Let the emulator with this console restore a snapshot. Its connections to adb end. Raises PhoneUnfit."""
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
