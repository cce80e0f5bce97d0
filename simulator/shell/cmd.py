"""``cmd``: services by name. Those that have a command of their own are that command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from manyhands.simulator.shell.command import BAD_USAGE, Call, Command

NO_SERVICE = 20
COMMAND_OF_SERVICE = {
    "activity": "am",
    "input": "input",
    "input_method": "ime",
    "package": "pm",
    "settings": "settings",
    "window": "wm",
}
NIGHT_MODES = {"yes": "2", "no": "1", "auto": "0"}


def cmd_command(commands: Mapping[str, Command]) -> Command:
    """``cmd`` over a table of commands."""

    async def run(call: Call) -> int:
        service, *args = call.args or ("-l",)
        if service == "-l":
            names = sorted((*COMMAND_OF_SERVICE, "connectivity", "statusbar", "uimode"))
            await call.print("Currently running services:\n" + "\n".join(f"  {name}" for name in names))
            return 0
        if service in COMMAND_OF_SERVICE:
            name = COMMAND_OF_SERVICE[service]
            return await commands[name].run(replace(call, name=name, args=tuple(args)))
        if service == "statusbar":
            return await statusbar(call, args)
        if service == "uimode":
            return await uimode(call, args)
        if service == "connectivity":
            return await connectivity(call, args)
        await call.complain(f"cmd: Can't find service: {service}")
        return NO_SERVICE

    def acts(args: Sequence[str]) -> bool:
        service, *rest = args or ("-l",)
        if service in COMMAND_OF_SERVICE:
            return commands[COMMAND_OF_SERVICE[service]].acts(rest)
        return service == "statusbar"

    return Command(run, acts)


async def statusbar(call: Call, args: Sequence[str]) -> int:
    """There is no notification shade: collapsing it changes nothing, expanding it is refused."""
    if list(args) == ["collapse"]:
        return 0
    await call.complain(f"Error: this phone has no notification shade ({' '.join(args)})")
    return BAD_USAGE


async def uimode(call: Call, args: Sequence[str]) -> int:
    """``cmd uimode night [yes|no|auto]``."""
    if not args or args[0] != "night" or not set(args[1:2]) <= set(NIGHT_MODES):
        await call.complain("UiMode service (uimode) commands: night [yes|no|auto]")
        return BAD_USAGE
    if len(args) > 1:
        call.phone.device.put_setting("secure", "ui_night_mode", NIGHT_MODES[args[1]])
    value = call.phone.device.setting("secure", "ui_night_mode")
    await call.print(f"Night mode: {next((name for name, code in NIGHT_MODES.items() if code == value), 'no')}")
    return 0


async def connectivity(call: Call, args: Sequence[str]) -> int:
    """``cmd connectivity airplane-mode [enable|disable]``."""
    if not args or args[0] != "airplane-mode" or not set(args[1:2]) <= {"enable", "disable"}:
        await call.complain("Connectivity service commands: airplane-mode [enable|disable]")
        return BAD_USAGE
    device = call.phone.device
    if len(args) > 1:
        device.put_setting("global", "airplane_mode_on", str(int(args[1] == "enable")))
    else:
        await call.print("enabled" if device.setting("global", "airplane_mode_on") == "1" else "disabled")
    return 0
