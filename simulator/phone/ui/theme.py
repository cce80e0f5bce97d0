"""Define colours by role, light and dark."""

from __future__ import annotations

from dataclasses import dataclass

Colour = tuple[int, int, int]


def rgb(code: str) -> Colour:
    """Return ``rgb("1a73e8")`` as three numbers."""
    return int(code[0:2], 16), int(code[2:4], 16), int(code[4:6], 16)


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """Blend ``a`` with ``share`` (0 to 1) of ``b``."""
    red, green, blue = (round(x + (y - x) * share) for x, y in zip(a, b, strict=True))
    return red, green, blue


@dataclass(frozen=True, slots=True)
class Theme:
    """Hold the colours of surfaces and texts by their role."""

    dark: bool
    page: Colour
    card: Colour
    sunken: Colour
    ink: Colour
    muted: Colour
    accent: Colour
    on_accent: Colour
    tint: Colour
    line: Colour
    danger: Colour
    star: Colour
    keys: Colour
    key: Colour
    scrim: Colour = (0, 0, 0)


LIGHT = Theme(
    dark=False,
    page=rgb("f4f5fa"),
    card=rgb("ffffff"),
    sunken=rgb("e6e8f0"),
    ink=rgb("1b1c20"),
    muted=rgb("5b5f6b"),
    accent=rgb("2258c9"),
    on_accent=rgb("ffffff"),
    tint=rgb("dbe5ff"),
    line=rgb("dcdee6"),
    danger=rgb("b3261e"),
    star=rgb("d98200"),
    keys=rgb("e4e7ee"),
    key=rgb("ffffff"),
)

DARK = Theme(
    dark=True,
    page=rgb("111318"),
    card=rgb("1e2027"),
    sunken=rgb("2b2e37"),
    ink=rgb("eceef4"),
    muted=rgb("a9aebb"),
    accent=rgb("a9c4ff"),
    on_accent=rgb("0b2a66"),
    tint=rgb("27395f"),
    line=rgb("353943"),
    danger=rgb("ffb4ab"),
    star=rgb("ffc04d"),
    keys=rgb("1a1c22"),
    key=rgb("353943"),
)
