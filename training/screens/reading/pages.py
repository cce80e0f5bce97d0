"""Pages by their kind: the same part, seed and number give the same page."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from random import Random

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from training.screens.look import Phone
from training.screens.reading.parts import HERE, Part, family, glyphs, style_sheets
from training.screens.reading.writing import Writer

KINDS = (
    "article", "links", "consent", "products", "prices", "dates", "search", "places",
    "bullets", "chat", "table", "form", "map", "decorative", "small", "keyboard", "settings", "home",
)  # fmt: skip
"""Each is a macro of every site."""
DARK = 0.35
CHINESE = 0.42
BARS = ("filled", "outlined", "gesture")


@dataclass(frozen=True)
class Page:
    """Hold what a browser needs to show a page, and what is known of it."""

    number: int
    kind: str
    part: str
    site: str
    language: str
    dark: bool
    font: str
    phone: Phone
    markup: str


class Pages:
    """Draws the pages of a part, one kind after another."""

    def __init__(self, part: Part, seed: int) -> None:
        self._part = part
        self._seed = seed
        self._templates = Environment(
            loader=FileSystemLoader([HERE, HERE / "sites"]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def page(self, number: int) -> Page:
        """Draw a page. Raises BadInput where fonts or icons are not installed."""
        rng = Random(f"{self._part.name} {self._seed} {number}")
        kind = KINDS[number % len(KINDS)]
        language = "zh" if rng.random() < CHINESE else "en"
        dark = rng.random() < DARK
        phone = Phone.drawn(rng)
        part = self._part
        body, chinese = rng.choice(part.body), rng.choice(part.chinese)
        decorative = rng.choice(part.decorative_chinese if language == "zh" else part.decorative)
        icon_set = rng.choice(part.icons)
        drawings = glyphs(icon_set)
        look = _colours(rng, dark) | {
            "--font": f"'{family(body)}','{family(chinese)}','Noto Sans CJK SC',sans-serif",
            "--decor": f"'{family(decorative)}','{family(body)}','{family(chinese)}',sans-serif",
            "--weight": rng.choice(("400", "400", "400", "500")),
            "--size": f"{rng.choice((13, 14, 15, 15, 16, 16, 17, 18))}px",
            "--leading": f"{rng.uniform(1.3, 1.65):.2f}",
            "--pad": f"{rng.choice((10, 12, 16, 16, 20, 24))}px",
            "--radius": f"{rng.choice((0, 4, 8, 12, 18))}px",
        }
        markup = self._templates.get_template("sites/page.jinja").render(
            w=Writer(rng, language),
            r=rng,
            kind=kind,
            site_name=part.site,
            dark=dark,
            bar=rng.choice(BARS),
            roads=rng.choice(("#5a5a60", "#4c5a66") if dark else ("#ffffff", "#f5d98b", "#d5d8dc")),
            style=";".join(f"{name}:{value}" for name, value in look.items()),
            sheets=[sheet for font in dict.fromkeys((body, chinese, decorative)) for sheet in style_sheets(font)],
            icon_set=icon_set,
            glyph=lambda role: Markup(drawings[role]),
            bare=lambda role: Markup(drawings[role].replace("data-icon=", "data-drawn=")),
            picture=lambda: f"/photo/{rng.randrange(10**6)}.jpg",
        )
        return Page(number, kind, part.name, part.site, language, dark, body, phone, markup)


def _colours(rng: Random, dark: bool) -> dict[str, str]:
    hue = rng.random()
    if dark:
        grey = rng.randrange(0x60, 0x82)
        return {
            "--ink": rng.choice(("#f2f2f2", "#e3e3e6", "#ffffff")),
            "--muted": rng.choice(("#9a9aa0", "#b5b5bb", "#8e8e93")),
            "--pale": f"#{grey:02x}{grey:02x}{grey + 4:02x}",
            "--back": rng.choice(("#000000", "#121212", _hex(hue, 0.15, 0.11))),
            "--card": _hex(hue, 0.08, rng.uniform(0.13, 0.2)),
            "--field": _hex(hue, 0.08, 0.24),
            "--line": "#3a3a3c",
            "--accent": _hex(hue, rng.uniform(0.3, 0.6), rng.uniform(0.85, 1)),
            "--on": "#101010",
        }
    grey = rng.randrange(0x8E, 0xB4)
    return {
        "--ink": rng.choice(("#111111", "#1f2328", "#333333")),
        "--muted": rng.choice(("#757575", "#666666", "#86868b")),
        "--pale": f"#{grey:02x}{grey:02x}{grey:02x}",
        "--back": rng.choice(("#ffffff", "#ffffff", "#f2f2f7", "#f5f5f5", _hex(hue, 0.05, 0.97))),
        "--card": rng.choice(("#ffffff", "#ffffff", "#fafafa")),
        "--field": rng.choice(("#eeeeef", "#f1f3f4", _hex(hue, 0.07, 0.94))),
        "--line": rng.choice(("#e0e0e0", "#d1d1d6", "#ececec")),
        "--accent": _hex(hue, rng.uniform(0.6, 0.95), rng.uniform(0.45, 0.72)),
        "--on": "#ffffff",
    }


def _hex(hue: float, saturation: float, value: float) -> str:
    return "#" + "".join(f"{round(channel * 255):02x}" for channel in colorsys.hsv_to_rgb(hue, saturation, value))
