"""Select what lasts of a virtual phone's state: contents and settings, not pages that were visited, nor searches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LOOKED_AT = ("pages", "searches")


def lasting_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the lasting part of a phone's ``state``: an object with settings and with lists such as notes, messages.

    A message has ``contact``, ``from`` and ``text``. ``granted`` lists what the user has allowed.
    """
    messages, shop, browser = (state.get(app, {}) for app in ("messages", "shop", "browser"))
    granted = [name for name, given in (("notifications", shop.get("notifications")),) if given is True]
    granted += ["cookies"] if browser.get("cookies") == "accepted" else []
    return {
        "settings": {key: value for key, value in state.get("settings", {}).items() if key not in _LOOKED_AT},
        "notes": state.get("notes", {}).get("items", []),
        "messages": [
            {"contact": thread["contact"], **message}
            for thread in messages.get("threads", [])
            for message in thread["messages"]
        ],
        "cart": shop.get("cart", []),
        "orders": shop.get("orders", []),
        "granted": granted,
    }
