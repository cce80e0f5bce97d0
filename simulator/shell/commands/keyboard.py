"""Provide ``ime``, which lists, enables, disables and selects input methods."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.simulator.phone.device import UnknownComponent
from manyhands.simulator.shell.command import BAD_USAGE, FAILED, Call, Command
from manyhands.simulator.system.phone_system import PhoneSystem

ENABLED = ("secure", "enabled_input_methods")


def enabled_imes(phone: PhoneSystem) -> list[str]:
    """Return the installed input methods that are enabled. By default all are."""
    listed = phone.device.setting(*ENABLED)
    names = None if listed is None else {entry.partition(";")[0] for entry in listed.split(":")}
    return [ime for ime in phone.imes() if names is None or ime in names]


async def ime(call: Call) -> int:
    args = [arg for arg in call.args if arg]
    if "--user" in args:
        del args[args.index("--user") : args.index("--user") + 2]
    if not args:
        await call.complain("ime commands: list [-a] [-s], enable ID, disable ID, set ID, reset")
        return BAD_USAGE
    action, *rest = args
    if action == "list":
        return await list_(call, rest)
    if action == "reset":
        return await reset(call)
    if action not in ("set", "enable", "disable") or not rest:
        await call.complain(f"Error: ime {' '.join(args)}: an action with an id is expected")
        return BAD_USAGE
    name = rest[0]
    if name not in call.phone.imes() or (action == "set" and name not in enabled_imes(call.phone)):
        done = {"set": "selected", "enable": "enabled", "disable": "disabled"}[action]
        await call.complain(f"Unknown input method {name} cannot be {done} for user #0")
        return BAD_USAGE
    if action == "set":
        call.phone.device.set_ime(name)
        await call.print(f"Input method {name} selected for user #0")
        return 0
    return await enable(call, name) if action == "enable" else await disable(call, name)


async def list_(call: Call, options: Sequence[str]) -> int:
    """Print the enabled input methods; with ``-a`` all that are installed, with ``-s`` only their ids."""
    imes = call.phone.imes() if "-a" in options else enabled_imes(call.phone)
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


async def disable(call: Call, name: str) -> int:
    """Disable an input method. If it is in use, select another one, as Android does."""
    rest = [ime for ime in enabled_imes(call.phone) if ime != name]
    if not rest:
        await call.complain(f"Input method {name} is the only one and cannot be disabled for user #0")
        return FAILED
    if call.phone.device.default_ime() == name:
        call.phone.device.set_ime(rest[0])
    call.phone.device.put_setting(*ENABLED, ":".join(rest))
    await call.print(f"Input method {name}: now disabled for user #0")
    return 0


async def reset(call: Call) -> int:
    """Enable all input methods, and select the first one."""
    imes = call.phone.imes()
    try:
        call.phone.device.set_ime(imes[0])
    except (IndexError, UnknownComponent):
        await call.complain("Error: no input method to select for user #0")
        return FAILED
    call.phone.device.put_setting(*ENABLED, ":".join(imes))
    await call.print(
        f"Reset current and enabled IMEs for user #0\n  Newly selected IME:\n    {imes[0]}\n  Newly enabled IMEs:\n"
        + "\n".join(f"    {name}" for name in imes)
    )
    return 0


COMMANDS = {"ime": Command(ime)}
