"""``ps``: the processes of the system and of the apps that run."""

from __future__ import annotations

from manyhands.simulator.phone.device import UserDevice
from manyhands.simulator.shell.command import Call, Command, NotSimulated
from manyhands.simulator.system.phone_system import PhoneSystem

SYSTEM = ("init", "servicemanager", "adbd", "system_server", "com.android.systemui")
OWN = ("sh", "ps")


def apps_running(phone: PhoneSystem) -> list[str]:
    """Return the packages of the apps that have a process, which is named like them."""
    device = phone.device
    return list(device.running()) if isinstance(device, UserDevice) else [device.focus().partition("/")[0]]


async def ps(call: Call) -> int:
    """Print the names of the shell's own processes, or of all: ``ps [-A] -o NAME``."""
    options, _ = call.options("Aeo:")
    if options.get("-o") != "NAME":
        raise NotSimulated("columns other than -o NAME")
    everything = bool(options.keys() & {"-A", "-e"})
    names = (*SYSTEM, *apps_running(call.phone), *OWN) if everything else OWN
    await call.print("\n".join(("NAME", *names)))
    return 0


COMMANDS = {"ps": Command(ps)}
