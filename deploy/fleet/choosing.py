"""Which phones a run works with: those that it names, also such as are away for now, or every usable one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from manyhands.actors.phones.adb.server import AdbServer as Connections
from manyhands.deploy.fleet.adb_server import AdbServer
from manyhands.protocol.errors import BadInput, PhoneError

OTHERS_S = 2.0
"""How long the other phones have to come up once one is there; later ones join the run while it goes on."""
AGAIN_S = 1.0
_STATES = {
    "unauthorized": "unauthorized; accept this computer's key on its screen",
    "offline": "offline; plug it in again, or 'adb reconnect offline'",
}


@dataclass(frozen=True, slots=True)
class ChosenPhones:
    """The phones of a run."""

    serials: tuple[str, ...]
    away: Mapping[str, str] = field(default_factory=dict)
    """Those of them that cannot be used yet, by serial, and why: the run tries them again and again."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Phones that adb lists and that no one named, but cannot be used, and why: they are no part of the run."""


async def choose_phones(server: AdbServer, named: Sequence[str], wait_s: float) -> ChosenPhones:
    """Find the phones that are named, or all that can be used where none is. Raises BadInput where there is none.

    Phones at an address are connected. It is enough that one of those named is there; for that one it waits
    ``wait_s`` at most.
    """
    return await _among_named(server, tuple(dict.fromkeys(named)), wait_s) if named else await _usable(server)


async def _usable(server: AdbServer) -> ChosenPhones:
    listed = await server.phones()
    left_out = {phone.serial: _STATES.get(phone.state, phone.state) for phone in listed if phone.state != "device"}
    serials = tuple(phone.serial for phone in listed if phone.state == "device")
    if not serials:
        others = f" ({_told(left_out)})" if left_out else ""
        raise BadInput(f"adb lists no usable phone{others}; plug one in, or try --phones virtual:4")
    return ChosenPhones(serials, left_out=left_out)


async def _among_named(server: AdbServer, named: Sequence[str], wait_s: float) -> ChosenPhones:
    reasons = dict.fromkeys(named, "does not answer")
    connections = Connections(server.host, server.port, threads=max(2, len(named)))
    try:
        async with asyncio.TaskGroup() as group:
            coming = [group.create_task(_until_online(connections, serial, reasons)) for serial in named]
            await asyncio.wait(coming, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
            if len(reasons) < len(named):
                await asyncio.wait(coming, timeout=OTHERS_S)
            for task in coming:
                task.cancel()
    finally:
        connections.close()
    if len(reasons) == len(named):
        listed = ", ".join(phone.serial for phone in await server.phones()) or "no phone"
        raise BadInput(
            f"--phones {','.join(named)}: none could be had within {wait_s:g} s: {_told(reasons)} (adb lists {listed})"
        )
    return ChosenPhones(tuple(named), away=reasons)


async def _until_online(connections: Connections, serial: str, reasons: dict[str, str]) -> None:
    """Return once the phone can be used; ``reasons`` says until then why it cannot."""
    while True:
        try:
            await connections.ensure_online(serial)
        except PhoneError as error:
            reasons[serial] = str(error)
        else:
            del reasons[serial]
            return
        await asyncio.sleep(AGAIN_S)


def _told(reasons: Mapping[str, str]) -> str:
    return "; ".join(f"{serial}: {reason}" for serial, reason in reasons.items())
