"""Manage the phone's windows: apps, tasks and their pages, focus, toasts, settings."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from manyhands.simulator.phone.apps.base import App, Page, SearchPage, note_once
from manyhands.simulator.phone.apps.intrusions import Intrusions
from manyhands.simulator.phone.apps.preferences import Preferences
from manyhands.simulator.phone.battery import Battery
from manyhands.simulator.phone.content.library import Library
from manyhands.simulator.phone.device import AppFault
from manyhands.simulator.phone.ui.compositor import Move
from manyhands.simulator.phone.ui.editing import Clipboard
from manyhands.simulator.phone.ui.field import Field

TOAST_S = 2.0
LOADING_S = (0.3, 0.9)
RECENT_TASKS = 12
DEEPEST = 60


@dataclass(slots=True)
class Task:
    """Hold a running app and its pages. The last page is in front."""

    app: App
    pages: list[Page] = field(default_factory=list)

    @property
    def page(self) -> Page:
        return self.pages[-1]


class Host:
    """Run the apps of one phone. The first app of ``make_apps`` is the launcher, which always runs."""

    def __init__(
        self,
        library: Library,
        clock: Callable[[], float],
        make_apps: Callable[[Host], list[App]],
        moved: Callable[[Move], None],
        loads: bool = True,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._clock, self._make_apps, self._moved, self._loads = clock, make_apps, moved, loads
        self.wall = wall
        """Return the time of day, in Unix seconds."""
        self._random = Random(f"delays {library.seed}")
        self.library = library
        self.settings = Preferences(self.library.language, self.library.turned())
        self.apps = {app.package: app for app in make_apps(self)}
        self.launcher = next(iter(self.apps.values()))
        self._home = Task(self.launcher, self.launcher.first_pages())
        self.tasks: list[Task] = []
        self.front = self._home
        self.switcher = False
        self.field: Field | None = None
        self.keyboard = False
        self.clipboard = Clipboard()
        self.battery = Battery()
        self.awake = True
        self.visited: list[str] = []
        self.intrusions = Intrusions.on(self)
        self.faults: list[AppFault] = []
        """What went wrong in apps, the newest last."""
        self._toast: tuple[str, float] = ("", 0.0)

    # ------------------------------------------------------------------ what apps may ask (base.System)
    @property
    def now(self) -> float:
        return self._clock()

    def say(self, en: str, zh: str) -> str:
        return self.library.worded(zh if self.settings.language == "zh" else en)

    def push(self, page: Page) -> None:
        self.front.pages.append(page)
        del self.front.pages[1:-DEEPEST]
        self._turned(None if page.overlay else "forward")
        fault = self.front.app.find_fault(page)
        if fault is not None:
            self.faults.append(AppFault(fault, self.front.app.package, page.name, self.wall()))
            if fault == "crash":
                self.close(self.front.app.package)

    def pop(self) -> None:
        if len(self.front.pages) > 1:
            page = self.front.pages.pop()
            self._turned(None if page.overlay else "backward")
        elif self.front is not self._home:
            self.home()

    def open(self, package: str) -> None:
        """Bring an app to the front. Its icon does this. Raises KeyError for a package that is not installed."""
        app = self.apps[package]
        if app is self.launcher:
            self.home()
            return
        task = next((task for task in self.tasks if task.app is app), None)
        if task is None:
            task = Task(app, [*app.first_pages(), *self.intrusions.dialogs(app)])
            self.intrusions.opened(app)
        else:
            self.tasks.remove(task)
        self.tasks.append(task)
        del self.tasks[:-RECENT_TASKS]
        if task is not self.front or self.switcher:
            self._enter(task, "rise")
        if self.library.first_field(app.label) and isinstance(task.page, SearchPage):
            self.focus(task.page.search)
        note_once(self.visited, app.label)

    def toast(self, text: str) -> None:
        self._toast = (text, self.now + TOAST_S)

    def focus(self, field: Field | None) -> None:
        self.field = field
        self.keyboard = field is not None

    def focused(self, field: Field) -> bool:
        return field is self.field

    def delay(self) -> float:
        return self.library.loading_s(self._random.uniform(*LOADING_S) if self._loads else 0.0)

    # ------------------------------------------------------------------ keys of the navigation bar
    def home(self) -> None:
        if self.front is not self._home or self.switcher:
            self._enter(self._home, "fall")
        else:
            self.focus(None)

    def back(self) -> None:
        """Close the keyboard, or let the page handle Back, or leave the page."""
        if self.switcher:
            self.toggle_switcher()
        elif self.keyboard:
            self.keyboard = False
        elif not self.front.page.back():
            self.pop()

    def toggle_switcher(self) -> None:
        self.focus(None)
        self.switcher = not self.switcher
        self._moved("fall")

    # ------------------------------------------------------------------ tasks
    def close(self, package: str) -> None:
        """End an app's task. The app's data stays."""
        self.tasks = [task for task in self.tasks if task.app.package != package]
        if self.front.app.package == package and self.front is not self._home:
            showing = self.switcher
            self._enter(self._home, "fall")
            self.switcher = showing

    def close_all(self) -> None:
        self.tasks.clear()
        self._enter(self._home, "fall")

    def install(self, app: App) -> None:
        """Add an app, in the place of an older version of it."""
        self.close(app.package)
        self.apps[app.package] = app

    def remove(self, package: str) -> None:
        """Remove an app with its data."""
        self.close(package)
        del self.apps[package]

    def renew(self, package: str) -> None:
        """Replace an installed app by a fresh one with the seed's data. Ignore the launcher, which has no data."""
        if package != self.launcher.package:
            self.close(package)
            self.apps[package] = next(app for app in self._make_apps(self) if app.package == package)

    def _enter(self, task: Task, move: Move) -> None:
        self.focus(None)
        self.front, self.switcher = task, False
        self._moved(move)

    def _turned(self, move: Move | None) -> None:
        self.focus(None)
        if move:
            self._moved(move)

    # ------------------------------------------------------------------ what the screen and the state show
    def toast_shown(self) -> tuple[str, float] | None:
        """Return the toast's text and the time of its end, while there is a toast; else None."""
        return self._toast if self.now < self._toast[1] else None

    def lasting_state(self) -> dict[str, Any]:
        """Return what lasts of all apps' data. Lists that several apps have under one name are joined."""
        lasting: dict[str, Any] = {}
        for app in self.apps.values():
            for name, value in app.lasting_state().items():
                lasting[name] = [*lasting[name], *value] if name in lasting else value
        return lasting

    def state(self) -> dict[str, Any]:
        page = self.front.page
        front = {
            "app": self.front.app.label,
            "package": self.front.app.package,
            "activity": self.front.app.activity,
            "page": "recents" if self.switcher else page.name,
            "about": "" if self.switcher else page.about,
        }
        apps = {app.key: app.state() for app in self.apps.values() if app is not self.launcher}
        return {
            "seed": self.library.seed,
            "foreground": front,
            "visited": list(self.visited),
            **{key: found for key, found in apps.items() if found},
            **({"harm": list(self.intrusions.harm)} if self.intrusions.harm else {}),
        }
