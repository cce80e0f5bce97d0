"""Provide ``ps``, which lists the processes of the system and of running apps."""

from __future__ import annotations

from manyhands.simulator.phone.device import UserDevice
from manyhands.simulator.shell.command import Call, Command, NotSimulated
from manyhands.simulator.system.phone_system import PhoneSystem

SYSTEM = ("init", "servicemanager", "adbd", "system_server", "com.android.systemui")
OWN = ("sh", "ps")


def apps_running(phone: PhoneSystem) -> list[str]:
    """Return the packages of the running apps. Each has a process of the same name."""
    device = phone.device
    return list(device.running()) if isinstance(device, UserDevice) else [device.focus().partition("/")[0]]


async def ps(call: Call) -> int:
    """Run ``ps [-A] -o NAME``: print the names of the shell's own processes; with ``-A`` of all."""
    options, _ = call.options("Aeo:")
    if options.get("-o") != "NAME":
        raise NotSimulated("columns other than -o NAME")
    everything = bool(options.keys() & {"-A", "-e"})
    names = (*SYSTEM, *apps_running(call.phone), *OWN) if everything else OWN
    await call.print("\n".join(("NAME", *names)))
    return 0


COMMANDS = {"ps": Command(ps)}
