"""Implement a virtual phone: what it shows, what it does, and its state.

The phone takes all times from clocks that its maker gives it. It reads these clocks only when it is asked something:
nothing runs in the background. docs/virtual-phones.md describes :meth:`VirtualPhone.state`.
"""

from __future__ import annotations

import string
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from manyhands.simulator.phone.apps.base import App
from manyhands.simulator.phone.apps.builds import Jotter, VirtualBuild, read_build
from manyhands.simulator.phone.apps.catalogue import make_apps
from manyhands.simulator.phone.apps.host import Host
from manyhands.simulator.phone.apps.preferences import ADB_IME, DEFAULT_IME, IMES
from manyhands.simulator.phone.apps.window import Window
from manyhands.simulator.phone.battery import Battery
from manyhands.simulator.phone.content.library import Library
from manyhands.simulator.phone.device import AppFault, AppInfo, Frame, InstallRefused, Link, UnknownComponent
from manyhands.simulator.phone.keycodes import KEY_CODES
from manyhands.simulator.phone.ui.compositor import Compositor, Move
from manyhands.simulator.phone.ui.course import Transitions
from manyhands.simulator.phone.ui.editing import edit
from manyhands.simulator.phone.ui.field import Field
from manyhands.simulator.phone.ui.fonts import shared_fonts
from manyhands.simulator.phone.ui.geometry import Box
from manyhands.simulator.phone.ui.scene import Action, Scene, Target
from manyhands.simulator.phone.user_data import UserData
from manyhands.simulator.phone.views import ViewNode

KEY_POWER, KEY_MENU, KEY_WAKEUP = (KEY_CODES[name] for name in ("POWER", "MENU", "WAKEUP"))
POWER_KEYS = {KEY_POWER, KEY_WAKEUP, KEY_CODES["SLEEP"], KEY_CODES["SOFT_SLEEP"]}
BACK_KEYS = {KEY_CODES["BACK"], KEY_CODES["ESCAPE"]}
PAGE_KEYS = {KEY_CODES["PAGE_UP"]: -1, KEY_CODES["PAGE_DOWN"]: 1}
TYPEABLE = frozenset(string.ascii_letters + string.digits + string.punctuation + " ")
TOUCH_SLOP_DP = 10
LONG_PRESS_MS = 400
FLING_DP = 60


