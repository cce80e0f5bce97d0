"""Convert between pixels of the screenshot and a model family's dialect: its coordinates and picture sizes.

Numbers do not show in which coordinate space they are, so the space is a setting. Here a pixel is an index from 0 to
size - 1. A model's coordinate runs over the same side from 0 to the space's extent, and the extent itself means the
last pixel. A coordinate outside is refused, not clamped: a model that writes pixels where 0 to 1000 was asked would tap
an element far away.

For each axis, with a side of s pixels and an extent of e units:

- e >= s: pixel -> model -> pixel gives the same pixel.
- s >= e: model -> pixel -> model gives the same unit, but for the far edge e, which means the last pixel and is
  converted back to e or e - 1.
- otherwise a conversion and its inverse differ by the rounding of the coarser grid: at most s / (2 e) + 1/2 pixels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from manyhands.actors.mllm.vocabulary import (
    AUTOGLM,
    GELAB,
    HOLO,
    MAI_UI,
    MOBILE_USE,
    PLAIN,
    UI_TARS,
    UI_VENUS,
    UI_VENUS_15,
)
from manyhands.protocol.errors import BadInput, ManyhandsError
from manyhands.protocol.screens.geometry import Size


class OutsideScreen(ManyhandsError):
    """Signal coordinates outside the model's screen."""

    code = "outside_screen"


@dataclass(frozen=True, slots=True)
class Dialect:
    """Hold a model family's convention. ``size`` is always the screenshot's, in pixels.

    The family's processor resizes a picture before the model sees it (smart_resize of transformers 5.19). The processor
    makes the sides multiples of ``factor`` (patch size times merge size, in pixels). It also brings the area between
    the two limits, which are numbers of pixels. Each square of ``factor`` pixels takes one token.
    """

    name: str
    factor: int
    min_pixels: int
    max_pixels: int
    full: int | None = None
    """The end of the coordinates on each side, whatever the picture's size (Qwen3-VL: 1000).

    None: coordinates are pixels of the resized picture (Qwen2.5-VL).
    """
    form: str = MOBILE_USE
    """The form in which the family writes actions by its training."""
    keeps_thoughts: bool = False
    """Whether thoughts that a server has split off are put back in that form, and shown to the model in later steps."""

    @property
    def explanation(self) -> str:
        """Return one sentence for the prompt that says what the numbers mean."""
        if self.full is None:
            return "x and y are pixels of the picture as you see it, counted from its left top corner."
        return (
            f"x runs from 0 at the left edge to {self.full} at the right edge, y from 0 at the top to {self.full} at "
            "the bottom, whatever the size of the picture."
        )

    def writes_as(self, other: Dialect) -> bool:
        """Return whether both families write the same coordinates, as far as no server caps the pictures."""
        return (self.full, self.full or self.factor) == (other.full, other.full or other.factor)

    def extent(self, size: Size) -> Size:
        """Return the largest x and y that the model may write."""
        return self.input_size(size) if self.full is None else Size(width=self.full, height=self.full)

    def input_size(self, size: Size) -> Size:
        """Return the size of the picture as the model's processor resizes it, in pixels.

        Each side becomes the nearest multiple. If the area is then out of bounds, the picture is scaled, and the sides
        are rounded down (too large) or up (too small).
        """
        sides = (size.width, size.height)
        width, height = (round(side / self.factor) * self.factor for side in sides)
        if width * height > self.max_pixels:
            shrink = math.sqrt(size.width * size.height / self.max_pixels)
            width, height = (max(self.factor, math.floor(side / shrink / self.factor) * self.factor) for side in sides)
        elif width * height < self.min_pixels:
            grow = math.sqrt(self.min_pixels / (size.width * size.height))
            width, height = (math.ceil(side * grow / self.factor) * self.factor for side in sides)
        return Size(width=width, height=height)

    def image_tokens(self, size: Size) -> int:
        """Return how many tokens the picture takes in a prompt, without the marks around it."""
        size_fed = self.input_size(size)
        return (size_fed.width // self.factor) * (size_fed.height // self.factor)

    def capped(self, max_pixels: int) -> Dialect:
        """Return the same family for a server with this cap on a picture's pixels. Raises BadInput."""
        if max_pixels < self.factor**2:
            raise BadInput(f"a pixel cap of {max_pixels} leaves no picture; the least is {self.factor**2}")
        return replace(self, max_pixels=max_pixels)


_FAMILIES: tuple[Dialect, ...] = (
    *(Dialect(name, 32, 256 * 256, 16384 * 32 * 32, full=1000) for name in ("qwen3-vl", "qwen3.5", "gui-owl-1.5")),
    Dialect("holo-3.1", 32, 256 * 256, 16384 * 32 * 32, full=1000, form=HOLO),
    Dialect("gelab-zero", 32, 256 * 256, 16384 * 32 * 32, full=1000, form=GELAB),
    Dialect("ui-venus-1.5", 32, 256 * 256, 16384 * 32 * 32, full=1000, form=UI_VENUS_15),
    Dialect("ui-venus-2", 32, 256 * 256, 16384 * 32 * 32, full=1000, form=UI_VENUS, keeps_thoughts=True),
    Dialect("mai-ui", 32, 256 * 256, 16384 * 32 * 32, full=1000, form=MAI_UI),
    Dialect("autoglm-phone", 28, 112 * 112, 6144 * 28 * 28, full=1000, form=AUTOGLM),
    Dialect("qwen2.5-vl", 28, 56 * 56, 16384 * 28 * 28),
    Dialect("gui-owl", 28, 56 * 56, 12_800 * 28 * 28),
    Dialect("ui-tars-1.5", 28, 100 * 28 * 28, 16384 * 28 * 28, form=UI_TARS),
    # Sees no pictures, and names places by the numbers of a list.
    Dialect("plain-chat", 32, 256 * 256, 16384 * 32 * 32, full=1000, form=PLAIN),
)
DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in _FAMILIES}
_FOLLOWERS = {
    "qwen3.6": "qwen3.5",
    "qwen3.8": "qwen3.5",
    "ui-voyager": "qwen3-vl",
    "forgeqwen3": "qwen3-vl",
    "forgeowl": "gui-owl-1.5",
    "holo4": "holo-3.1",
    "smollm2": "plain-chat",
}
"""Families that write as another one does: later versions, and models that were trained on in its form."""


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


