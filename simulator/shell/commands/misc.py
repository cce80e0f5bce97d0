"""Provide commands that tell the phone's properties, user, clock and network."""

from __future__ import annotations

import time

from manyhands.simulator.shell.command import FAILED, Call, Command, prints

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


async def getprop(call: Call) -> int:
    properties = call.phone.properties
    if call.args:
        await call.print(properties.get(call.args[0], call.args[1] if len(call.args) > 1 else ""))
    else:
        await call.print("\n".join(f"[{name}]: [{value}]" for name, value in sorted(properties.items())))
    return 0


async def date(call: Call) -> int:
    """Run ``date [+FORMAT]``: print the time in UTC. ``%s`` is Unix seconds, ``%N`` the nanoseconds of the second."""
    now = time.time()
    form = call.args[-1][1:] if call.args and call.args[-1].startswith("+") else "%a %b %e %H:%M:%S UTC %Y"
    form = form.replace("%s", str(int(now))).replace("%N", f"{int(now % 1 * 1e9):09d}")
    await call.print(time.strftime(form, time.gmtime(now)))
    return 0


async def id_(call: Call) -> int:
    """Print the user of the shell. A virtual phone has no other."""
    asked = " ".join(call.args)
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
    "whoami": prints("shell"),
    "which": Command(which),
    "ifconfig": prints(INTERFACE),
}
