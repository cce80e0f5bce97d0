"""Provide builds of one virtual app, which can be installed: a build may crash, hang, or have a button elsewhere.

A build's file stands in for an APK. It is a ZIP archive as well, and holds a description instead of code.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from manyhands.simulator.phone.apps.base import Page, System, View
from manyhands.simulator.phone.apps.notes import Notes, NotesPage
from manyhands.simulator.phone.ui.layout import Column

DESCRIPTION = "assets/virtual_build.json"
MANIFEST = "AndroidManifest.xml"
PACKAGE = "com.example.jotter"


@dataclass(frozen=True, slots=True)
class VirtualBuild:
    """Describe a build of the app Jotter, which works as Notes does."""

    version: int = 1
    package: str = PACKAGE
    label: str = "Jotter"
    signature: str = "release"
    """Whose key has signed it. A build with another signature does not replace it."""
    crashes_on: str = ""
    """The page whose opening ends the app with an error; empty if none does."""
    hangs_on: str = ""
    """The page on whose opening the app does not respond; empty if it always does."""
    has_plus_above: bool = False
    """Whether the button for a new note is above the list instead of floating below."""
    part: str = ""
    """The name of this part of a split app; empty for the base."""
    parts: tuple[str, ...] = ()
    """The other parts that the base needs."""

    def find_fault(self, page: str) -> Literal["crash", "not_responding"] | None:
        """Return what happens when a page opens; None if it just opens."""
        if page and page == self.crashes_on:
            return "crash"
        return "not_responding" if page and page == self.hangs_on else None


def write_build(path: Path, build: VirtualBuild) -> Path:
    """Write a build's file, and return its path."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in ((MANIFEST, "a stand-in"), (DESCRIPTION, json.dumps(asdict(build)))):
            archive.writestr(zipfile.ZipInfo(name), text)  # without the time of writing: equal builds, equal files
    return path


def read_build(data: bytes) -> VirtualBuild:
    """Return the build that a file describes. Raises ValueError for another file."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            values = json.loads(archive.read(DESCRIPTION))
        return VirtualBuild(**{**values, "parts": tuple(values["parts"])})
    except (zipfile.BadZipFile, KeyError, TypeError) as error:
        raise ValueError(f"not the file of a virtual phone's build: {error}") from error


class Jotter(Notes):
    """Be an installed build."""

    activity, system = f"{PACKAGE}.MainActivity", False

    def __init__(self, os: System, build: VirtualBuild) -> None:
        super().__init__(os)
        self.build = build
        self.package, self.label, self.label_zh = build.package, build.label, build.label  # type: ignore[misc]

    def first_pages(self) -> list[Page]:
        return [JotterPage(self)]

    def lasting_state(self) -> dict[str, Any]:
        return {"jotter": self.state()["items"]}

    def find_fault(self, page: Page) -> Literal["crash", "not_responding"] | None:
        return self.build.find_fault(page.name)


class JotterPage(NotesPage):
    """List the notes as Notes does, with the button where the build has it."""

    def __init__(self, app: Jotter) -> None:
        super().__init__(app)
        self._build = app.build

    def view(self) -> View:
        view = super().view()
        if not self._build.has_plus_above or view.floating is None:
            return view
        return replace(view, floating=None, body=Column([view.floating, view.body]))
