"""Define what an app is: data, pages, and what it may ask of the phone.

To add an app, subclass :class:`App`, give it pages, and list it in ``simulator.phone.apps.catalogue``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from manyhands.simulator.phone.apps.preferences import Preferences
from manyhands.simulator.phone.content.library import Library
from manyhands.simulator.phone.device import Link
from manyhands.simulator.phone.ui.field import Field
from manyhands.simulator.phone.ui.layout import Node, Tone
from manyhands.simulator.phone.ui.scene import Action, Scroller
from manyhands.simulator.phone.ui.theme import Colour
from manyhands.simulator.phone.ui.widgets import Input, skeleton

RECORDED = 200


class System(Protocol):
    """Define what apps may ask of the phone, because only the phone can do it."""

    settings: Preferences
    library: Library

    @property
    def now(self) -> float:
        """Return seconds on the phone's monotonic clock."""
        ...

    def say(self, en: str, zh: str) -> str:
        """Return the text in the phone's language."""
        ...

    def push(self, page: Page) -> None: ...

    def pop(self) -> None:
        """Leave the page in front. An app's first page leads to the home screen."""
        ...

    def open(self, package: str) -> None: ...

    def toast(self, text: str) -> None: ...

    def focus(self, field: Field | None) -> None: ...

    def focused(self, field: Field) -> bool: ...

    def delay(self) -> float:
        """Return how long the next page takes to load, in seconds."""
        ...


def note_once(record: list[str], entry: str) -> None:
    """Append an entry to a record, unless it is there already or the record is full."""
    if entry not in record and len(record) < RECORDED:
        record.append(entry)


@dataclass(slots=True)
class View:
    """Hold a page's parts: a fixed bar above, what scrolls, a fixed bar below, a floating button."""

    body: Node
    top: Node | None = None
    bottom: Node | None = None
    floating: Node | None = None
    ground: Tone = "page"


class Page(ABC):
    """Be one screen of an app. The phone's state calls it ``name``.

    ``overlay``: the page is a dialog over the page below. ``cancelable``: a tap beside the dialog closes the dialog.
    ``secure``: the page forbids screenshots like Android's FLAG_SECURE, but otherwise works like any page.
    """

    name: ClassVar[str] = "main"
    overlay: ClassVar[bool] = False
    cancelable: ClassVar[bool] = False
    secure: ClassVar[bool] = False

    def __init__(self, os: System) -> None:
        self.os = os
        self.scroller = Scroller()
        self.ready_at = os.now

    @abstractmethod
    def view(self) -> View:
        """Return what the page shows now. Called for every layout of the screen; must not change the app's data."""

    def back(self) -> bool:
        """Handle Back and return True, or return False to let the phone handle it."""
        return False

    def load(self) -> None:
        """Begin to load the page. It shows that it is loading for as long as the phone decides."""
        self.ready_at = self.os.now + self.os.delay()
        self.scroller.offset = 0

    @property
    def loading(self) -> bool:
        return self.os.now < self.ready_at

    @property
    def about(self) -> str:
        """Return what the page is about for the phone's state: an address, a product; empty for most pages."""
        return ""

    def loading_view(self, top: Node | None = None) -> View:
        return View(skeleton(), top=top)

    def say(self, en: str, zh: str) -> str:
        return self.os.say(en, zh)

    def input(
        self,
        field: Field,
        hint: str,
        icon: str | None = None,
        plain: bool = False,
        size: float = 16,
        bold: bool = False,
    ) -> Input:
        """Return a text field that takes the focus when tapped."""
        focused = self.os.focused(field)
        return Input(field, hint, focused, lambda: self.os.focus(field), icon=icon, plain=plain, size=size, bold=bold)


class SearchPage(Page):
    """Show a list that a search field filters. Back empties the field first. ``searches`` gets the words."""

    def __init__(self, os: System, searches: list[str]) -> None:
        super().__init__(os)
        self._searches = searches
        self.search = Field(purpose="search", submit=self._searched)

    @property
    def asked(self) -> str:
        """Return the search words in lower case."""
        return self.search.text.strip().lower()

    def back(self) -> bool:
        if not self.search.text:
            return False
        self.search.set("")
        return True

    def _searched(self, text: str) -> None:
        if text.strip():
            note_once(self._searches, text.strip())
        self.os.focus(None)


class App(ABC):
    """Be an installed app. Attributes hold the app's data. Its pages are made for one task, and end with the task."""

    package: ClassVar[str]
    activity: ClassVar[str]
    label: ClassVar[str]
    label_zh: ClassVar[str]
    icon: ClassVar[str]
    colour: ClassVar[Colour]
    system: ClassVar[bool] = True

    def __init__(self, os: System) -> None:
        self.os = os

    @property
    def title(self) -> str:
        return self.say(self.label, self.label_zh)

    def say(self, en: str, zh: str) -> str:
        return self.os.say(en, zh)

    @property
    def key(self) -> str:
        """Return the app's name in the phone's state."""
        return self.label.lower()

    @property
    def component(self) -> str:
        return f"{self.package}/{self.activity}"

    @abstractmethod
    def first_pages(self) -> list[Page]:
        """Return the pages of a new task: the first page, and any dialogs over it."""

    def find_fault(self, page: Page) -> Literal["crash", "not_responding"] | None:
        """Return what goes wrong when a page of the app opens; None if nothing does."""
        return None

    def opener(self, link: Link) -> Action | None:
        """Return the function that shows a link once the app is in front; None if the app does not open the link."""
        return None

    def state(self) -> dict[str, Any]:
        """Return the app's data as JSON values. Checks read it."""
        return {}

    def lasting_state(self) -> dict[str, Any]:
        """Return what the app adds to the phone's lasting state: contents, not pages that were visited, nor searches.

        Lists of several apps under one name are joined: ``granted`` has what the user has allowed to each.
        """
        return {}
