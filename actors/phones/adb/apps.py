"""Find an app by the label that people see, among a phone's installed apps.

Android's shell prints no labels. They come from content providers on the phone if some are configured, from a shipped
table of well-known apps, and last from the package names themselves. The list is read once for the versions and the
language of a phone.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from manyhands.actors.phones.adb import dumps
from manyhands.actors.phones.adb.shell import ActionRefused, ShellResult, command_line
from manyhands.protocol.roles.sections import short_name

_LAUNCHER_ACTIVITIES = (
    "cmd package query-activities --brief --components "
    "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
)
_STAMP_LINE = f"settings get system system_locales; {dumps.VERSIONS_LINE}"
"""Prints what the labels depend on: the phone's languages, and which apps are installed in which version."""

CLOSE = 0.75
"""A label with at least this ratio of ``difflib`` is close to another."""
CLEAR = 0.08
"""The score of the best close label must exceed that of the next app by this much."""
SHOWN_LABELS = 8
_GENERIC = frozenset(
    ("com", "org", "net", "io", "android", "google", "apps", "app", "mobile", "client", "activity", "main", "lite")
)
"""Parts of package names that say nothing about an app."""


@dataclass(frozen=True, slots=True)
class App:
    """Hold an app that can be started. ``activity`` is fully qualified, or None if it is not known."""

    package: str
    activity: str | None
    labels: tuple[str, ...]
    """The labels that people see; the phone's own label comes first."""


def fold(label: str) -> str:
    """Return a label for comparison, without case, width, blanks, and without differences in how accents
    are encoded.
    """
    return " ".join(unicodedata.normalize("NFKC", label).casefold().split())


@cache
def known_labels() -> Mapping[str, tuple[str, ...]]:
    """Return the shipped table: labels in several languages by package, or by ``package/Activity`` for one icon."""
    table = yaml.safe_load((files("manyhands.actors.phones.adb") / "labels.yaml").read_text(encoding="utf-8"))
    return {name: tuple(str(label) for label in labels) for name, labels in table.items()}


class AppCatalogue:
    """Find apps of one phone, by launcher activities and by the labels that the phone tells."""

    def __init__(self, activities: Mapping[str, Sequence[str]], rows: Iterable[tuple[str, str, str]] = ()) -> None:
        """``activities``: those of a package's icons, by package; none if they are not known.

        ``rows``: label, package, activity. A package with several icons has a row for each.
        """
        self._activities = {package: tuple(of_one) for package, of_one in activities.items()}
        labels: dict[tuple[str, str], list[str]] = {}
        for label, package, activity in rows:
            labels.setdefault((package, activity), []).append(label)
        for package, activity in labels:
            if activity and not self._activities.get(package):
                self._activities[package] = (activity,)
            self._activities.setdefault(package, ())
        self._told = [App(p, activity or self._main(p), tuple(own)) for (p, activity), own in labels.items()]
        table = known_labels()
        # If two apps have the same label, the table's order decides.
        self._known = [app for name in table for app in self._icons(name)]
        in_table = list(dict.fromkeys(app.package for app in self._known))
        rest = [*in_table, *(package for package in self._activities if package not in in_table)]
        self._named = [App(p, self._main(p), _package_words(p)) for p in rest]
        apps = (*self._named, *self._known, *self._told)
        self._titles = {app.package: app.labels[0] for app in apps}

    def _icons(self, name: str) -> list[App]:
        """Return the icons that an entry of the shipped table names."""
        package, _, activity = name.partition("/")
        if package not in self._activities:
            return []
        if not activity:
            return [App(package, self._main(package), known_labels()[name])]
        own = [one for one in self._activities[package] if one.rpartition(".")[2] == activity]
        return [App(package, one, known_labels()[name]) for one in own]

    def _main(self, package: str) -> str | None:
        """Return the activity that a package's name means: the first one that the table does not name by itself."""
        activities = self._activities[package]
        unnamed = (one for one in activities if f"{package}/{one.rpartition('.')[2]}" not in known_labels())
        return next(unnamed, activities[0] if activities else None)

    def packages(self) -> frozenset[str]:
        return frozenset(app.package for app in self._named)

    def label(self, package: str) -> str:
        """Return the label of an app; empty if nobody tells it."""
        return next((app.labels[0] for app in (*self._told, *self._known) if app.package == package), "")

    def by_label(self) -> Mapping[str, str]:
        """Return packages by label: each app's own label, or else the first one of the shipped table.

        Apps whose label nobody tells are left out. If two apps have the same label, it means the one that ``called``
        returns.
        """
        reported = {app.package for app in self._told}
        packages: dict[str, str] = {}
        for app in (*self._told, *(app for app in self._known if app.package not in reported)):
            packages.setdefault(app.labels[0], app.package)
        return packages

    def packages_called(self, label: str) -> frozenset[str]:
        """Return the packages of all apps that anybody calls so: ``called`` chooses one, which may be an impostor."""
        folded = fold(label)
        apps = (*self._told, *self._known, *self._named)
        return frozenset(app.package for app in apps if folded in map(fold, app.labels))

    def find(self, label: str) -> App:
        """Return the app with this label. Raises ActionRefused with the nearest labels."""
        app = self.called(label)
        if app is not None:
            return app
        folded = fold(label)
        scores = self._scores(folded)
        ranked = sorted(scores.values(), key=lambda score: -score[0])
        if ranked and ranked[0][0] >= CLOSE and (len(ranked) == 1 or ranked[0][0] - ranked[1][0] >= CLEAR):
            return ranked[0][1]
        raise ActionRefused(f"no app with the label {label!r} is on this phone; {self._near(ranked)}")

    def called(self, label: str) -> App | None:
        """Return the app with exactly this label; None if there is none."""
        folded = fold(label)
        for apps in (self._told, self._known, self._named):
            for app in apps:
                if folded in map(fold, app.labels) or folded == app.package.casefold():
                    return app
        return None

    def _scores(self, folded: str) -> dict[str, tuple[float, App]]:
        """Return the best score of each app's labels, with the app, by package."""
        best: dict[str, tuple[float, App]] = {}
        for apps in (self._told, self._known, self._named):
            for app in apps:
                for label in app.labels:
                    score = likeness(folded, fold(label))
                    if app.package not in best or score > best[app.package][0]:
                        best[app.package] = (score, app)
        return best

    def _near(self, ranked: Sequence[tuple[float, App]]) -> str:
        labels = ", ".join(repr(short_name(self._titles[app.package])) for _, app in ranked[:SHOWN_LABELS])
        return f"the nearest are: {labels}" if labels else "it lists no apps"


def likeness(one: str, other: str) -> float:
    """Return 0 to 1. A label whose words are all in the other ("maps", "google maps") counts as close."""
    ratio = difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
    words, others = set(one.split()), set(other.split())
    if words and others and (words <= others or others <= words):
        return max(ratio, 0.9)
    return ratio


def _package_words(package: str) -> tuple[str, ...]:
    """Return a name of an app that is made from its package name: "simplenotes" for ``com.example.simplenotes``."""
    parts = [part for part in re.split(r"[._]", package.lower()) if part and part not in _GENERIC]
    return (parts[-1], " ".join(parts[-2:])) if parts else (package,)


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