class VirtualPhone(UserData):
    """Be a phone of ``width`` x ``height`` pixels with ``density`` dots per inch and the content of ``seed``.

    ``clock`` gives seconds that only grow, for delays, transitions and toasts. ``wall`` gives the time of day for the
    status bar. The phone needs memory for one frame, and for two more during a transition. ``transitions`` decides how
    each change comes in; then pages do not load on their own as well.
    """

    model = "Manyhands Virtual Phone"

    def __init__(
        self,
        seed: int = 0,
        width: int = 1080,
        height: int = 2400,
        density: int = 420,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], datetime] = datetime.now,
        transitions: Transitions | None = None,
        content: Callable[[int], Library] = Library,
    ) -> None:
        if width < 240 or height < width or density < 80:
            raise ValueError(f"a phone of {width}x{height} at {density} dpi: at least 240 wide, upright, 80 dpi")
        self.width, self.height, self.density = width, height, density
        self._clock, self._wall, self._content = clock, wall, content
        self._compositor = Compositor(width, height, shared_fonts())
        self._transitions = transitions
        self._move: Move = "fade"
        """The transition for the changes of the current input."""
        self._reached: list[str] = []
        self._builds: dict[str, VirtualBuild] = {}
        """The installed builds, by package. A reset of contents leaves them."""
        self._start(seed)

    def _start(self, seed: int) -> None:
        self._host = Host(
            self._content(seed),
            self._clock,
            self._make_apps,
            self._moved,
            loads=self._transitions is None,
            wall=lambda: self._wall().timestamp(),
        )
        self._window = Window(self._host, (self.width, self.height), self.density, shared_fonts(), self._wall)
        self._scene: Scene | None = None

    def _make_apps(self, host: Host) -> list[App]:
        return [*make_apps(host, self._wall), *(Jotter(host, build) for build in self._builds.values())]

    # ------------------------------------------------------------------ pixels
    def frame(self) -> Frame:
        pixels = self._compositor.frame(self._current().marks, self._clock())
        if self._host.intrusions.looked_at():
            self._touched()
        view = pixels.view()
        view.flags.writeable = False
        return Frame(view, self._compositor.version)

    def layout(self) -> list[tuple[str, Box]]:
        """Return the lines of text on the screen with their boxes in pixels, in the order of painting.

        Texts that a dialog covers or dims are left out. Tests use this method, and so does the play of a suite's
        reference operations. No adb command reaches it.
        """
        return list(self._current().texts)

    def touched_at(self, x: int, y: int) -> Box | None:
        """Return the box, in pixels, of the target that a touch reaches; None without one. Used like ``layout``."""
        target = self._current().at(x, y)
        return None if target is None else target.box

    def _current(self) -> Scene:
        """Return the scene of this moment. Lay it out again after an event, or at the time ``Scene.wake``."""
        if self._scene is None or self._clock() >= self._scene.wake:
            self._host.intrusions.push_in()
            self._scene = self._window.scene()
        return self._scene

    def _touched(self) -> None:
        self._scene = None

    def _moved(self, move: Move) -> None:
        self._move = move
        if self._transitions is None:
            self._compositor.begin(move, self._clock())

    @contextmanager
    def _input(self, kind: str, app: str | None = None) -> Iterator[None]:
        """Surround the effect of an input. ``app``: the app that the input concerns, by default the app in front."""
        self._current()
        self._host.intrusions.touched()
        if self._transitions is None:
            yield
        else:
            app, self._move = app or self.focus().partition("/")[0], "fade"
            self.frame()  # draws the present screen, from which the transition begins
            yield
            self._compositor.begin(self._move, self._clock(), self._transitions.course(app, kind))
        self._touched()

    def rest(self) -> dict[str, Any]:
        """Return whether all changes of inputs are shown, and the Unix time when they were or will be."""
        self.frame()
        now, end = self._clock(), self._compositor.changed_until
        page = self._host.front.page
        if page.loading and not self._host.switcher:
            end = max(end, page.ready_at)
        return {"resting": now >= end, "since": self._wall().timestamp() + end - now}

    def take_reached(self) -> Sequence[str]:
        """Return what each input since the last call reached: the action, the view by its texts, and the page."""
        reached, self._reached = self._reached, []
        return reached

    def _reach(self, what: str) -> None:
        front = self._host.state()["foreground"]
        page = "/".join(str(front[part]) for part in ("package", "page", "about"))
        self._reached.append(f"{what} on {page}")

    def _view(self, target: Target) -> str:
        """Return a view's texts, which do not change when it is scrolled; without texts, its box."""
        texts = self._current().texts
        inside = [text for text, box in texts if target.box.holds(box.x + box.w // 2, box.y + box.h // 2)]
        return " | ".join(inside) or str(target.box)

    # ------------------------------------------------------------------ fingers
    def tap(self, x: int, y: int) -> None:
        with self._input("tap"):
            target = self._current().at(x, y)
            if target and target.tap:
                self._reach(f"tap {self._view(target)}")
                target.tap()

    def long_press(self, x: int, y: int, ms: int) -> None:
        with self._input("press"):
            target = self._current().at(x, y)
            action = target and (target.hold if ms >= LONG_PRESS_MS and target.hold else target.tap)
            if target and action:
                self._reach(f"press {ms >= LONG_PRESS_MS} {self._view(target)}")
                action()

    def swipe(self, x1: int, y1: int, x2: int, y2: int, ms: int) -> None:
        """Let content follow the finger without momentum. A finger that hardly moves taps or presses instead."""
        dx, dy = x1 - x2, y1 - y2
        if max(abs(dx), abs(dy)) < TOUCH_SLOP_DP * self._window.scale:
            self.long_press(x1, y1, ms)
            return
        with self._input("swipe"):
            scene, horizontal = self._current(), abs(dx) > abs(dy)
            target = scene.at(x1, y1)
            if target and target.fling and not horizontal and dy > FLING_DP * self._window.scale:
                self._reach(f"fling {self._view(target)}")
                target.fling()
            elif scroller := scene.scroller_at(x1, y1, horizontal):
                before = scroller.offset
                scroller.by(dx if horizontal else dy)
                if scroller.offset != before:
                    self._reach(f"scroll {'x' if horizontal else 'y'} from {before}")

    # ------------------------------------------------------------------ keys and text
    def key(self, code: int, held: frozenset[int] = frozenset()) -> None:
        """Press a key of the navigation bar, or one that edits the focused field. Other keys do nothing."""
        with self._input(f"key {code}"):
            self._current()  # a key acts on the screen as it is shown, including its scroll position
            self._reach(f"key {code} {sorted(held)} keyboard {self._host.keyboard}")
            self._key(code, held)

    def _key(self, code: int, held: frozenset[int]) -> None:
        host, page = self._host, self._host.front.page
        if code in POWER_KEYS:
            host.awake = code == KEY_WAKEUP or (code == KEY_POWER and not host.awake)
        elif not host.awake:
            host.awake = code == KEY_MENU  # this key also wakes a phone, and does nothing else here
        elif code == KEY_CODES["HOME"]:
            host.home()
        elif code in BACK_KEYS:
            host.back()
        elif code == KEY_CODES["APP_SWITCH"]:
            host.toggle_switcher()
        elif code in PAGE_KEYS:
            page.scroller.by(round(0.9 * page.scroller.view) * PAGE_KEYS[code])
        elif host.field:
            edit(host.field, code, held, host.clipboard)

    def input_text(self, text: str) -> None:
        missing = sorted(set(text) - TYPEABLE)
        if missing:
            raise ValueError(f"the key map of the virtual keyboard has no key for {missing[0]!r}; nothing was typed")
        if self._host.awake:
            self._type(f"type {text}", lambda field: field.insert(text))

    def ime_commit(self, text: str) -> None:
        if self._adb_keyboard():
            self._type(f"type {text}", lambda field: field.insert(text))

    def ime_clear(self) -> None:
        if self._adb_keyboard():
            self._type("clear", lambda field: field.set(""))

    def _type(self, what: str, change: Callable[[Field], None]) -> None:
        if self._host.field:
            with self._input("type"):
                self._reach(what)
                change(self._host.field)

    def _adb_keyboard(self) -> bool:
        return self._host.awake and self.default_ime() == ADB_IME

    # ------------------------------------------------------------------ apps
    def apps(self) -> Sequence[AppInfo]:
        versions = {package: build.version for package, build in self._builds.items()}
        return [
            AppInfo(app.package, app.activity, app.title, app.system, versions.get(app.package, 1))
            for app in self._host.apps.values()
        ]

    def install(self, files: Sequence[bytes]) -> None:
        try:
            builds = [read_build(data) for data in files]
        except ValueError as error:
            raise InstallRefused("INSTALL_PARSE_FAILED_NOT_APK", str(error)) from error
        base = next((build for build in builds if not build.part), None)
        missing = set(base.parts if base else ("base",)) - {build.part for build in builds}
        if base is None or missing:
            raise InstallRefused("INSTALL_FAILED_MISSING_SPLIT", f"Missing split for {builds[0].package}")
        installed = self._builds.get(base.package)
        if installed is not None and installed.signature != base.signature:
            reason = f"Existing package {base.package} signatures do not match newer version; ignoring!"
            raise InstallRefused("INSTALL_FAILED_UPDATE_INCOMPATIBLE", reason)
        if installed is not None and installed.version > base.version:
            reason = f"Downgrade detected: Update version code {base.version} is older than {installed.version}"
            raise InstallRefused("INSTALL_FAILED_VERSION_DOWNGRADE", reason)
        self._builds[base.package] = base
        app, older = Jotter(self._host, base), self._host.apps.get(base.package)
        if isinstance(older, Jotter):
            app.notes = older.notes
        self._host.install(app)
        self._touched()

    def uninstall(self, package: str) -> None:
        if package not in self._builds:
            raise UnknownComponent(f"package {package} is not installed, or a part of the system")
        del self._builds[package]
        self._host.remove(package)
        self._touched()

    def faults(self) -> Sequence[AppFault]:
        return list(self._host.faults)

    def launch(self, component: str) -> None:
        package, _, activity = component.partition("/")
        app = self._app(package)
        if activity.startswith("."):
            activity = package + activity
        if activity and activity != app.activity:
            raise UnknownComponent(f"activity {activity} of {package}: its launcher activity is {app.activity}")
        self._reached.append(f"open {package}")
        with self._input("open", package):
            self._host.open(package)

    def resolve(self, link: Link) -> str:
        return self._opener(link)[0].component

    def open_link(self, link: Link) -> None:
        app, show = self._opener(link)
        self._reached.append(f"open {link.action} {link.uri} {sorted(link.extras.items())}")
        with self._input("open", app.package):
            self._host.open(app.package)
            show()

    def _opener(self, link: Link) -> tuple[App, Action]:
        for app in self._host.apps.values():
            show = app.opener(link) if link.package in (None, app.package) else None
            if show is not None:
                return app, show
        raise UnknownComponent(f"no app opens {link.action} {link.uri}")

    def force_stop(self, package: str) -> None:
        self._app(package)
        self._host.close(package)
        self._touched()

    def clear_data(self, package: str) -> None:
        self._app(package)
        self._host.renew(package)
        self._touched()

    def focus(self) -> str:
        self._current()  # another app may push in by itself
        return (self._host.launcher if self._host.switcher else self._host.front.app).component

    def home(self) -> str:
        return self._host.launcher.component

    def _app(self, package: str) -> App:
        if package not in self._host.apps:
            raise UnknownComponent(f"package {package} is not installed")
        return self._host.apps[package]

    # ------------------------------------------------------------------ keyboard and settings
    def hierarchy(self) -> ViewNode | None:
        self._current()
        if self._host.intrusions.looked_at():
            self._touched()
        return self._window.hierarchy() if self._host.awake else None

    def awake(self) -> bool:
        return self._host.awake

    def secure(self) -> bool:
        self._current()
        return self._host.awake and self._window.secure

    @property
    def battery(self) -> Battery:
        """Return the battery. The status bar shows it, too."""
        return self._host.battery

    @battery.setter
    def battery(self, battery: Battery) -> None:
        self._host.battery = battery
        self._touched()

    def keyboard_shown(self) -> bool:
        return self._host.keyboard and self._host.awake

    def selection(self) -> tuple[int, int] | None:
        field = self._host.field
        if not field:
            return None
        start, end = (len(field.text[:place].encode("utf-16-le", "surrogatepass")) // 2 for place in field.selection)
        return start, end

    def imes(self) -> Sequence[str]:
        return IMES

    def default_ime(self) -> str:
        return self._host.settings.ime

    def set_ime(self, ime: str) -> None:
        if ime not in IMES:
            raise UnknownComponent(f"input method {ime} is not installed; there are {', '.join(IMES)}")
        self.put_setting(*DEFAULT_IME, ime)

    def setting(self, namespace: str, name: str) -> str | None:
        return self._host.settings.get(namespace, name)

    def put_setting(self, namespace: str, name: str, value: str) -> None:
        self._host.settings.put(namespace, name, value)
        self._touched()

    def delete_setting(self, namespace: str, name: str) -> None:
        self._host.settings.delete(namespace, name)
        self._touched()

    def settings(self, namespace: str) -> Mapping[str, str]:
        return self._host.settings.all(namespace)

    # ------------------------------------------------------------------ the simulator's own door
    def state(self) -> dict[str, Any]:
        self._current()  # what is on the screen now counts as seen, even if nobody has asked for a frame
        return {**self._host.state(), "keyboard": self._host.keyboard}

    def lasting_state(self) -> dict[str, Any]:
        return self._host.lasting_state()

    def reset(self, seed: int) -> None:
        self._start(seed)
