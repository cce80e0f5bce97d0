"""Provide the services ``uimode``, ``locale`` and ``alarm`` of ``cmd``: the theme, an app's language, the time zone."""

from __future__ import annotations

import re

from manyhands.simulator.phone.device import UnknownComponent
from manyhands.simulator.shell.command import BAD_USAGE, FAILED, Call, Command

NIGHT = ("secure", "ui_night_mode")
NIGHT_MODES = {"yes": "2", "no": "1"}
_ZONE = re.compile(r"[A-Za-z]+(/[A-Za-z0-9_+-]+)*")


async def uimode(call: Call) -> int:
    """Run ``cmd uimode night [yes|no]``."""
    if call.args[:1] != ("night",) or len(call.args) > 2 or not set(call.args[1:]) <= NIGHT_MODES.keys():
        await call.complain(f"Invalid: {' '.join(call.args)}")
        return BAD_USAGE
    if call.args[1:]:
        call.phone.device.put_setting(*NIGHT, NIGHT_MODES[call.args[1]])
    value = call.phone.device.setting(*NIGHT)
    await call.print(f"Night mode: {'yes' if value == NIGHT_MODES['yes'] else 'no'}")
    return 0


async def locale(call: Call) -> int:
    """Run ``cmd locale get-app-locales PACKAGE`` or ``set-app-locales PACKAGE --locales [TAG]``."""
    try:
        package = call.phone.app(call.args[1] if len(call.args) > 1 else "").package
    except UnknownComponent:
        await call.complain(f"Unknown package {' '.join(call.args[1:2])} for userId 0")
        return FAILED
    match call.args:
        case ("get-app-locales", _):
            await call.print(f"Locales for {package} for user 0 are [{call.phone.app_locales.get(package, '')}]")
        case ("set-app-locales", _, "--locales", tag):
            call.phone.app_locales[package] = tag
        case _:
            await call.complain(f"Unknown command: {' '.join(call.args)}")
            return BAD_USAGE
    return 0


async def alarm(call: Call) -> int:
    """Run ``cmd alarm set-timezone ZONE``."""
    if call.args[:1] != ("set-timezone",) or len(call.args) != 2 or not _ZONE.fullmatch(call.args[1]):
        await call.complain(f"Unknown command: {' '.join(call.args)}")
        return BAD_USAGE
    call.phone.zone = call.args[1]
    return 0


COMMANDS = {"uimode": Command(uimode), "locale": Command(locale), "alarm": Command(alarm)}
