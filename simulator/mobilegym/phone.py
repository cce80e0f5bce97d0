"""Be a phone whose screen is MobileGym's page: its own Home, Back, recent apps, keyboard and apps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from manyhands.simulator.phone.device import AppInfo, DeviceLost, Link, UnknownComponent
from manyhands.simulator.phone.keycodes import KEY_CODES
from manyhands.simulator.web.phone import HOME_COMPONENT, KEY_HOME, WebPhone
from manyhands.simulator.web.screen import READER, PageFailed

READY_S = 25.0
"""How long the simulator may take after its page has loaded. Its README says about 3 s."""
PACKAGE = "mobilegym."
"""What stands before an app's id in the name of its package. MobileGym's page tells no package."""
KEY_APP_SWITCH = KEY_CODES["APP_SWITCH"]
_BACK = f"{READER}.closePicker() || window.__OS__.handleBack()"


class MobileGymPhone(WebPhone):
    """Go through ``window.__OS__`` where a web phone goes through its browser: the page is the whole phone.

    A reset is a new context, as MobileGym's own ``restart``: every app and setting has its default again.
    """

    ready_s = READY_S

    async def _start_screen(self) -> None:
        await super()._start_screen()
        try:
            await self.screen.evaluate(f"window[Symbol.for('mobilegym')]({1000 * self.ready_s:.0f})")
        except PageFailed as error:
            raise DeviceLost(f"{self._home_url} shows no MobileGym; start its server: {error}") from error
        self._facts = await self.screen.facts()

    def _do(self, call: str) -> None:
        """Evaluate a call after what waits. What it returns is not asked: it need not be a value of JSON."""

        async def step() -> None:
            await self.screen.evaluate(f"void ({call})")

        self._waiting.append(step)

    # ------------------------------------------------------------------ input
    def key(self, code: int, held: frozenset[int] = frozenset()) -> None:
        if code not in (KEY_HOME, KEY_APP_SWITCH) or not self._world():  # a page that was left has no simulator
            super().key(code, held)
        elif self._awake:
            self._do("window.__OS__.goHome()" if code == KEY_HOME else "window.__OS__.showRecents()")

    async def _back(self) -> None:
        await self.screen.evaluate(f"void ({_BACK})")

    def keyboard_shown(self) -> bool:
        return self._awake and bool(self._world().get("keyboard"))

    # ------------------------------------------------------------------ apps
    def _world(self) -> Mapping[str, Any]:
        """Return what ``world.js`` told last; nothing before the simulator is ready."""
        world: Mapping[str, Any] | None = self._facts.page
        return world or {}

    def _system(self) -> Mapping[str, Any]:
        system: Mapping[str, Any] = self._world().get("state", {}).get("os", {})
        return system

    def apps(self) -> Sequence[AppInfo]:
        return tuple(
            AppInfo(PACKAGE + app["id"], f"{PACKAGE}{app['id']}.Main", app["name"], app["type"] == "system")
            for app in self._system().get("installedApps", ())
        )

    def launch(self, component: str) -> None:
        package = component.partition("/")[0]
        if all(app.package != package for app in self.apps()):
            raise UnknownComponent(f"{component} is not installed")
        self._do(f"window.__OS__.openApp({_id(package)})")

    def resolve(self, link: Link) -> str:
        raise UnknownComponent(f"no app opens {link.action} {link.uri}")

    def force_stop(self, package: str) -> None:
        self._do(f"window.__OS__.closeApp({_id(package)})")

    def clear_data(self, package: str) -> None:
        raise UnknownComponent(f"MobileGym cannot clear the data of {package} alone: reset the phone")

    def focus(self) -> str:
        return HOME_COMPONENT if self._at_home() else "{0}/{0}.Main".format(self._package_in_front())

    def _package_in_front(self) -> str:
        return f"{PACKAGE}{self._system()['activeAppId']}"

    def _at_home(self) -> bool:
        return bool(self._system().get("isLauncherVisible", True)) or not self._system().get("activeAppId")

    def state(self) -> dict[str, Any]:
        """Return what was read at the last refresh; ``page`` holds MobileGym's ``state`` and ``route``."""
        state = super().state()
        if not self._at_home():
            package, route = self._package_in_front(), self._world().get("route") or {}
            label = next((app.label for app in self.apps() if app.package == package), package)
            state["foreground"].update(app=label, about=route.get("path", ""))
        return state


def _id(package: str) -> str:
    return json.dumps(package.removeprefix(PACKAGE))
