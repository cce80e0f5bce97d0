"""How pages look: fonts, sizes, colours, distances. Each part of the pages has fonts and site designs of its own."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal, get_args

Part = Literal["develop", "choose", "check"]
"""Rules and weights are made on the first, chosen on the second; the third is looked at to say how good they are."""
PARTS: tuple[Part, ...] = get_args(Part)

FONTS: dict[Part, tuple[tuple[str, str], ...]] = {
    "develop": (
        ("Roboto", "Noto Sans CJK SC"),
        ("DejaVu Serif", "Noto Sans CJK SC"),
        ("Roboto Condensed", "Noto Sans CJK SC"),
    ),
    "choose": (("Liberation Sans", "Noto Serif CJK SC"), ("DejaVu Sans", "Noto Serif CJK SC")),
    "check": (
        ("Inter", "WenQuanYi Micro Hei"),
        ("Liberation Serif", "AR PL UKai CN"),
        ("Comic Neue", "WenQuanYi Micro Hei"),
    ),
}
"""Families for Latin and for Chinese type."""
_GROUNDS: dict[Part, tuple[tuple[str, str, str, str], ...]] = {
    "develop": (("#fff", "#1d1d1f", "#6b7280", "#0a66c2"), ("#121417", "#e8eaed", "#9aa0a6", "#8ab4f8")),
    "choose": (("#faf7f2", "#2b2622", "#8a7f75", "#a0522d"), ("#000", "#f5f5f5", "#8e8e93", "#0a84ff")),
    "check": (("#f4f6f8", "#0b1f33", "#7b8794", "#0f7b6c"), ("#1b1b2f", "#eaeaea", "#a3a3b5", "#f4a261")),
}
"""Ground, ink, pale ink, colour of links."""
_SHAPES: dict[Part, tuple[str, ...]] = {
    "develop": ("plain", "cards"),
    "choose": ("ruled",),
    "check": ("boxed", "airy"),
}


@dataclass(frozen=True, slots=True)
class Design:
    """Hold how one page looks; lengths in CSS pixels."""

    fonts: tuple[str, str]
    ground: str
    ink: str
    pale: str
    link: str
    shape: str
    size: float
    """Of running text."""
    line: float
    """Height of a line, in sizes of the type."""
    gap: float
    """Between controls in a row, in sizes of the type."""
    width: int
    height: int
    density: float

    @classmethod
    def draw(cls, random: Random, part: Part) -> Design:
        """Return a design of a part."""
        ground, ink, pale, link = random.choice(_GROUNDS[part])
        return cls(
            fonts=random.choice(FONTS[part]),
            ground=ground,
            ink=ink,
            pale=pale,
            link=link,
            shape=random.choice(_SHAPES[part]),
            size=random.choice((12, 13, 14, 15, 16, 18)),
            line=random.choice((1.25, 1.4, 1.6)),
            gap=random.choice((0.55, 0.7, 0.9, 1.2, 1.6)),
            width=random.choice((360, 390, 412)),
            height=random.choice((740, 800, 860)),
            density=random.choice((2.0, 2.625, 3.0)),
        )

    @property
    def style(self) -> str:
        """Return the page's style sheet."""
        families = ",".join(f"'{family}'" for family in self.fonts)
        return f"""
*{{box-sizing:border-box;margin:0;padding:0}}
body{{font-family:{families},sans-serif;font-size:{self.size}px;line-height:{self.line};color:{self.ink};
  background:{self.ground};width:{self.width}px;padding:{self.size}px}}
h1{{font-size:1.5em;line-height:1.25;margin-bottom:.5em}} h2{{font-size:1.15em;margin:.6em 0 .3em}}
a,.link{{color:{self.link};text-decoration:none}} .pale{{color:{self.pale}}} .small{{font-size:.82em}}
.row{{display:flex;gap:{self.gap}em;align-items:baseline;margin:.5em 0;flex-wrap:wrap}}
.between{{display:flex;justify-content:space-between;align-items:baseline;margin:.35em 0}}
.just{{text-align:justify;hyphens:auto}} p{{margin:.5em 0}}
.card{{{_CARDS[self.shape]};padding:.7em;margin:.5em 0}}
.grid{{display:grid;gap:.7em}} .two{{grid-template-columns:1fr 1fr}} .three{{grid-template-columns:1fr 1fr 1fr}}
.pic{{background:{self.pale};opacity:.35;height:5em;border-radius:4px;margin-bottom:.4em}}
.button{{display:inline-block;border:1px solid {self.pale};border-radius:1em;padding:.25em .8em}}
.full{{background:{self.link};color:{self.ground};border-color:{self.link}}}
.field{{border:1px solid {self.pale};border-radius:.5em;padding:.5em .7em;margin:.3em 0}}
.field{{display:flex;gap:.5em;align-items:center}}
.middle{{text-align:center}}
.mine{{margin-left:25%;text-align:left}} .theirs{{margin-right:25%}}
table{{border-collapse:collapse;width:100%}} td,th{{padding:.3em .35em;text-align:left}} td.n,th.n{{text-align:right}}
ul{{padding-left:1.3em}} li{{margin:.25em 0}} .figure{{font-size:1.7em;font-weight:700;line-height:1.2}}
svg{{width:1.1em;height:1.1em;flex:none}}
"""


_CARDS = {
    "plain": "border:0",
    "cards": "border-radius:10px;box-shadow:0 1px 4px #0004",
    "ruled": "border-bottom:1px solid #8886",
    "boxed": "border:1px solid #8888",
    "airy": "border:0;margin:1em 0!important",
}
