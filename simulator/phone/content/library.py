"""Make a phone's content from a seed.

Seeds from :data:`CHINESE_FROM` (1000) up give a phone in Chinese; smaller ones, also negative ones, a phone in English.
All that varies is drawn from the seed modulo 1000, so seed 1007 is seed 7 in Chinese. Seeds 0 and 1000 give the files'
content unchanged. Others change prices, figures and which messages are unread, within bounds that keep comparisons
meaningful.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import yaml

from manyhands.simulator.phone.ui.theme import Colour, rgb

Item = TypeVar("Item")

CHINESE_FROM = 1000
YUAN = 7


@cache
def _file(name: str) -> Any:
    return yaml.safe_load((Path(__file__).parent / f"{name}.yaml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Person:
    """Be a contact."""

    name: str
    number: str
    colour: Colour


@dataclass(frozen=True, slots=True)
class Review:
    """Be a buyer's review, with 1 to 5 ``stars``."""

    author: str
    stars: int
    text: str


@dataclass(frozen=True, slots=True)
class Product:
    """Be a product in one language. Prices are in the language's currency; ``was`` is the price before a sale."""

    id: str
    name: str
    detail: str
    words: str
    glyph: str
    colour: Colour
    price: float
    was: float | None
    rating: float
    sold: int
    reviews: tuple[Review, ...]


@dataclass(frozen=True, slots=True)
class WebPage:
    """Be a web page in one language."""

    address: str
    title: str
    snippet: str
    text: tuple[str, ...]
    words: str
    hidden: tuple[str, ...] = ()
    """Paragraphs in the colour of the page."""


class Library:
    """Hold the content of one seed. Personal data is in the seed's language, the shop and the web in any language."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.language = "zh" if seed >= CHINESE_FROM else "en"
        self.variant = seed % CHINESE_FROM
        seed, random = self.variant, Random(f"figures {self.variant}")
        away = random.randint(96, 109) if seed else 104
        self._figures: Mapping[str, int] = {
            "away": away,
            "home": away + (random.randint(2, 11) if seed else 8),
            "top": random.randint(27, 38) if seed else 31,
            "warm": random.randint(21, 27) if seed else 24,
            "cool": random.randint(14, 19) if seed else 17,
            "hotel": random.randint(129, 179) if seed else 149,
            "fare": random.randint(118, 149) if seed else 129,
            "thunder": random.randint(117, 128) if seed else 121,
            "nuggets": random.randint(99, 112) if seed else 109,
        }

    # ------------------------------------------------------------------ personal data
    def turned(self) -> frozenset[str]:
        """Return the switches that start in the other position than usual."""
        return frozenset(_file("switches").get(self.variant, ()))

    def people(self) -> list[Person]:
        return [
            Person(entry[self.language], entry["number"], rgb(entry["colour"]))
            for entry in _file("people")
            if self.language in entry
        ]

    def notes(self) -> list[dict[str, str]]:
        return [dict(entry[self.language]) for entry in _file("notes")]

    def threads(self) -> list[dict[str, Any]]:
        """Return ``{contact, unread, messages: [{from, text}]}``. ``from`` is ``me`` or the contact's name."""
        people, random = Library.people(self), Random(f"unread {self.variant}")
        found = []
        for entry in _file("messages"):
            name = people[entry["who"]].name
            lines = [{"from": "me" if line["me"] else name, "text": line[self.language]} for line in entry["lines"]]
            tail = next((i for i, line in enumerate(reversed(lines)) if line["from"] == "me"), len(lines))
            unread = random.randint(min(1, entry["unread"]), tail) if self.variant else entry["unread"]
            found.append({"contact": name, "unread": unread, "messages": lines})
        return found

    # ------------------------------------------------------------------ what another version of the apps has otherwise
    def worded(self, text: str) -> str:
        """Return what apps say in place of a text of theirs."""
        return text

    def section_of(self, line: str, section: str) -> str:
        """Return the section of Settings that has a line, all by their English titles; empty if none has it."""
        return section

    def first_field(self, app: str) -> bool:
        """Return whether an app, by its English label, opens with the keyboard up for its search."""
        return False

    def loading_s(self, drawn: float) -> float:
        """Return how long a page loads, in seconds. ``drawn``: what the phone has drawn for it."""
        return drawn

    # ------------------------------------------------------------------ shop and web
    def cart(self) -> tuple[str, ...]:
        """Return the ids of the products that are in the cart at first."""
        return ()

    def products(self, language: str) -> tuple[Product, ...]:
        return _products(self.variant, language)

    def search_products(self, query: str, language: str) -> list[Product]:
        """Return the products whose words or name match, the best first."""
        return _ranked(query, [(item.words, item.name, item) for item in self.products(language)])

    def pages(self, language: str) -> list[WebPage]:
        def text(entry: Mapping[str, str]) -> str:
            return entry[language].format_map(self._figures)

        return [
            WebPage(
                page["address"],
                text(page["title"]),
                text(page["snippet"]),
                tuple(text(part) for part in page["text"]),
                topic["words"][language],
            )
            for topic in _file("web")
            for page in topic["pages"]
        ]

    def search_pages(self, query: str, language: str) -> list[WebPage]:
        """Return up to 8 pages whose topic, title or snippet match, the best first."""
        pages = [(page.words, f"{page.title} {page.snippet}", page) for page in self.pages(language)]
        return _ranked(query, pages)[:8]

    def page(self, address: str, language: str) -> WebPage | None:
        return next((page for page in self.pages(language) if page.address == address), None)


