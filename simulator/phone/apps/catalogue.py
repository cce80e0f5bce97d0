"""List the apps of a virtual phone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from manyhands.simulator.phone.apps.base import App
from manyhands.simulator.phone.apps.browser import Browser
from manyhands.simulator.phone.apps.host import Host
from manyhands.simulator.phone.apps.launcher import Launcher
from manyhands.simulator.phone.apps.messages import Messages
from manyhands.simulator.phone.apps.notes import Notes
from manyhands.simulator.phone.apps.placeholders import Calendar, Camera, Clock, Maps, Photos
from manyhands.simulator.phone.apps.settings import SettingsApp
from manyhands.simulator.phone.apps.shop import Shop

DOCK = (Messages.package, Browser.package, Notes.package, SettingsApp.package)


def make_apps(host: Host, wall: Callable[[], datetime]) -> list[App]:
    """Return the apps: the launcher first, then the others in the order of their icons."""
    browser = Browser(host)

    def search() -> None:
        host.open(Browser.package)
        found = host.apps[Browser.package]
        if isinstance(found, Browser):
            found.search()

    return [
        Launcher(host, wall, lambda: host.apps, search, DOCK),
        Shop(host),
        Clock(host, wall),
        Calendar(host, wall),
        Camera(host),
        Maps(host),
        Photos(host),
        Messages(host, wall),
        browser,
        Notes(host),
        SettingsApp(host),
    ]
