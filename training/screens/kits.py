"""What screens are made of: UI kits and icon sets (kits.yaml), each on one side of the hold-out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from json import loads
from pathlib import Path
from random import Random
from typing import Any

import yaml

from manyhands.protocol.errors import BadInput

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"

STYLE = re.compile(
    r"^(?:baseline|outline|round|sharp|twotone)-"
    r"|(?:-\d\d)?-(?:outlined?|filled|fill|line|sharp|regular|bold|thin|light|duotone|twotone|solid|rounded|off-outline)$"
)
SIZED = re.compile(r"-(\d\d)-(?:regular|filled|light)$")


@dataclass(frozen=True)
class Kit:
    """Describe a UI kit: files of its npm package, how its markup is mounted (host.js), and what it draws by itself."""

    name: str
    mount: str
    variants: Mapping[str, Mapping[str, Any]]
    library: str = ""
    styles: Sequence[str] = ()
    dark_styles: Sequence[str] = ()
    scripts: Sequence[str] = ()
    modules: Sequence[str] = ()
    controls: dict[str, str] = field(default_factory=dict)
    glyphs: dict[str, str] = field(default_factory=dict)
    ignore: Sequence[str] = ()
    restyle: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Icon:
    """Hold an icon. ``key`` is SET:NAME in the set's own words; ``svg`` a whole SVG in the text's colour or its own."""

    key: str
    svg: str


@dataclass(frozen=True)
class IconSet:
    """Hold one icon set in Iconify's JSON form. ``use``: glyph, brand or colour."""

    name: str
    use: str
    icons: Mapping[str, Mapping[str, Any]] = field(repr=False)
    side: float = 16

    @cached_property
    def styles(self) -> Mapping[str, Sequence[str]]:
        """Names by style: what is left of a name without its stem, such as ``-outline``."""
        found: dict[str, list[str]] = {}
        for name in self.icons:
            style = STYLE.search(name)
            found.setdefault(style.group() if style else "", []).append(name)
        return {style: names for style, names in found.items() if len(names) >= 60} or {"": list(self.icons)}

    def icon(self, name: str) -> Icon:
        row = self.icons[name]
        box = [row.get("left", 0), row.get("top", 0), row.get("width", self.side), row.get("height", self.side)]
        body = str(row["body"])
        if 'id="' in body:  # ids are the document's: two icons must not share one
            mark = re.sub(r"\W", "", f"{self.name}{name}")
            body = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{mark}", body)
        view = " ".join(f"{number:g}" for number in box)
        return Icon(f"{self.name}:{name}", f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}">{body}</svg>')


def stem(name: str) -> str:
    """Return a name without its style: ``home-outline`` and ``outline-home`` are ``home``."""
    return STYLE.sub("", name)


class IconFamily:
    """Hold the icons of one set in one style, as one app uses them; asked for by place, or at random."""

    def __init__(
        self, icons: IconSet, style: str, places: Mapping[str, re.Pattern[str]], common: re.Pattern[str]
    ) -> None:
        self._set = icons
        self._names = icons.styles[style]
        self._places = places
        self._common = common

    @cached_property
    def _by_place(self) -> Mapping[str, Sequence[str]]:
        stems = [(stem(name), name) for name in self._names]
        return {place: [name for s, name in stems if wanted.fullmatch(s)] for place, wanted in self._places.items()}

    @cached_property
    def _often(self) -> Sequence[str]:
        return [name for name in self._names if self._common.fullmatch(stem(name))] or self._names

    def has(self, place: str) -> bool:
        return bool(self._by_place[place])

    def at(self, place: str, rng: Random) -> Icon:
        """Return an icon for a place of roles.yaml; one of the common ones where the set has none."""
        return self._set.icon(rng.choice(self._by_place[place] or self._often))

    def any(self, rng: Random, common: float = 0.6) -> Icon:
        return self._set.icon(rng.choice(self._often if rng.random() < common else self._names))


class Materials:
    """Hold the kits and icon sets of one side. ``holdout``: those that training never sees.

    Raises BadInput where npm packages are not installed.
    """

    def __init__(self, holdout: bool, folder: Path = HERE) -> None:
        self.holdout = holdout
        read = yaml.safe_load((folder / "kits.yaml").read_text(encoding="utf-8"))
        roles = yaml.safe_load((folder / "roles.yaml").read_text(encoding="utf-8"))
        self._places = {place: re.compile(pattern) for place, pattern in roles["places"].items()}
        self._common = re.compile(roles["common"].replace(" ", ""))
        self.kits = [
            Kit(
                name, library=row.pop("global", ""), **{k: v for k, v in row.items() if k not in ("licence", "holdout")}
            )
            for name, row in read["kits"].items()
            if bool(row.get("holdout")) is holdout
        ]
        rows = {name: row for name, row in read["sets"].items() if bool(row.get("holdout")) is holdout}
        self.sets = {name: _load(name, row["use"], folder / "node_modules") for name, row in rows.items()}
        self._families: dict[tuple[str, str], IconFamily] = {}

    def family(self, rng: Random, place: str = "") -> IconFamily:
        """Return a set in one of its styles; one that has an icon for ``place``, where there is one."""
        glyphs = [one for one in self.sets.values() if one.use == "glyph"]
        for _ in range(12):
            one = rng.choice(glyphs)
            style = rng.choice(list(one.styles))
            family = self._families.setdefault((one.name, style), IconFamily(one, style, self._places, self._common))
            if not place or family.has(place):
                break
        return family

    def picture(self, rng: Random, use: str) -> Icon:
        """Return an icon of a set of ``use`` ``brand`` or ``colour``; a glyph where this side has no such set."""
        sets = [one for one in self.sets.values() if one.use == use]
        if not sets:
            return self.family(rng).any(rng, 0.8)
        one = rng.choice(sets)
        return one.icon(rng.choice(list(one.icons)))


def _load(name: str, use: str, modules: Path) -> IconSet:
    path = modules / "@iconify-json" / name / "icons.json"
    if not path.is_file():
        raise BadInput(f"{path} is missing: run 'npm ci' in {modules.parent}")
    read = loads(path.read_text(encoding="utf-8"))
    icons = {n: row for n, row in read["icons"].items() if not row.get("hidden") and _wanted(n)}
    return IconSet(name, use, icons, side=read.get("width") or read.get("height") or 16)


def _wanted(name: str) -> bool:
    """Return whether an icon is used: one size of each, and no firm's name in letters."""
    if "wordmark" in name:
        return False
    sized = SIZED.search(name)
    return sized is None or sized.group(1) == "24"