@lru_cache(maxsize=64)
def _products(variant: int, language: str) -> tuple[Product, ...]:
    random = Random(f"prices {variant}")
    authors = [entry[language] for entry in _file("people") if entry.get("reviews", True)]
    found = []
    for entry in _file("shop"):
        factor = 1 + random.uniform(-0.06, 0.06) if variant else 1.0
        names = random.sample(authors, k=len(entry["reviews"]))
        reviews = tuple(
            Review(name, item["stars"], item[language]) for name, item in zip(names, entry["reviews"], strict=True)
        )
        was = entry.get("was")
        found.append(
            Product(
                id=entry["id"],
                name=entry["name"][language],
                detail=entry["detail"][language],
                words=entry["tags"][language],
                glyph=entry["glyph"],
                colour=rgb(str(entry["colour"])),
                price=_price(entry["price"] * factor, language),
                was=None if was is None else _price(was * factor, language),
                rating=entry["rating"],
                sold=entry["sold"],
                reviews=reviews,
            )
        )
    return tuple(found)


def _price(dollars: float, language: str) -> float:
    return float(round(dollars * YUAN)) if language == "zh" else round(dollars, 2)


def money(amount: float, language: str) -> str:
    """Return an amount as ``$199.00`` or ``¥1393``."""
    return f"¥{amount:.0f}" if language == "zh" else f"${amount:,.2f}"


def _ranked(query: str, entries: list[tuple[str, str, Item]]) -> list[Item]:
    """Return the items of entries (topic words, title, item) that share words with the query, the best first."""
    scored = [
        (_score(query, words) + 0.5 * _score(query, title), index, item)
        for index, (words, title, item) in enumerate(entries)
    ]
    return [item for score, _, item in sorted(scored, key=lambda entry: (-entry[0], entry[1])) if score > 0]


def _score(query: str, words: str) -> float:
    """Score how many words both texts share. A Chinese word counts if it occurs anywhere in the query: Chinese text has
    no spaces between words.
    """
    query, known = query.lower(), set(re.findall(r"\w+", words.lower()))
    asked = set(re.findall(r"\w+", query))
    shared = len(asked & known) + sum(word in query for word in known - asked if re.match(r"[\u4e00-\u9fff]", word))
    return shared / (1 + len(asked) / 4) if shared else 0.0
