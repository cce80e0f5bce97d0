"""Keep the list of a phone's apps and their labels. It is read once for the versions and the language of a phone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from manyhands.actors.phones.adb import dumps
from manyhands.actors.phones.adb.apps import AppCatalogue
from manyhands.actors.phones.adb.connection.shell import ShellResult, command_line

_LAUNCHER_ACTIVITIES = (
    "cmd package query-activities --brief --components "
    "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
)
_STAMP_LINE = f"settings get system system_locales; {dumps.VERSIONS_LINE}"
"""Prints what the labels depend on: the phone's languages, and which apps are installed in which version."""


class InstalledApps:
    """Read the apps of one phone, and read them again only when another app, version or language is there."""

    def __init__(self, ask: Callable[[str], Awaitable[ShellResult]], label_providers: Sequence[str]) -> None:
        self._ask = ask
        self._label_providers = label_providers
        self._kept: AppCatalogue | None = None
        self._stamp = ""
        self._checked = False

    @property
    def known(self) -> AppCatalogue | None:
        """Return the list; None if it was not read yet, or if something may have changed since."""
        return self._kept if self._checked else None

    async def label(self, package: str) -> str:
        """Return the name of an app, by the list that was read last; empty if it has none. Raises PhoneLost.

        A change since then does not matter here. Without a list, as after a restart, it is read.
        """
        return (self._kept or await self.catalogue()).label(package)

    def doubt(self) -> None:
        """Compare the phone with the list before the list is used again."""
        self._checked = False

    def forget(self) -> None:
        """Read the list anew when it is needed."""
        self._kept = None
        self._checked = False

    async def catalogue(self) -> AppCatalogue:
        """Return the phone's apps. Labels come from the providers that answer. Raises PhoneLost."""
        if self.known is None:
            printed = (await self._ask(_STAMP_LINE)).text
            stamp = "\n".join(sorted(printed.splitlines())) if dumps.app_versions(printed) else ""
            if self._kept is None or not stamp or stamp != self._stamp:
                self._kept, self._stamp = await self._read(), stamp
            self._checked = True
        assert self._kept is not None
        return self._kept

    async def _read(self) -> AppCatalogue:
        activities = dumps.components((await self._ask(_LAUNCHER_ACTIVITIES)).text)
        if not activities:
            activities = {package: [] for package in dumps.packages((await self._ask(dumps.PACKAGES_LINE)).text)}
        rows: list[tuple[str, str, str]] = []
        for provider in self._label_providers:
            answer = await self._ask(command_line([["content", "query", "--uri", provider]]))
            rows += dumps.label_rows(answer.text)
        return AppCatalogue(activities, rows)
