"""How a page looks: phone, colours, words and icons, drawn once per screen from its seed."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import yaml

from training.screens.kits import Icon, IconFamily, Materials

Block = dict[str, Any]
"""What a template's macro is given: plain values, icons as `icon()` gives them."""

DENSITIES = {2.0: 38, 2.625: 22, 2.75: 10, 3.0: 24, 3.5: 6}


@dataclass(frozen=True)
class Phone:
    """Describe a viewport in CSS pixels, and how many picture pixels one of them has."""

    width: int
    height: int
    density: float

    @classmethod
    def drawn(cls, rng: Random) -> Phone:
        width = rng.choice((360, 360, 375, 384, 390, 393, 411, 412, 414, 428, 430))
        density = rng.choices(list(DENSITIES), list(DENSITIES.values()))[0]
        return cls(width, round(width * rng.uniform(1.9, 2.23)), density)


@cache
def _vocabulary() -> Mapping[str, Mapping[str, Sequence[str]]]:
    path = Path(__file__).parent / "words.yaml"
    read: Mapping[str, Mapping[str, Sequence[str]]] = yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)
    return read


class Look:
    """Draws the parts of one screen. All chance comes from ``rng``."""

    def __init__(self, rng: Random, materials: Materials) -> None:
        self.rng = rng
        self.materials = materials
        self.language = rng.choices(("en", "zh"), (0.58, 0.42))[0]
        self.dark = rng.random() < 0.38
        self.family: IconFamily = materials.family(rng, "back")
        self.second: IconFamily = materials.family(rng, "search")
        self.glyphs: dict[str, str] = {}
        self.pictures = rng.randrange(10**6)
        self.colours = self._colours()

    # ------------------------------------------------------------------ colours
    def _colours(self) -> Block:
        rng, dark = self.rng, self.dark
        hue = rng.random()
        accent = _hex(hue, rng.uniform(0.45, 0.95), rng.uniform(0.6, 0.9) if not dark else rng.uniform(0.75, 1))
        surface = (
            _hex(hue, rng.uniform(0, 0.12), rng.uniform(0.08, 0.2))
            if dark
            else rng.choice(("#ffffff", "#ffffff", "#fafafa", _hex(hue, 0.04, 0.98)))
        )
        back = (
            rng.choice(("#000000", "#121212", surface))
            if dark
            else rng.choice(("#ffffff", "#f2f2f7", "#f5f5f5", "#eef0f4", _hex(hue, 0.06, 0.97)))
        )
        ink, muted = (
            ("#f2f2f2", rng.choice(("#9a9aa0", "#b5b5bb")))
            if dark
            else (
                rng.choice(("#111111", "#1f2328", "#333333")),
                rng.choice(("#8a8a8e", "#757575", "#666666", "#999999")),
            )
        )
        bar = rng.choice((surface, surface, back, accent))
        on_bar = "#ffffff" if bar == accent else ink
        return {
            "accent": accent,
            "on_accent": "#ffffff",
            "surface": surface,
            "back": back,
            "ink": ink,
            "muted": muted,
            "bar": bar,
            "on_bar": on_bar,
            "line": "#3a3a3c" if dark else rng.choice(("#e0e0e0", "#d1d1d6", "#ececec")),
            "field": _hex(hue, 0.08, 0.24) if dark else rng.choice(("#eeeeef", "#f1f3f4", _hex(hue, 0.07, 0.94))),
            "pad": rng.choice((12, 16, 16, 20, 24)),
            "radius": rng.choice((4, 8, 12, 18)),
            "dark": dark,
        }

    def vivid(self) -> str:
        return _hex(self.rng.random(), self.rng.uniform(0.5, 0.95), self.rng.uniform(0.55, 0.95))

    # ------------------------------------------------------------------ icons
    def icon(self, icon: Icon | None = None, tile: float = 0.0, colour: str = "") -> Block:
        """Return an icon for a template, with probability ``tile`` on a coloured tile."""
        icon = icon or self.family.any(self.rng)
        self.glyphs[icon.key] = icon.svg
        block: Block = {"key": icon.key, "colour": colour}
        if self.rng.random() < tile:
            block["tile"] = self.tile()
        return block

    def at(self, place: str, tile: float = 0.0) -> Block:
        family = self.family if self.family.has(place) else self.second
        return self.icon(family.at(place, self.rng), tile)

    def coloured(self) -> Block:
        """Return an icon with colours of its own, or a glyph in a strong colour."""
        if self.rng.random() < 0.5:
            return self.icon(self.materials.picture(self.rng, "colour"))
        return self.icon(colour=self.vivid())

    def tile(self) -> Block:
        rng = self.rng
        strong = self.vivid()
        background, colour = rng.choice(
            (
                (strong, "#ffffff"),
                (f"linear-gradient({rng.randrange(360)}deg,{strong},{self.vivid()})", "#ffffff"),
                (strong + "33", strong),
                (self.colours["field"], self.colours["ink"]),
            )
        )
        return {
            "background": background,
            "colour": colour,
            "radius": rng.choice(("50%", "50%", "28%", "20%", "12px")),
            "share": rng.uniform(0.45, 0.66),
            "scale": rng.uniform(1.35, 1.9),
        }

    def photo(self) -> str:
        return f"/photo/{self.pictures + self.rng.randrange(60)}.jpg"

    # ------------------------------------------------------------------ words
    def word(self, kind: str) -> str:
        words = _vocabulary()[self.language if self.rng.random() < 0.93 else "en"][kind]
        return self.rng.choice(words)

    def words(self, kind: str, count: int) -> list[str]:
        pool = list(_vocabulary()[self.language][kind])
        self.rng.shuffle(pool)
        return (pool * 3)[:count]

    def clock(self) -> str:
        return f"{self.rng.randrange(24):02d}:{self.rng.randrange(60):02d}"

    def maybe(self, chance: float) -> bool:
        return self.rng.random() < chance


def _hex(hue: float, saturation: float, value: float) -> str:
    return "#" + "".join(f"{round(channel * 255):02x}" for channel in colorsys.hsv_to_rgb(hue, saturation, value))
