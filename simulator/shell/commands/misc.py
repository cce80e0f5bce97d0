"""Properties, identity, clock and network of the phone."""

from __future__ import annotations

import time

from manyhands.simulator.shell.command import FAILED, Call, Command, prints

INTERFACE = """\
wlan0     Link encap:Ethernet  HWaddr 02:00:00:00:00:00
          inet addr:10.0.2.16  Bcast:10.0.2.255  Mask:255.255.255.0
          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1"""
SHELL_USER = 2000
GROUPS = {"shell": SHELL_USER, "input": 1004, "inet": 3003}
CONTEXT = "u:r:shell:s0"
SYSTEM = {"-s": "Linux", "-n": "localhost", "-r": "6.1.0-virtual", "-v": "#1", "-m": "x86_64"}


async def getprop(call: Call) -> int:
    properties = call.phone.properties
    if call.args:
        await call.print(properties.get(call.args[0], call.args[1] if len(call.args) > 1 else ""))
    else:
        await call.print("\n".join(f"[{name}]: [{value}]" for name, value in sorted(properties.items())))
    return 0


async def date(call: Call) -> int:
    """``date [+FORMAT]``, in UTC, with %s for unix seconds."""
    now = time.time()
    form = call.args[-1][1:] if call.args and call.args[-1].startswith("+") else "%a %b %e %H:%M:%S UTC %Y"
    await call.print(time.strftime(form.replace("%s", str(int(now))), time.gmtime(now)))
    return 0


async def id_(call: Call) -> int:
    """``id [-ugGnZ]``: the shell's own user; there is no other."""
    options, names = call.options("ugGnrZ")
    if names not in ([], ["shell"], [str(SHELL_USER)]):
        await call.complain(f"id: {' '.join(names)}: No such user")
        return FAILED
    groups = GROUPS if "-G" in options else {"shell": SHELL_USER}
    if "-Z" in options:
        await call.print(CONTEXT)
    elif options.keys() & {"-u", "-g", "-G"}:
        await call.print(" ".join(groups if "-n" in options else map(str, groups.values())))
    else:
        known = ",".join(f"{number}({name})" for name, number in GROUPS.items())
        await call.print(f"uid={SHELL_USER}(shell) gid={SHELL_USER}(shell) groups={known} context={CONTEXT}")
    return 0


async def uname(call: Call) -> int:
    options, _ = call.options("asnrvm")
    wanted = options or {"-s"}
    await call.print(" ".join(value for letter, value in SYSTEM.items() if letter in wanted or "-a" in wanted))
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
    "uname": Command(uname),
    "which": Command(which),
    "ifconfig": prints(INTERFACE),
}
