"""Open fonts from npm (``@fontsource``) and those of the virtual phones, and which characters their files have."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from training.names.drawings import FONTS

HERE = Path(__file__).parent
MODULES = HERE / "node_modules" / "@fontsource"
Part = Literal["train", "holdout"]
LATIN: dict[Part, tuple[str, ...]] = {
    "train": ("lato", "nunito", "open-sans", "poppins", "rubik", "source-sans-3"),
    "holdout": ("barlow",),
}
"""Fonts with Latin letters. Of Chinese ones there are too few that are free: all parts have the same."""
CHINESE = {"noto-sans-sc": (300, 400, 500, 700), "noto-serif-sc": (400,)}
"""Weights of fonts whose characters lie in many files."""
WEIGHTS = (300, 400, 500, 600, 700)
LIKE_SIGNS = frozenset("十口一二三丨丿乙田品回日凸凹")
"""Characters that are drawn as signs are: they would teach nothing."""
_FILE = re.compile(r"url\(\./files/([^)]+?)-400-normal\.woff2\).*?unicode-range: ([^;]+);", re.DOTALL)


@dataclass(frozen=True)
class Font:
    """Hold a font file. ``characters``: its Chinese ones that are like no sign; none for a Latin font."""

    path: Path
    characters: str = ""


def latin_fonts(use: Part, modules: Path = MODULES) -> list[Font]:
    """Return the fonts of a part. Raises FileNotFoundError where fonts are not installed."""
    paths = [
        path
        for name in LATIN[use]
        for weight in WEIGHTS
        if (path := _folder(modules, name) / "files" / f"{name}-latin-{weight}-normal.woff2").is_file()
    ]
    if use == "train":
        paths += sorted(FONTS.glob("Roboto-*.ttf"))
    return [Font(path) for path in paths]


def chinese_fonts(modules: Path = MODULES) -> list[Font]:
    """Return all Chinese fonts. Raises FileNotFoundError where fonts are not installed."""
    found = []
    for name, weights in CHINESE.items():
        folder = _folder(modules, name)
        for part, ranges in _FILE.findall((folder / "400.css").read_text(encoding="utf-8")):
            characters = _characters(ranges)
            paths = (folder / "files" / f"{part}-{weight}-normal.woff2" for weight in weights)
            found += [Font(path, characters) for path in paths if characters and path.is_file()]
    return found


def common_characters() -> Font:
    """Return the phones' own Chinese font, which has the characters that are in use."""
    known = (FONTS / "NotoSansSC-Regular.chars.txt").read_text(encoding="utf-8")
    return Font(FONTS / "NotoSansSC-Regular.otf", "".join(filter(_is_unlike_signs, known)))


def _folder(modules: Path, name: str) -> Path:
    folder = modules / name
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is missing: run `npm ci` in {HERE}")
    return folder


def _characters(ranges: str) -> str:
    """Return the Chinese characters of a CSS ``unicode-range``, as ``U+4e00-4e05, U+4e0d``."""
    codes: list[int] = []
    for part in re.findall(r"U\+([0-9a-fA-F]+)(?:-([0-9a-fA-F]+))?", ranges):
        first, last = int(part[0], 16), int(part[1] or part[0], 16)
        codes += range(first, last + 1)
    return "".join(filter(_is_unlike_signs, map(chr, codes)))


def _is_unlike_signs(character: str) -> bool:
    return "\u4e00" <= character <= "\u9fa5" and character not in LIKE_SIGNS
