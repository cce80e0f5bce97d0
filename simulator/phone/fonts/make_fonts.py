"""Make the font subsets that virtual phones draw with: ``python -m manyhands.simulator.phone.fonts.make_fonts``.

Sources (Debian packages; any copy of the same releases gives the same glyphs):

- Roboto 2.138 Regular and Medium, Apache License 2.0, package ``fonts-roboto-unhinted`` 2:0~20170802-3.
- Noto Sans CJK 2.004 Regular, Simplified Chinese face, SIL Open Font License 1.1, package
  ``fonts-noto-cjk`` 1:20220127+repack1-1.

The Latin subsets hold ASCII, Latin-1, Latin Extended-A, general punctuation and currency signs. The Chinese subset
holds level 1 of GB 2312 (3755 characters), its punctuation, full-width forms, arrows, and all other characters in the
simulator's files. Beside each font, ``*.chars.txt`` lists its characters, so drawing needs no font parser. Needs
fonttools (a development dependency).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection, TTFont

FONTS = Path(__file__).parent
PACKAGE = Path(__file__).parents[2]
CONTENT_SUFFIXES = {".py", ".yaml", ".yml", ".json"}


def _ranges(*bounds: tuple[int, int]) -> set[str]:
    return {chr(code) for first, last in bounds for code in range(first, last + 1)}


LATIN = _ranges((0x20, 0x7E), (0xA0, 0x17F), (0x2010, 0x2027), (0x2030, 0x203A), (0x20A0, 0x20BF)) | set("™−×÷")


def gb2312_level_1() -> set[str]:
    """Return the 3755 characters of rows 16 to 55, which are those of daily use."""
    found = set()
    for row in range(16, 56):
        for cell in range(1, 95):
            try:
                found.add(bytes((0xA0 + row, 0xA0 + cell)).decode("gb2312"))
            except UnicodeDecodeError:
                continue
    return found


def content_characters(root: Path = PACKAGE) -> set[str]:
    """Return every character in the simulator's own text files."""
    found: set[str] = set()
    for path in root.rglob("*"):
        if path.suffix in CONTENT_SUFFIXES:
            found |= set(path.read_text(encoding="utf-8"))
    return found


def _write(font: TTFont, characters: Iterable[str], target: Path) -> None:
    options = subset.Options()
    options.hinting = False
    options.desubroutinize = False
    options.layout_features = ["kern", "mark", "ccmp"]
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.notdef_outline = True
    options.drop_tables += ["vhea", "vmtx", "VORG", "BASE", "DSIG"]
    maker = subset.Subsetter(options)
    maker.populate(text="".join(sorted(characters)))
    maker.subset(font)
    font.save(target)
    covered = "".join(chr(code) for code in sorted(font.getBestCmap()))
    target.with_suffix(".chars.txt").write_text(covered, encoding="utf-8")
    sys.stdout.write(f"{target.name}: {target.stat().st_size // 1024} KiB\n")


def make(roboto: Path, noto: Path) -> None:
    """Write the subsets. ``roboto``: the folder with Roboto-*.ttf. ``noto``: the file NotoSansCJK-Regular.ttc."""
    for weight in ("Regular", "Medium"):
        _write(TTFont(roboto / f"Roboto-{weight}.ttf"), LATIN, FONTS / f"Roboto-{weight}.ttf")
    faces = {face["name"].getDebugName(4): face for face in TTCollection(noto).fonts}
    wide = _ranges((0x3000, 0x3020), (0xFF00, 0xFF5E), (0x2190, 0x2193), (0x2460, 0x2473)) | set("·…—‘’“”～→←↑↓√★☆●○")
    characters = gb2312_level_1() | wide | content_characters() | _ranges((0x20, 0x7E))
    _write(faces["Noto Sans CJK SC"], characters, FONTS / "NotoSansSC-Regular.otf")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(
            "usage: python -m manyhands.simulator.phone.fonts.make_fonts FOLDER_OF_ROBOTO_TTF NotoSansCJK-Regular.ttc"
        )
    make(Path(sys.argv[1]), Path(sys.argv[2]))
