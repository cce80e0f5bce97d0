"""Provide commands that tell the phone's properties, user, clock and network."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime

from manyhands.simulator.shell.command import FAILED, Call, Command, NotSimulated, prints

INTERFACE = """\
wlan0     Link encap:Ethernet  HWaddr 02:00:00:00:00:00
          inet addr:10.0.2.16  Bcast:10.0.2.255  Mask:255.255.255.0
          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1"""
IDENTITY = {
    "": "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),3003(inet) context=u:r:shell:s0",
    "-u": "2000",
    "-g": "2000",
    "-G": "2000 1004 3003",
    "-un": "shell",
    "-gn": "shell",
    "-Gn": "shell input inet",
    "-Z": "u:r:shell:s0",
}

ROOT_IDENTITY = {
    "": "uid=0(root) gid=0(root) groups=0(root),1004(input),3003(inet) context=u:r:su:s0",
    "-u": "0",
    "-un": "root",
}


async def getprop(call: Call) -> int:
    properties = call.phone.properties
    if call.args:
        await call.print(properties.get(call.args[0], call.args[1] if len(call.args) > 1 else ""))
    else:
        await call.print("\n".join(f"[{name}]: [{value}]" for name, value in sorted(properties.items())))
    return 0


_TIME = re.compile(r"\d{8}(\d\d){0,2}(\.\d\d)?")
"""Matches the time that ``date`` sets: MMDDhhmm[[CC]YY][.ss]."""


async def date(call: Call) -> int:
    """Run ``date [+FORMAT]``: print the time in UTC. ``%s`` is Unix seconds, ``%N`` the nanoseconds of the second.

    With a time, such as ``101515342023.00``, set the clock. Only root may.
    """
    if call.args and _TIME.fullmatch(call.args[0]):
        return await _set_date(call, call.args[0])
    now = call.phone.now()
    form = call.args[-1][1:] if call.args and call.args[-1].startswith("+") else "%a %b %e %H:%M:%S UTC %Y"
    form = form.replace("%s", str(int(now))).replace("%N", f"{int(now % 1 * 1e9):09d}")
    await call.print(time.strftime(form, time.gmtime(now)))
    return 0


async def _set_date(call: Call, text: str) -> int:
    digits, _, seconds = text.partition(".")
    year = digits[8:] or f"{datetime.fromtimestamp(call.phone.now(), UTC):%Y}"
    try:
        form = "%m%d%H%M%Y%S" if len(year) == 4 else "%m%d%H%M%y%S"
        moment = datetime.strptime(f"{digits[:8]}{year}{seconds or '00'}", form).replace(tzinfo=UTC)
    except ValueError:
        await call.complain(f"date: bad date '{text}'")
        return FAILED
    if not call.phone.is_root:
        await call.complain("date: cannot set date: Operation not permitted")
        return FAILED
    call.phone.clock_shift_s = moment.timestamp() - time.time()
    await call.print(f"{moment:%a %b %e %H:%M:%S UTC %Y}")
    return 0


async def service(call: Call) -> int:
    """Run ``service call alarm 3 s16 ZONE``, which sets the time zone. Nothing else is simulated."""
    if call.args[:4] != ("call", "alarm", "3", "s16") or len(call.args) != 5:
        raise NotSimulated(f"service {' '.join(call.args)}")
    call.phone.zone = call.args[4]
    await call.print("Result: Parcel(00000000    '....')")
    return 0


async def whoami(call: Call) -> int:
    await call.print("root" if call.phone.is_root else "shell")
    return 0


async def id_(call: Call) -> int:
    """Print the user of the shell."""
    asked = " ".join(call.args)
    if call.phone.is_root and asked in ROOT_IDENTITY:
        await call.print(ROOT_IDENTITY[asked])
        return 0
    if asked not in IDENTITY:
        await call.complain(f"id: a virtual phone's id has no {asked}")
        return FAILED
    await call.print(IDENTITY[asked])
    return 0


async def which(call: Call) -> int:
    found = [f"/system/bin/{name}" for name in call.args if name in call.shell.commands]
    if found:
        await call.print("\n".join(found))
    return 0 if len(found) == len(call.args) else FAILED


COMMANDS = {
    "getprop": Command(getprop),
    "date": Command(date),
    "id": Command(id_),
    "service": Command(service),
    "whoami": Command(whoami),
    "which": Command(which),
    "ifconfig": prints(INTERFACE),
}
