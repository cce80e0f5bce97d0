"""Choose the phones of a run: those that it names, also such as are away for now, or every usable one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from manyhands.actors.seams import PhoneTransport
from manyhands.protocol.errors import BadInput, PhoneError
from manyhands.protocol.geometry import Size

OTHERS_S = 2.0
"""How long the other phones have to come up once one is there; later ones join the run while it goes on."""
AGAIN_S = 1.0
LARGEST = Size(width=1440, height=3200)
"""Taken for a phone that does not answer how large its screen is."""
SIZE_TIMEOUT_S = 5.0
_STATES = {
    "unauthorized": "unauthorized; accept this computer's key on its screen",
    "offline": "offline; plug it in again, or 'adb reconnect offline'",
}


@dataclass(frozen=True, slots=True)
class ChosenPhones:
    """Hold the phones of a run."""

    serials: tuple[str, ...]
    away: Mapping[str, str] = field(default_factory=dict)
    """Those of them that cannot be used yet, by serial, and why: the run tries them again and again."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Phones that adb lists and that no one named, but cannot be used, and why: they are no part of the run."""


async def choose_phones(transport: PhoneTransport, named: Sequence[str], wait_s: float) -> ChosenPhones:
    """Find the phones that are named, or all that can be used where none is. Raises BadInput where there is none.

    Phones at an address are connected. It is enough that one of those named is there; for that one it waits
    ``wait_s`` at most.
    """
    return await _among_named(transport, tuple(dict.fromkeys(named)), wait_s) if named else await _usable(transport)


async def _usable(transport: PhoneTransport) -> ChosenPhones:
    listed = await transport.phones()
    left_out = {phone.serial: _STATES.get(phone.state, phone.state) for phone in listed if phone.state != "device"}
    serials = tuple(phone.serial for phone in listed if phone.state == "device")
    if not serials:
        others = f" ({_reasons(left_out)})" if left_out else ""
        raise BadInput(f"adb lists no usable phone{others}; plug one in, or try --phones virtual:4")
    return ChosenPhones(serials, left_out=left_out)


async def _among_named(transport: PhoneTransport, named: Sequence[str], wait_s: float) -> ChosenPhones:
    reasons = dict.fromkeys(named, "does not answer")
    async with asyncio.TaskGroup() as group:
        coming = [group.create_task(_until_online(transport, serial, reasons)) for serial in named]
        await asyncio.wait(coming, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
        if len(reasons) < len(named):
            await asyncio.wait(coming, timeout=OTHERS_S)
        for task in coming:
            task.cancel()
    if len(reasons) == len(named):
        listed = ", ".join(phone.serial for phone in await transport.phones()) or "no phone"
        raise BadInput(
            f"--phones {','.join(named)}: none could be had within {wait_s:g} s: {_reasons(reasons)} "
            f"(adb lists {listed})"
        )
    return ChosenPhones(tuple(named), away=reasons)


async def screen_sizes(transport: PhoneTransport, phones: ChosenPhones) -> tuple[Size, ...]:
    """Return the sizes of the phones' screens; one that is away, or does not answer, is taken for the largest."""
    return tuple(await asyncio.gather(*(_screen_size(transport, serial, phones) for serial in phones.serials)))


async def _screen_size(transport: PhoneTransport, serial: str, phones: ChosenPhones) -> Size:
    if serial in phones.away:
        return LARGEST
    try:
        async with asyncio.timeout(SIZE_TIMEOUT_S):
            return await transport.phone(serial).size()
    except (PhoneError, TimeoutError):
        return LARGEST


async def _until_online(transport: PhoneTransport, serial: str, reasons: dict[str, str]) -> None:
    """Return once the phone can be used; ``reasons`` says until then why it cannot."""
    while True:
        try:
            await transport.connect(serial)
        except PhoneError as error:
            reasons[serial] = str(error)
        else:
            del reasons[serial]
            return
        await asyncio.sleep(AGAIN_S)


def _reasons(reasons: Mapping[str, str]) -> str:
    return "; ".join(f"{serial}: {reason}" for serial, reason in reasons.items())