_BY_PLAIN_NAME = {_plain(name): DIALECTS[base] for name, base in ({one: one for one in DIALECTS} | _FOLLOWERS).items()}


def dialect_named(name: str, max_pixels: int | None = None) -> Dialect:
    """Return the dialect of a family, or of one that writes as it does.

    In a name, ``_``, ``.`` and ``-`` are equal, and so are upper and lower case.

    ``max_pixels``: the server's cap on a picture's pixels; None means the family's own. Raises BadInput that lists the
    known names.
    """
    dialect = _BY_PLAIN_NAME.get(_plain(name))
    if dialect is None:
        raise BadInput(f"unknown dialect {name!r}; known are {', '.join(DIALECTS)}")
    return dialect if max_pixels is None else dialect.capped(max_pixels)


def dialect_of(model: str) -> Dialect | None:
    """Return the dialect of the family whose name begins a model's name, as in ``UI-TARS-1.5-7B``; None if unknown."""
    name = _plain(model.rpartition("/")[2])
    family = max((one for one in _BY_PLAIN_NAME if f"{name}-".startswith(f"{one}-")), key=len, default=None)
    return None if family is None else _BY_PLAIN_NAME[family]


def to_pixel(dialect: Dialect, x: int, y: int, size: Size) -> tuple[int, int]:
    """Return the pixel at a model's (x, y). Raises OutsideScreen."""
    extent = dialect.extent(size)
    if not (0 <= x <= extent.width and 0 <= y <= extent.height):
        raise OutsideScreen(f"({x}, {y}) is outside the screen, {extent.width} x {extent.height} in your units")
    return _pixel(x, extent.width, size.width), _pixel(y, extent.height, size.height)


def to_model(dialect: Dialect, x: int, y: int, size: Size) -> tuple[int, int]:
    """Return the model's coordinates of pixel (x, y). A pixel outside the screen becomes the nearest edge."""
    extent = dialect.extent(size)
    return _unit(x, extent.width, size.width), _unit(y, extent.height, size.height)


def _pixel(value: int, extent: int, side: int) -> int:
    return min(_divide(value * side, extent), side - 1)


def _unit(value: int, extent: int, side: int) -> int:
    return min(max(_divide(value * extent, side), 0), extent)


def _divide(numerator: int, denominator: int) -> int:
    """Return a quotient rounded to the nearest integer, halves up, without floating-point numbers."""
    return (2 * numerator + denominator) // (2 * denominator)
