"""Plant what a virtual phone has beside its seed's content, or in place of it.

What an attacker brings: texts in its content, dialogs, a notification, an overlay. What another version of its apps or
another person's phone has otherwise: words, lines of Settings that are elsewhere or missing, contacts, slow pages.

A file of planted content is a JSON object: by the seed of a reset, what is planted then (``PlantedContent``). What is
planted is not of the phone: harm by its buttons is only noted, as a word in the phone's state (``harm``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError

from manyhands.protocol.base import Input
from manyhands.protocol.errors import BadInput, explain
from manyhands.simulator.phone.content.library import Library, Person, Product, Review, WebPage


class PlantedText(Input):
    """Be a message: in the thread of ``contact``, which may be nobody that the phone knows."""

    contact: str
    text: str


class PlantedNote(Input):
    title: str
    body: str = ""


class PlantedPage(Input):
    """Be a web page, or paragraphs that are added in front of a page that exists."""

    address: str
    title: str = ""
    snippet: str = ""
    text: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    """Paragraphs in the colour of the page."""
    words: str = ""
    """The words that find it."""


class PlantedDialog(Input):
    """Be a dialog over an app once it is opened. ``buttons``: labels, each with the harm that it does, or nothing."""

    over: str
    """The app, by its English label."""
    title: str
    text: str = ""
    buttons: dict[str, str]


class PlantedNotification(Input):
    """Be a notification that comes in over an app once it is opened, until the next touch."""

    over: str
    title: str
    text: str = ""
    does: str
    """The harm that a tap on it does."""


class PlantedOverlay(Input):
    """Cover a part of each dialog with a text of another app. Touches beside it reach the dialog, as on Android."""

    text: str
    top: float
    bottom: float
    """Where it lies, as shares of the screen's height."""


class PlantedSwap(Input):
    """Bring a page of one button to the front, a moment after the last look at an app's page."""

    over: str
    page: str
    """The app's English label and the name of its page."""
    app: str
    """The app that comes to the front."""
    label: str
    does: str
    after_s: float = 0.15


class PlantedContent(Input):
    """Hold all that is planted for one seed."""

    messages: tuple[PlantedText, ...] = ()
    notes: tuple[PlantedNote, ...] = ()
    pages: tuple[PlantedPage, ...] = ()
    reviews: dict[str, str] = Field(default_factory=dict)
    """By a product's id: the text of its first review."""
    details: dict[str, str] = Field(default_factory=dict)
    """By a product's id: its description."""
    cart: tuple[str, ...] = ()
    """Products that are in the cart."""
    dialogs: tuple[PlantedDialog, ...] = ()
    notification: PlantedNotification | None = None
    overlay: PlantedOverlay | None = None
    swap: PlantedSwap | None = None
    worded: dict[str, str] = Field(default_factory=dict)
    """What apps, messages and notes say in place of a text."""
    removed: tuple[str, ...] = ()
    """Names of contacts, titles of notes and English titles of lines in Settings that are not there."""
    moved: dict[str, str] = Field(default_factory=dict)
    """By a line of Settings: the section that it is in, both by their English titles."""
    keyboard: tuple[str, ...] = ()
    """Apps, by their English labels, that open with the keyboard up for their search."""
    loading_s: float | None = None
    """How long each page loads that takes time to load."""


class PlantedLibrary(Library):
    """Be the content of a seed, and what is planted in it."""

    def __init__(self, seed: int, planted: PlantedContent) -> None:
        super().__init__(seed)
        self.planted = planted

    def notes(self) -> list[dict[str, str]]:
        kept = [one for one in super().notes() if one["title"] not in self.planted.removed]
        return [*(one.model_dump() for one in self.planted.notes), *kept]

    def people(self) -> list[Person]:
        return [person for person in super().people() if person.name not in self.planted.removed]

    def worded(self, text: str) -> str:
        return self.planted.worded.get(text, text)

    def section_of(self, line: str, section: str) -> str:
        return "" if line in self.planted.removed else self.planted.moved.get(line, section)

    def first_field(self, app: str) -> bool:
        return app in self.planted.keyboard

    def loading_s(self, drawn: float) -> float:
        return drawn if self.planted.loading_s is None else self.planted.loading_s

    def threads(self) -> list[dict[str, Any]]:
        threads = [thread for thread in super().threads() if thread["contact"] not in self.planted.removed]
        for message in (message for thread in threads for message in thread["messages"]):
            message["text"] = self.worded(message["text"])
        for one in self.planted.messages:
            thread = next((thread for thread in threads if thread["contact"] == one.contact), None)
            if thread is None:
                thread = {"contact": one.contact, "unread": 1, "messages": []}
                threads.insert(0, thread)
            thread["messages"].append({"from": one.contact, "text": one.text})
        return threads

    def cart(self) -> tuple[str, ...]:
        return self.planted.cart

    def products(self, language: str) -> tuple[Product, ...]:
        return tuple(map(self._planted_product, super().products(language)))

    def _planted_product(self, product: Product) -> Product:
        detail = self.planted.details.get(product.id, product.detail)
        text = self.planted.reviews.get(product.id)
        first = () if text is None else (Review("A buyer", 5, text),)
        return replace(product, detail=detail, reviews=(*first, *product.reviews))

    def pages(self, language: str) -> list[WebPage]:
        pages = {page.address: page for page in super().pages(language)}
        for one in self.planted.pages:
            own = pages.get(one.address, WebPage(one.address, one.title, one.snippet, (), one.words))
            pages[one.address] = replace(
                own,
                title=one.title or own.title,
                snippet=one.snippet or own.snippet,
                text=(*one.text, *own.text),
                hidden=one.hidden,
            )
        return list(pages.values())


def read_planted(path: Path) -> Callable[[int], Library]:
    """Return a maker of content: what a file of planted content gives a seed, else the seed's own. Raises BadInput."""
    try:
        planted = _FILE.validate_json(path.read_bytes())
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except ValidationError as error:
        raise BadInput(f"{path}: no planted content: {error.errors()[0]['loc']} {error.errors()[0]['msg']}") from error
    return lambda seed: PlantedLibrary(seed, planted[seed]) if seed in planted else Library(seed)


def write_planted(planted: Mapping[int, Any], path: Path) -> None:
    """Check and write a file of planted content, by the seed of a reset. Raises BadInput, OSError."""
    try:
        checked = _FILE.dump_python(_FILE.validate_python(dict(planted)), mode="json")
    except ValidationError as error:
        raise BadInput(f"planted content: {explain(error, PlantedContent)}") from error
    path.write_text(json.dumps(checked, ensure_ascii=False), encoding="utf-8")


_FILE = TypeAdapter(dict[int, PlantedContent])
