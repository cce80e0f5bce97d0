"""Find the parts of a phone's state by their address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manyhands.actors.phones.adb.state import system
from manyhands.actors.phones.adb.state.answers import Ask, ReadPart
from manyhands.actors.phones.adb.state.apps import read_apps
from manyhands.actors.phones.adb.state.contacts import read_contacts
from manyhands.actors.phones.adb.state.messages import read_sms
from manyhands.protocol.errors import StateUnavailable

PREFIX = "phone://state/"
PARTS: Mapping[str, ReadPart] = {
    "settings": system.read_settings,
    "app": system.read_front_app,
    "apps": read_apps,
    "packages": system.read_packages,
    "properties": system.read_properties,
    "ui": system.read_ui,
    "sms": read_sms,
    "contacts": read_contacts,
}


async def read_device_state(source: str, ask: Ask) -> Mapping[str, Any]:
    """Return the parts that ``source`` names, by their names. Raises StateUnavailable, PhoneLost."""
    names = list(dict.fromkeys(source.removeprefix(PREFIX).split("/")))
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        raise StateUnavailable(f"{source}: a phone has no state {unknown[0]!r}; there are {', '.join(PARTS)}")
    found = {}
    for name in names:
        try:
            found[name] = await PARTS[name](ask)
        except StateUnavailable as error:
            raise StateUnavailable(f"{source}: the phone does not tell {name}: {error}") from error
    return found
