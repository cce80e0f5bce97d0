"""``ime``: input methods."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.simulator.shell.command import BAD_USAGE, Call, Command
from manyhands.simulator.system.phone_system import PhoneSystem

ENABLED = ("secure", "enabled_input_methods")


def enabled_imes(phone: PhoneSystem) -> list[str]:
    """Return the installed methods that are enabled: all by default."""
    listed = phone.device.setting(*ENABLED)
    names = None if listed is None else {entry.partition(";")[0] for entry in listed.split(":")}
    return [ime for ime in phone.device.imes() if names is None or ime in names]


async def ime(call: Call) -> int:
    args = [arg for arg in call.args if arg]
    if "--user" in args:
        del args[args.index("--user") : args.index("--user") + 2]
    if not args:
        await call.complain("ime commands: list [-a] [-s], enable ID, set ID")
        return BAD_USAGE
    action, *rest = args
    if action == "list":
        return await list_(call, rest)
    if action not in ("set", "enable") or not rest:
        await call.complain(f"Error: ime {' '.join(args)}: an action with an id is expected")
        return BAD_USAGE
    name = rest[0]
    if name not in call.phone.device.imes() or (action == "set" and name not in enabled_imes(call.phone)):
        await call.complain(
            f"Unknown input method {name} cannot be {'selected' if action == 'set' else 'enabled'} for user #0"
        )
        return BAD_USAGE
    if action == "set":
        call.phone.device.set_ime(name)
        await call.print(f"Input method {name} selected for user #0")
        return 0
    return await enable(call, name)


async def list_(call: Call, options: Sequence[str]) -> int:
    """Print the enabled methods, all with ``-a``; only their ids with ``-s``."""
    imes = call.phone.device.imes() if "-a" in options else enabled_imes(call.phone)
    for name in imes:
        package, _, service = name.partition("/")
        await call.print(
            name
            if "-s" in options
            else f"{name}:\n  mId={name} mShowInInputMethodPicker=true\n"
            f"  Service:\n    ServiceInfo:\n      name={package + service}\n      packageName={package}"
        )
    return 0


async def enable(call: Call, name: str) -> int:
    before = enabled_imes(call.phone)
    if name not in before:
        call.phone.device.put_setting(*ENABLED, ":".join((*before, name)))
    state = "already enabled" if name in before else "now enabled"
    await call.print(f"Input method {name}: {state} for user #0")
    return 0


COMMANDS = {"ime": Command(ime)}
