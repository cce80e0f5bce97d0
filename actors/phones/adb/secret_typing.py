"""Decide where a secret is typed on one phone, and how (docs/secrets.md).

A value is read when it is typed, and nobody holds it afterwards.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from manyhands.actors.phones.adb.apps import AppCatalogue
from manyhands.actors.phones.adb.commands import Commands, typing_commands
from manyhands.actors.phones.adb.keyboard import is_field
from manyhands.actors.phones.adb.secret_mask import SecretMask, mask_texts
from manyhands.actors.phones.adb.shell import ActionRefused, Ask
from manyhands.actors.phones.adb.view_tree import View, visible_views
from manyhands.actors.phones.secret_values import SecretUnavailable, find_problems, read_secrets
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.screens.actions import Type
from manyhands.protocol.secrets import PLACEHOLDER, Secret, secret_names

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
    """Type secrets on one phone."""

    def __init__(self, ask: Ask, declared: Mapping[str, Secret], mask: SecretMask) -> None:
        """``mask``: is told of each secret before it is typed."""
        self._ask = ask
        self._declared = declared
        self._mask = mask

    async def problems(self) -> dict[str, str]:
        """Return for each declared secret why it has no usable value here; an empty text if it has one."""
        return await asyncio.to_thread(find_problems, self._declared)

    async def prepare(self, action: Type, apps: AppCatalogue, has_keyboard: bool) -> SecretCommands:
        """Return how to type a text with secrets into the focused field, and record that the phone may show them.

        Raises ActionRefused if a secret may not be typed there, PhoneLost.
        """
        names = sorted(secret_names(action.text))
        try:
            values = await asyncio.to_thread(read_secrets, names, self._declared)
            views = await visible_views(self._ask)
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
        await self._mask.record(names, package)
        focus = re.escape(package)
        guard = f"dumpsys window | grep -q 'mCurrentFocus=.* {focus}/' || (echo {OTHER_APP}; false)"
        commands = typing_commands(text, action.clear, by_broadcast)
        return SecretCommands(commands, guard, lambda answer: str(mask_texts(answer, values)))

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
