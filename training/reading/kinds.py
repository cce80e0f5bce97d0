"""The kinds of pages: each writes the body of a page of which all texts are labels.

``data-label`` is on what is one label: its lines are lines of one text, whatever stands beside them. ``data-group``
is on what belongs together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from random import Random

from training.reading.words import Words

Kind = Callable[[Words, Random], str]
_LENS = '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2"><circle cx="10" cy="10" r="6"/>' \
    '<path d="M15 15l6 6"/></svg>'  # fmt: skip


def label(text: str, tag: str = "span", css: str = "") -> str:
    """Return an element that is one label."""
    return f'<{tag} data-label class="{css}">{escape(text)}</{tag}>'


def group(css: str, *parts: str) -> str:
    """Return parts that belong together."""
    return f'<div data-group class="{css}">{"".join(parts)}</div>'


def article(words: Words, random: Random) -> str:
    """Justified and hyphenated lines under a headline."""
    head = label(words.title(), "h1") + label(f"{words.one('people')}, {words.date()}", "p", "pale small")
    return head + "".join(label(words.paragraph(random.randint(2, 4)), "p", "just") for _ in range(4))


def ragged(words: Words, random: Random) -> str:
    """Lines of paragraphs that are not justified."""
    return "".join(label(words.title(), "h2") + label(words.paragraph(3), "p") for _ in range(4))


def links(words: Words, random: Random) -> str:
    """Rows of links, as near to each other as sites set them."""
    rows = (group("row", *(label(link, "a") for link in words.some("links", random.randint(4, 7)))) for _ in range(7))
    return label(words.title(), "h1") + "".join(rows)


def tabs(words: Words, random: Random) -> str:
    """A row of tabs over a list, and another below."""
    row = "".join(label(link, "span", "link" if not place else "pale")
                  for place, link in enumerate(words.some("links", 5)))  # fmt: skip
    rows = (
        group("between", label(words.one("products")), label(words.one("units"), "span", "pale")) for _ in range(10)
    )
    return f'<div class="between">{row}</div>' + "".join(rows)


def consent(words: Words, random: Random) -> str:
    """A card that asks for consent over a page."""
    buttons = "".join(
        label(one, "span", f"button {css}") for one, css in zip(words.some("buttons", 3), ("full", "", ""), strict=True)
    )
    below = label(words.title(), "h1") + label(words.paragraph(2), "p")
    text = label(words.title(), "h2") + label(words.paragraph(3), "p", "small")
    return below + group("card", text, f'<div class="row">{buttons}</div>') + label(words.paragraph(3), "p")


def products(words: Words, random: Random) -> str:
    """A grid of cards with title, price and shop."""

    def card() -> str:
        stars = label("★" * random.randint(3, 5), "span", "small link")
        price = f'<div class="row">{label(words.price(), "b")}{stars}</div>'
        title, shop = label(words.one("products"), "div"), label(words.one("shops"), "div", "pale small")
        return group("card", '<div class="pic"></div>', title, price, shop)

    cards = (card() for _ in range(8))
    return f'<div class="grid two">{"".join(cards)}</div>'


def prices(words: Words, random: Random) -> str:
    """Prices, ratings and symbols as words."""

    def line() -> str:
        signs = random.choice(("$$$", "$$", "¥¥", "€€", "★ 4.6", "50% off", "-20%", "№ 7", "#12", "@home", "+1", "2×"))
        left = label(words.one("shops"), "b") + label(signs, "span", "pale")
        return group("between", f'<span class="row">{left}</span>', label(words.price()))

    return label(words.title(), "h1") + "".join(line() for _ in range(14))


def dates(words: Words, random: Random) -> str:
    """Dates, times and units beside what they are of."""
    rows = (group("between", label(words.date()), label(words.one("units")), label(words.one("days"), "span", "pale"))
            for _ in range(16))  # fmt: skip
    return label(words.title(), "h1") + "".join(rows)


def search(words: Words, random: Random) -> str:
    """A field with a lens and a hint in one line, and what was looked for before."""
    field = f'<div class="field">{_LENS}{label(words.one("hints"), "span", "pale")}</div>'
    rows = (f'<div class="field" style="border:0">{_LENS}{label(words.one("places"))}</div>' for _ in range(9))
    return field + "".join(rows)


def places(words: Words, random: Random) -> str:
    """Places with distances and a line about each."""

    def row() -> str:
        about = f"{words.one('units')} · {words.one('shops')}"
        return group("card", label(words.one("places"), "b"), label(about, "div", "pale small"))

    return "".join(row() for _ in range(9))


def bullets(words: Words, random: Random) -> str:
    """Lists with bullets and numbers before each entry."""
    entries = "".join(f"<li>{label(words.sentence())}</li>" for _ in range(5))
    short = "".join(f"<li>{label(one)}</li>" for one in words.some("products", 7))
    return label(words.title(), "h2") + f"<ul>{entries}</ul>" + label(words.title(), "h2") + f"<ul>{short}</ul>"


def chat(words: Words, random: Random) -> str:
    """Messages of two people with times."""

    def message() -> str:
        css = random.choice(("mine", "theirs"))
        text = words.one("chats") if random.random() < 0.7 else words.sentence()
        return group(f"card {css}", label(text, "div"), label(words.date(), "div", "pale small"))

    return label(words.one("people"), "h2") + "".join(message() for _ in range(9))


def table(words: Words, random: Random) -> str:
    """A table of words and numbers."""
    head = "".join(
        f'<th class="{"n" if place else ""}">{label(one)}</th>' for place, one in enumerate(words.some("figures", 4))
    )
    rows = "".join(
        f"<tr><td>{label(words.one('nouns'))}</td>"
        + "".join(f'<td class="n">{label(str(random.randint(1, 99999)))}</td>' for _ in range(3))
        + "</tr>"
        for _ in range(15)
    )
    return f"<table><tr>{head}</tr>{rows}</table>"


def figures(words: Words, random: Random) -> str:
    """Key figures, large over small."""
    cards = (
        group("card", label(words.one("units"), "div", "figure"), label(words.one("figures"), "div", "pale small"))
        for _ in range(12)
    )
    return f'<div class="grid {random.choice(("two", "three"))}">{"".join(cards)}</div>'


def form(words: Words, random: Random) -> str:
    """Fields with labels over or in them, and buttons."""
    fields = (
        label(one, "div", "small pale") + f'<div class="field">{label(words.one("people"))}</div>'
        for one in words.some("fields", 6)
    )
    return (
        "".join(fields)
        + f'<div class="row">{"".join(label(one, "span", "button") for one in words.some("buttons", 3))}</div>'
    )


def launcher(words: Words, random: Random) -> str:
    """Names under tiles, row by row, and a bar of names below."""
    across = random.choice((3, 4, 5))

    def row(kind: str, height: float) -> str:
        tile = f'<div class="pic" style="height:{height}em"></div>'
        names = "".join(group("middle", tile, label(words.one(kind), "div", "small")) for _ in range(across))
        return f'<div class="grid" style="grid-template-columns:repeat({across},1fr)">{names}</div>'

    return label(words.date(), "div", "figure") + "".join(row(random.choice(("nouns", "links")), 3) for _ in range(6))


def settings(words: Words, random: Random) -> str:
    """Titles with a line about each below, and a value at the right of some."""

    def row() -> str:
        about = ", ".join(words.some("links", random.randint(1, 4)))
        left = f"<div>{label(words.one('fields'), 'div')}{label(about, 'div', 'pale small')}</div>"
        value = label(words.one("units"), "span", "pale") if random.random() < 0.5 else ""
        return group("between", left, value)

    return label(words.one("links"), "h1") + "".join(row() for _ in range(11))


def crumbs(words: Words, random: Random) -> str:
    """Lines of one label with signs between its words, and bars of names over the whole width."""
    sign = random.choice((" > ", " / ", " · ", " | ", " - "))
    lines = "".join(label(sign.join(words.some("links", random.randint(2, 4))), "p", "pale small") for _ in range(5))

    def bar() -> str:
        names = words.some("links", random.randint(3, 5))
        return f'<div class="between">{"".join(label(one, "span", "small") for one in names)}</div>'

    return lines + label(words.sentence(), "p") + "".join(bar() for _ in range(5))


KINDS: Mapping[str, Kind] = {
    kind.__name__: kind
    for kind in (
        article,
        ragged,
        links,
        tabs,
        consent,
        products,
        prices,
        dates,
        search,
        places,
        bullets,
        chat,
        table,
        figures,
        form,
        launcher,
        settings,
        crumbs,
    )
}
