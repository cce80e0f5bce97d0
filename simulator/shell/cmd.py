"""Provide ``cmd``, which runs other commands as services with names of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from manyhands.simulator.shell.command import Call, Command

NO_SERVICE = 20
COMMAND_OF_SERVICE = {
    "activity": "am",
    "alarm": "alarm",
    "input": "input",
    "input_method": "ime",
    "locale": "locale",
    "notification": "notification",
    "package": "pm",
    "settings": "settings",
    "thermalservice": "thermalservice",
    "uimode": "uimode",
    "window": "wm",
}


def cmd_command(commands: Mapping[str, Command]) -> Command:
    """Return the command ``cmd``, which runs the services in a table of commands."""

    async def run(call: Call) -> int:
        service, *args = call.args or ("-l",)
        if service == "-l":
            await call.print("Currently running services:\n" + "\n".join(f"  {name}" for name in COMMAND_OF_SERVICE))
            return 0
        if service in COMMAND_OF_SERVICE:
            name = COMMAND_OF_SERVICE[service]
            return await commands[name].run(replace(call, name=name, args=tuple(args)))
        await call.complain(f"cmd: Can't find service: {service}")
        return NO_SERVICE

    def acts(args: Sequence[str]) -> bool:
        service, *rest = args or ("-l",)
        return service in COMMAND_OF_SERVICE and commands[COMMAND_OF_SERVICE[service]].acts(rest)

    return Command(run, acts)
