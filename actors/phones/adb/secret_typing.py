"""Decide where a secret is typed on one phone, and keep it from all that the phone tells afterwards (docs/secrets.md).

A value is read when it is typed, and again when a picture or a text is masked; between, nobody holds it. Which secrets
the phone may show is on disk before one is sent, so a gateway that was killed masks them, too. ``forget`` ends that
once the apps are closed that got them.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from manyhands.actors.phones.adb.apps import AppCatalogue
from manyhands.actors.phones.adb.commands import Commands, typing_commands
from manyhands.actors.phones.adb.frame_source import AdbFrameSource
from manyhands.actors.phones.adb.keyboard import is_field, letters_of
from manyhands.actors.phones.adb.shell import ActionRefused, Ask
from manyhands.actors.phones.adb.view_tree import VIEWS_LINE, View, parse_views
from manyhands.actors.phones.secret_values import SHORTEST, SecretUnavailable, find_problems, read_secret
from manyhands.protocol.errors import CaptureFailed, StateUnavailable, StoreError, store_error
from manyhands.protocol.screens.actions import Type
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.secrets import PLACEHOLDER, Secret, placeholder, secret_names
from manyhands.protocol.utilities import secure_files

T = TypeVar("T")
MOST_TRIES = 3
"""How many pictures are taken while fields move."""
OTHER_APP = "MH_OTHER_APP"
"""What a line prints that typed nothing, because another window had got the focus."""


@dataclass(frozen=True, slots=True)
class SecretCommands:
    """Hold the commands that type a text with secrets."""

    commands: Commands = field(repr=False)
    guard: str
    """The line that must succeed just before them."""
    hide: Callable[[str], str]
    """Returns what the phone has answered, without the values."""


class SecretTyping:
    """Type secrets on one phone, and mask them in what it tells."""

    def __init__(self, serial: str, ask: Ask, declared: Mapping[str, Secret], folder: Path) -> None:
        """``folder``: where all gateways of this host keep which secrets each phone may show."""
        self._serial = serial
        self._ask = ask
        self._declared = declared
        self._path = folder / "secrets" / quote(serial, safe="")
        self._typed: Mapping[str, Sequence[str]] | None = None
        self._painting = asyncio.Lock()

    async def typed(self) -> Mapping[str, Sequence[str]]:
        """Return the secrets that the phone may show, by name, each with the packages that got it.

        Raises StoreError.
        """
        if self._typed is None:
            self._typed = await asyncio.to_thread(self._read)
        return self._typed

    async def problems(self) -> dict[str, str]:
        """Return for each declared secret why it has no usable value here; an empty text if it has one."""
        return await asyncio.to_thread(find_problems, self._declared)

    async def prepare(self, action: Type, apps: AppCatalogue, has_keyboard: bool) -> SecretCommands:
        """Return how to type a text with secrets into the focused field, and record that the phone may show them.

        Raises ActionRefused if a secret may not be typed there, PhoneLost.
        """
        names = sorted(secret_names(action.text))
        try:
            values = await self._values(names)
            views = await self._views()
        except SecretUnavailable as error:
            raise ActionRefused(f"{error}; nothing was typed") from None
        except StateUnavailable as error:
            raise ActionRefused(f"no secret is typed, as the phone does not tell into which field: {error}") from None
        fields = [view for view in views if view.focused and (view.password or is_field(view))]
        if len(fields) != 1:
            raise ActionRefused(f"no secret is typed: {len(fields)} fields have the focus; tap the password's field")
        for name in names:
            self._check(name, fields[0], apps)
        text = PLACEHOLDER.sub(lambda match: values[match[1]], action.text)
        by_broadcast = not text.isascii()
        if by_broadcast and not all(self._declared[name].allow_broadcast for name in names):
            raise ActionRefused(
                f"secret {', '.join(names)}: key events carry only ASCII, and ADBKeyboard gets a text by a broadcast, "
                "which the phone's reports keep; its owner may accept that by allow_broadcast"
            )
        if by_broadcast and not has_keyboard:
            raise ActionRefused(f"secret {', '.join(names)}: key events carry only ASCII, and there is no ADBKeyboard")
        package = fields[0].package
        await self._record(names, package)
        focus = re.escape(package)
        guard = f"dumpsys window | grep -q 'mCurrentFocus=.* {focus}/' || (echo {OTHER_APP}; false)"
        commands = typing_commands(text, action.clear, by_broadcast)
        return SecretCommands(commands, guard, lambda answer: str(_masked(answer, values)))

    def _check(self, name: str, target: View, apps: AppCatalogue) -> None:
        """Raise ActionRefused unless a secret may be typed into a target."""
        secret = self._declared[name]
        allowed: set[str] = set()
        for app in secret.apps:
            packages = {app} & apps.packages() if "." in app else apps.packages_called(app)
            if len(packages) > 1:
                raise ActionRefused(f"secret {name}: {len(packages)} apps are called {app!r}; declare the package")
            allowed |= packages
        field_id = target.id.rpartition("/")[2]
        if target.package not in allowed:
            named = ", ".join(secret.apps)
            raise ActionRefused(f"secret {name} is for {named} alone, and the field is of {target.package or 'no app'}")
        if not target.password and (not field_id or field_id not in secret.allow_fields):
            raise ActionRefused(
                f"secret {name}: the field with the focus ({field_id or 'without an id'}) takes no password; tap the "
                "password's field; the secret's owner may add others to allow_fields"
            )

    async def forget(self) -> None:
        """Record that the phone shows no secret any more. Raises StoreError."""
        self._typed = {}
        await asyncio.to_thread(self._write)

    # ------------------------------------------------------------------ masking
    async def cover(
        self, source: AdbFrameSource, take: Callable[[], Awaitable[T]], app_of: Callable[[T], str | None]
    ) -> T:
        """Return a picture in which typed secrets are painted over. ``app_of``: the app in it; None if unknown.

        The views are read after the picture: if a field has moved meanwhile, another one is taken. Raises CaptureFailed
        if the phone does not tell where an app that got a secret may show it, StoreError, and what ``take`` raises.
        """
        typed = await self.typed()
        if not typed:
            source.painted = None
            return await take()
        packages = {package for one in typed.values() for package in one}
        async with self._painting:
            for _ in range(MOST_TRIES):
                try:
                    before = source.painted = await self.find()
                    picture = await take()
                    after = await self.find()
                except StateUnavailable as error:
                    source.painted, picture = None, await take()
                    if app_of(picture) in {None, *packages}:
                        raise CaptureFailed(f"phone {self._serial} may show a typed secret: {error}") from error
                    return picture
                if set(after) <= set(before):
                    return picture
        raise CaptureFailed(f"phone {self._serial}: fields of a typed secret move, and cannot be painted over")

    async def find(self) -> tuple[Box, ...]:
        """Return where the screen may show a typed secret now: passwords' fields, and views whose text holds it.

        Raises StateUnavailable, PhoneLost, StoreError.
        """
        typed = await self.typed()
        values = (await self._typed_values()).values()
        allowed = {one for name in typed if name in self._declared for one in self._declared[name].allow_fields}
        packages = {package for one in typed.values() for package in one}

        def may_show(view: View) -> bool:
            is_own = view.package in packages and view.id.rpartition("/")[2] in allowed
            return view.password or is_own or any(_holds(one, values) for one in (view.text, view.description))

        shown = [view.bounds for view in await self._views() if may_show(view)]
        return tuple(
            Box(x1=max(left, 0), y1=max(top, 0), x2=right, y2=bottom)
            for left, top, right, bottom in shown
            if max(left, 0) < right and max(top, 0) < bottom
        )

    async def mask(self, data: Any) -> Any:
        """Return texts, or JSON with texts, with the name in the place of each secret that was typed on this phone.

        Raises StoreError, StateUnavailable.
        """
        return _masked(data, await self._typed_values()) if await self.typed() else data

    async def _typed_values(self) -> Mapping[str, str]:
        """Return the values to mask. Raises StateUnavailable: what cannot be masked is not told.

        Those of a secret that nobody declares any more are not known: its fields are painted over all the same.
        """
        try:
            return await self._values([name for name in await self.typed() if name in self._declared])
        except SecretUnavailable as error:
            raise StateUnavailable(f"phone {self._serial} may show a secret that cannot be masked: {error}") from None

    async def _values(self, names: Iterable[str]) -> Mapping[str, str]:
        """Return values by name. Raises SecretUnavailable."""
        return await asyncio.to_thread(lambda: {name: read_secret(name, self._declared) for name in names})

    async def _views(self) -> Sequence[View]:
        """Return the views that a user may see. Raises StateUnavailable, PhoneLost."""
        return tuple(_visible(parse_views((await self._ask(VIEWS_LINE)).stdout)))

    # ------------------------------------------------------------------ the record
    async def _record(self, names: Iterable[str], package: str) -> None:
        """Record that an app gets secrets. Raises ActionRefused if that is not possible."""
        try:
            typed = await self.typed()
            self._typed = {**typed, **{name: sorted({*typed.get(name, ()), package}) for name in names}}
            await asyncio.to_thread(self._write)
        except StoreError as error:
            raise ActionRefused(f"no secret is typed, as nobody could mask it later: {error}") from None

    def _read(self) -> dict[str, list[str]]:
        try:
            typed: dict[str, list[str]] = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise StoreError(f"{self._path} cannot be read: {error}; delete it once no app shows a secret") from error
        return typed

    def _write(self) -> None:
        try:
            if self._typed:
                secure_files.make_folder(self._path.parent)
                secure_files.replace_text(self._path, json.dumps(self._typed))
            else:
                self._path.unlink(missing_ok=True)
        except OSError as error:
            raise store_error(error, f"{self._path} cannot be written") from error


def _visible(views: Iterable[View]) -> Iterator[View]:
    for view in (one for one in views if one.is_visible):
        yield view
        yield from _visible(view.views)


def _masked(data: Any, values: Mapping[str, str]) -> Any:
    match data:
        case str():
            for name, value in values.items():
                data = data.replace(value, placeholder(name))
                data = placeholder(name) if _holds(data, (value,)) else data
        case Mapping():
            return {_masked(key, values): _masked(one, values) for key, one in data.items()}
        case list() | tuple():
            return [_masked(one, values) for one in data]
        case int() | float() if not isinstance(data, bool):
            return _masked(str(data), values) if str(data) in values.values() else data
    return data


def _holds(text: str, values: Iterable[str]) -> bool:
    """Return whether a text has one of the values, also as an app may format it: in capitals, or in groups."""
    own = letters_of(text)
    return any(value in text or (len(plain := letters_of(value)) >= SHORTEST and plain in own) for value in values)
