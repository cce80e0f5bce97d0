"""Choose the phones of a run: all that settings name, even if some are away, or else every usable one."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from manyhands.actors.interfaces import PhoneDirectory
from manyhands.protocol.errors import BadInput, CallError, PhoneError
from manyhands.protocol.phones import ANY_SITE, WHOLE_SITE, PhoneInfo, site_of
from manyhands.protocol.screens.geometry import Size

OTHERS_S = 2.0
"""Seconds that a run waits for other phones once its first phone is usable. Later phones join the running run."""
AGAIN_S = 1.0
TELL_S = 2.0
"""Seconds after which a warning says what the run waits for."""
LARGEST = Size(width=1440, height=3200)
"""The assumed screen size of a phone that does not tell its own."""
SIZE_TIMEOUT_S = 5.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChosenPhones:
    """Hold the phones of a run."""

    serials: tuple[str, ...]
    away: Mapping[str, str] = field(default_factory=dict)
    """Phones among ``serials`` that cannot be used yet, each with the reason. The run tries them again and again."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Phones that are listed but cannot be used, and that no setting names, each with the reason. They are no part of
    the run."""

    def and_others(self, others: ChosenPhones) -> ChosenPhones:
        """Return these phones and others."""
        away, left_out = {**self.away, **others.away}, {**self.left_out, **others.left_out}
        return ChosenPhones((*self.serials, *others.serials), away, left_out)


async def choose_phones(
    directory: PhoneDirectory, named: Sequence[str], wait_s: float, needed: Collection[str] = ()
) -> ChosenPhones:
    """Find the named phones; if no phone is named, find all usable phones. Raises BadInput if no phone can be used.

    ``site/*`` names all usable phones of a site. If several phones are named, one usable phone is enough, but all
    phones in ``needed`` must be usable. A phone with a network address is connected first. ``wait_s``: the longest
    wait in seconds, for the first phone of each ``site/*`` and then for the named phones.
    """
    if not named:
        usable = _usable(await directory.phones())
        if not usable.serials:
            others = f" ({_reasons(usable.left_out)})" if usable.left_out else ""
            raise BadInput(f"there is no usable phone{others}; plug one in, or try --phones virtual:4")
        return usable
    serials: dict[str, None] = {}
    left_out: dict[str, str] = {}
    for name in named:
        members = (
            await _of_site(directory, site_of(name), wait_s) if name.endswith(WHOLE_SITE) else ChosenPhones((name,))
        )
        serials |= dict.fromkeys(members.serials)
        left_out |= members.left_out
    selection = await _among_named(directory, tuple(serials), wait_s, needed)
    return replace(selection, left_out={serial: left_out[serial] for serial in left_out if serial not in serials})


def _usable(listed: Sequence[PhoneInfo]) -> ChosenPhones:
    left_out = {phone.serial: phone.explained_state for phone in listed if not phone.usable}
    return ChosenPhones(tuple(phone.serial for phone in listed if phone.usable), left_out=left_out)


async def _of_site(directory: PhoneDirectory, site: str, wait_s: float) -> ChosenPhones:
    """Wait until a site has a usable phone, and return all its usable phones. Raises BadInput after ``wait_s``."""
    until = time.monotonic() + wait_s
    there: Sequence[PhoneInfo] = ()
    with _telling_late(f"phones of site {site}", wait_s):
        while True:
            # A site that nobody serves, such as a misspelt one, never answers. The timeout bounds the wait for it.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(AGAIN_S, until - time.monotonic())):
                    there = await directory.phones()
            listed = [(site_of(phone.serial), phone) for phone in there]
            usable = _usable(
                [phone for phone_site, phone in listed if phone_site == site or (phone_site and site == ANY_SITE)]
            )
            if usable.serials:
                return usable
            if time.monotonic() > until:
                reasons = _reasons(usable.left_out) or (
                    "nobody serves it; correct its name, or start one there by 'manyhands gateway'"
                )
                raise BadInput(
                    f"--phones {site}{WHOLE_SITE}: no usable phone at this site within {wait_s:g} s: {reasons}"
                )
            await asyncio.sleep(AGAIN_S)


@contextlib.contextmanager
def _telling_late(what: str, wait_s: float, reasons: Mapping[str, str] = MappingProxyType({})) -> Iterator[None]:
    """If the body still runs after TELL_S, log a warning: what the run waits for, and the reasons known by then."""

    def tell() -> None:
        reasons_text = f": {_reasons(reasons)}" if reasons else ""
        _log.warning("waiting %g s at most for %s%s", wait_s, what, reasons_text)

    late = asyncio.get_running_loop().call_later(TELL_S, tell)
    try:
        yield
    finally:
        late.cancel()


async def _among_named(
    directory: PhoneDirectory, named: Sequence[str], wait_s: float, needed: Collection[str]
) -> ChosenPhones:
    reasons = dict.fromkeys(named, "does not answer")
    async with asyncio.TaskGroup() as group:
        coming = [group.create_task(_until_online(directory, serial, reasons)) for serial in named]
        first = [task for task, serial in zip(coming, named, strict=True) if serial in needed]
        with _telling_late("the phones that are named", wait_s, reasons):
            if first:
                await asyncio.wait(first, timeout=wait_s)
            else:
                await asyncio.wait(coming, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
        if len(reasons) < len(named):
            await asyncio.wait(coming, timeout=OTHERS_S)
        for task in coming:
            task.cancel()
    if len(reasons) == len(named):
        listed = ", ".join(phone.serial for phone in await directory.phones()) or "no phone"
        raise BadInput(
            f"--phones {','.join(named)}: none could be had within {wait_s:g} s: {_reasons(reasons)} (listed: {listed})"
        )
    missing = {serial: reason for serial, reason in reasons.items() if serial in needed}
    if missing:
        raise BadInput(
            f"{_reasons(missing)}: without {'it' if len(missing) == 1 else 'them'} the run does not go on; "
            "bring back what is missing, or name its phones with --phones"
        )
    return ChosenPhones(tuple(named), away=reasons)


async def screen_sizes(directory: PhoneDirectory, phones: ChosenPhones) -> tuple[Size, ...]:
    """Return the sizes of the phones' screens; LARGEST for a phone that is away or does not answer."""
    return tuple(await asyncio.gather(*(_screen_size(directory, serial, phones) for serial in phones.serials)))


async def _screen_size(directory: PhoneDirectory, serial: str, phones: ChosenPhones) -> Size:
    if serial in phones.away:
        return LARGEST
    try:
        async with asyncio.timeout(SIZE_TIMEOUT_S):
            return await directory.size(serial)
    except (PhoneError, CallError, TimeoutError):
        return LARGEST


async def _until_online(directory: PhoneDirectory, serial: str, reasons: dict[str, str]) -> None:
    """Wait until a phone can be used. Until then, ``reasons`` says why the phone cannot be used."""
    while True:
        try:
            await directory.connect(serial)
        except (PhoneError, CallError) as error:
            reasons[serial] = str(error)
        else:
            del reasons[serial]
            return
        await asyncio.sleep(AGAIN_S)


def _reasons(reasons: Mapping[str, str]) -> str:
    return "; ".join(f"{serial}: {reason}" for serial, reason in reasons.items())
