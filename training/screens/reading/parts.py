"""Parts of the pages: develop, choose and check, which share no site, font, icon set or bar."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from manyhands.protocol.errors import BadInput

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
_SMALL = re.compile(r"^[a-z0-9-]+$")


@dataclass(frozen=True)
class Part:
    """Hold what the pages of one part are made of; fonts in small letters are packages of ``@fontsource``."""

    name: str
    site: str
    body: tuple[str, ...]
    chinese: tuple[str, ...]
    decorative: tuple[str, ...]
    decorative_chinese: tuple[str, ...]
    icons: tuple[str, ...]

    @property
    def packages(self) -> tuple[str, ...]:
        """Return the fonts that come from npm; the others are the system's."""
        fonts = (*self.body, *self.chinese, *self.decorative, *self.decorative_chinese)
        return tuple(font for font in fonts if _SMALL.match(font))


@cache
def parts() -> dict[str, Part]:
    """Return all parts by name."""
    written: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "parts.yaml").read_text("utf-8"))
    return {
        name: Part(name, values["site"], *(tuple(values[key]) for key in list(values)[1:]))
        for name, values in written.items()
    }


def part(name: str) -> Part:
    """Return a part. Raises BadInput for another name."""
    if name not in parts():
        raise BadInput(f"part {name}: there are {', '.join(parts())}")
    return parts()[name]


def family(font: str) -> str:
    """Return what CSS calls a font: ``dm-sans`` is DM Sans, as its package's own style sheet says."""
    if not _SMALL.match(font):
        return font
    return _family_in(_style_sheet(font, 400))


def style_sheets(font: str) -> list[str]:
    """Return the paths of a package's style sheets, below ``node_modules``, for the weights it has of those in use."""
    weights = (400, 500, 700) if _SMALL.match(font) else ()
    return [
        f"@fontsource/{font}/{weight}.css" for weight in weights if _style_sheet(font, weight, needed=False).is_file()
    ]


def _style_sheet(font: str, weight: int, needed: bool = True) -> Path:
    path = MODULES / "@fontsource" / font / f"{weight}.css"
    if needed and not path.is_file():
        raise BadInput(f"{path} is missing: run `npm ci` in {HERE}")
    return path


@cache
def _family_in(path: Path) -> str:
    found = re.search(r"font-family: '([^']+)'", path.read_text("utf-8"))
    if found is None:
        raise BadInput(f"{path} names no font family")
    return found.group(1)


@cache
def glyphs(icon_set: str) -> dict[str, str]:
    """Return an icon set's SVG by what each stands for. Raises BadInput where the set is not installed."""
    path = MODULES / "@iconify-json" / icon_set / "icons.json"
    if not path.is_file():
        raise BadInput(f"{path} is missing: run `npm ci` in {HERE}")
    read = json.loads(path.read_text("utf-8"))
    width, height = read.get("width", 16), read.get("height", 16)
    return {
        role: f'<svg viewBox="0 0 {width} {height}" data-icon="{role}" data-set="{icon_set}" data-raw="{own}">'
        f"{read['icons'][own]['body']}</svg>"
        for role, own in icon_names()[icon_set].items()
    }


@cache
def icon_names() -> dict[str, dict[str, str]]:
    """Return what each set calls the icons in use."""
    written: dict[str, dict[str, str]] = yaml.safe_load((HERE / "icons.yaml").read_text("utf-8"))
    return written
