"""Keep typed secrets from all that one phone tells: its pictures, the texts of its views and states (docs/secrets.md).

A value is read when a picture or a text is masked; between, nobody holds it. Which secrets the phone may show is on
disk before one is sent, so a gateway that was killed masks them, too. ``forget`` ends that once the apps are closed
that got them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from manyhands.actors.phones.adb.frame_source import AdbFrameSource
from manyhands.actors.phones.adb.keyboard import letters_of
from manyhands.actors.phones.adb.shell import ActionRefused, Ask
from manyhands.actors.phones.adb.view_tree import View, visible_views
from manyhands.actors.phones.secret_values import SHORTEST, SecretUnavailable, read_secrets
from manyhands.protocol.errors import CaptureFailed, StateUnavailable, StoreError, store_error
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.secrets import Secret, placeholder
from manyhands.protocol.utilities import secure_files

T = TypeVar("T")
MOST_TRIES = 3
"""How many pictures are taken while fields move."""


class SecretMask:
    """Know which secrets one phone may show, and mask them."""

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

    async def forget(self) -> None:
        """Record that the phone shows no secret any more. Raises StoreError."""
        self._typed = {}
        await asyncio.to_thread(self._write)

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

        shown = [view.bounds for view in await visible_views(self._ask) if may_show(view)]
        return tuple(
            Box(x1=max(left, 0), y1=max(top, 0), x2=right, y2=bottom)
            for left, top, right, bottom in shown
            if max(left, 0) < right and max(top, 0) < bottom
        )

    async def mask(self, data: Any) -> Any:
        """Return texts, or JSON with texts, with the name in the place of each secret that was typed on this phone.

        Raises StoreError, StateUnavailable.
        """
        return mask_texts(data, await self._typed_values()) if await self.typed() else data

    async def _typed_values(self) -> Mapping[str, str]:
        """Return the values to mask. Raises StateUnavailable: what cannot be masked is not told.

        Those of a secret that nobody declares any more are not known: its fields are painted over all the same.
        """
        try:
            names = [name for name in await self.typed() if name in self._declared]
            return await asyncio.to_thread(read_secrets, names, self._declared)
        except SecretUnavailable as error:
            raise StateUnavailable(f"phone {self._serial} may show a secret that cannot be masked: {error}") from None

    # ------------------------------------------------------------------ the record
    async def record(self, names: Iterable[str], package: str) -> None:
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


def mask_texts(data: Any, values: Mapping[str, str]) -> Any:
    """Return texts, or JSON with texts, with the name in the place of each value."""
    match data:
        case str():
            for name, value in values.items():
                data = data.replace(value, placeholder(name))
                data = placeholder(name) if _holds(data, (value,)) else data
        case Mapping():
            return {mask_texts(key, values): mask_texts(one, values) for key, one in data.items()}
        case list() | tuple():
            return [mask_texts(one, values) for one in data]
        case int() | float() if not isinstance(data, bool):
            return mask_texts(str(data), values) if str(data) in values.values() else data
    return data


def _holds(text: str, values: Iterable[str]) -> bool:
    """Return whether a text has one of the values, also as an app may format it: in capitals, or in groups."""
    own = letters_of(text)
    return any(value in text or (len(plain := letters_of(value)) >= SHORTEST and plain in own) for value in values)
