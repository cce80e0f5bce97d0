"""The rest: properties, identity, clock, network, and tools that a virtual phone has not."""

from __future__ import annotations

import time

from manyhands.simulator.shell.command import FAILED, Call, Command
from manyhands.simulator.shell.commands.files import split_options

ADDRESS = "10.0.2.16"
SHELL_USER = 2000
GROUPS = {"shell": SHELL_USER, "input": 1004, "inet": 3003}
CONTEXT = "u:r:shell:s0"
SYSTEM = {"s": "Linux", "n": "localhost", "r": "6.1.0-virtual", "v": "#1", "m": "x86_64"}


async def getprop(call: Call) -> int:
    properties = call.phone.properties
    if call.args:
        await call.print(properties.get(call.args[0], call.args[1] if len(call.args) > 1 else ""))
    else:
        await call.print("\n".join(f"[{name}]: [{value}]" for name, value in sorted(properties.items())))
    return 0


async def setprop(call: Call) -> int:
    await call.complain(f"Failed to set property '{' '.join(call.args[:1])}'.\nSee dmesg for error reason.")
    return FAILED


async def date(call: Call) -> int:
    """``date [+FORMAT]``, in UTC, with %s for unix seconds."""
    now = time.time()
    form = call.args[-1][1:] if call.args and call.args[-1].startswith("+") else "%a %b %e %H:%M:%S UTC %Y"
    await call.print(time.strftime(form.replace("%s", str(int(now))), time.gmtime(now)))
    return 0


async def id_(call: Call) -> int:
    """``id [-ugGnZ]``: the shell's own user; there is no other."""
    options, names = split_options(call.args)
    if names not in ([], ["shell"], [str(SHELL_USER)]) or not options <= set("ugGnrZ"):
        await call.complain(f"id: {' '.join(call.args)}: No such user or option")
        return FAILED
    groups = GROUPS if "G" in options else {"shell": SHELL_USER}
    if "Z" in options:
        await call.print(CONTEXT)
    elif options & set("ugG"):
        await call.print(" ".join(groups if "n" in options else map(str, groups.values())))
    else:
        known = ",".join(f"{number}({name})" for name, number in GROUPS.items())
        await call.print(f"uid={SHELL_USER}(shell) gid={SHELL_USER}(shell) groups={known} context={CONTEXT}")
    return 0


async def whoami(call: Call) -> int:
    await call.print("shell")
    return 0


async def uname(call: Call) -> int:
    options, names = split_options(call.args)
    if names or not options <= {*SYSTEM, "a"}:
        await call.complain(f"uname: unknown option {' '.join(call.args)}")
        return FAILED
    wanted = options or {"s"}
    await call.print(" ".join(value for letter, value in SYSTEM.items() if letter in wanted or "a" in wanted))
    return 0


async def uptime(call: Call) -> int:
    await call.print(time.strftime(" %H:%M:%S up 1 day,  0 users,  load average: 0.00, 0.00, 0.00", time.gmtime()))
    return 0


async def which(call: Call) -> int:
    found = [f"/system/bin/{name}" for name in call.args if name in call.shell.commands]
    if found:
        await call.print("\n".join(found))
    return 0 if len(found) == len(call.args) else FAILED


async def ifconfig(call: Call) -> int:
    await call.print(
        "wlan0     Link encap:Ethernet  HWaddr 02:00:00:00:00:00\n"
        f"          inet addr:{ADDRESS}  Bcast:10.0.2.255  Mask:255.255.255.0\n"
        "          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1"
    )
    return 0


async def ip(call: Call) -> int:
    await call.print(
        "2: wlan0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 state UP group default qlen 1000\n"
        "    link/ether 02:00:00:00:00:00 brd ff:ff:ff:ff:ff:ff\n"
        f"    inet {ADDRESS}/24 brd 10.0.2.255 scope global wlan0"
    )
    return 0


COMMANDS = {
    "getprop": Command(getprop),
    "setprop": Command(setprop),
    "date": Command(date),
    "id": Command(id_),
    "whoami": Command(whoami),
    "uname": Command(uname),
    "uptime": Command(uptime),
    "which": Command(which),
    "ifconfig": Command(ifconfig),
    "ip": Command(ip),
}
