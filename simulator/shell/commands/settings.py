"""Provide ``settings`` and ``svc``, which read and change the phone's settings."""

from __future__ import annotations

from manyhands.simulator.phone.device import UnknownComponent
from manyhands.simulator.shell.command import BAD_USAGE, FAILED, Call, Command
from manyhands.simulator.system.phone_system import PhoneSystem

NAMESPACES = ("system", "secure", "global")
DEFAULT_KEYBOARD = ("secure", "default_input_method")
SWITCHES = {"wifi": "wifi_on", "data": "mobile_data", "bluetooth": "bluetooth_on", "nfc": "nfc_on"}
SUPPLIES = {"true": "15", "false": "0", "ac": "1", "usb": "2", "wireless": "4", "dock": "8"}
"""Power supplies that keep the screen on, each with its bits in the setting ``stay_on_while_plugged_in``."""


async def settings(call: Call) -> int:
    args = list(call.args)
    if args[:1] == ["--user"]:
        del args[:2]
    if len(args) > 1 and args[1] == "--user":
        del args[1:3]
    if len(args) < 2:
        await call.complain("usage: settings get|put|delete|list|reset NAMESPACE [NAME [VALUE]]")
        return BAD_USAGE
    action, namespace, *rest = args
    if namespace not in NAMESPACES:
        await call.complain(f"Invalid namespace '{namespace}'")
        return BAD_USAGE
    if action == "list":
        values = all_settings(call.phone, namespace)
        if values:
            await call.print("\n".join(f"{name}={values[name]}" for name in sorted(values)))
        return 0
    if action == "reset":
        await call.complain("Error: a virtual phone does not know which settings apps have put; delete them by name")
        return BAD_USAGE
    if not rest or (action == "put" and len(rest) < 2) or action not in ("get", "put", "delete"):
        await call.complain(f"Bad arguments: settings {' '.join(call.args)}")
        return BAD_USAGE
    if action == "get":
        value = get(call.phone, namespace, rest[0])
        await call.print("null" if value is None else value)
        return 0
    if action == "delete":
        present = call.phone.device.setting(namespace, rest[0]) is not None
        call.phone.device.delete_setting(namespace, rest[0])
        await call.print(f"Deleted {int(present)} rows")
        return 0
    return await put(call, namespace, rest[0], rest[1])


def get(phone: PhoneSystem, namespace: str, name: str) -> str | None:
    """Return a setting; None without a value. The device itself tells the default keyboard."""
    return (
        phone.device.default_ime() if (namespace, name) == DEFAULT_KEYBOARD else phone.device.setting(namespace, name)
    )


def all_settings(phone: PhoneSystem, namespace: str) -> dict[str, str]:
    values = dict(phone.device.settings(namespace))
    if namespace == DEFAULT_KEYBOARD[0]:
        values[DEFAULT_KEYBOARD[1]] = phone.device.default_ime()
    return values


async def put(call: Call, namespace: str, name: str, value: str) -> int:
    try:
        if (namespace, name) == DEFAULT_KEYBOARD:
            call.phone.device.set_ime(value)
        else:
            call.phone.device.put_setting(namespace, name, value)
    except UnknownComponent:
        await call.complain(f"Unknown input method {value}")
        return FAILED
    except ValueError as error:
        await call.complain(f"Error: {error}")
        return FAILED
    return 0


async def svc(call: Call) -> int:
    """Run ``svc wifi|data|bluetooth|nfc enable|disable`` or ``svc power stayon`` with one of SUPPLIES."""
    if len(call.args) >= 2 and call.args[0] in SWITCHES and call.args[1] in ("enable", "disable"):
        call.phone.device.put_setting("global", SWITCHES[call.args[0]], str(int(call.args[1] == "enable")))
        return 0
    if len(call.args) >= 3 and call.args[:2] == ("power", "stayon") and call.args[2] in SUPPLIES:
        call.phone.device.put_setting("global", "stay_on_while_plugged_in", SUPPLIES[call.args[2]])
        return 0
    await call.complain(
        f"Available commands: svc wifi|data|bluetooth|nfc enable|disable, svc power stayon {'|'.join(SUPPLIES)}"
    )
    return FAILED


COMMANDS = {"settings": Command(settings), "svc": Command(svc)}
