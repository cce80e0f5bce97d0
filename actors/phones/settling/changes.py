"""Compare looks at a screen and whole screenshots, except for regions that change by themselves.

A look is compared as a small grey picture without the status bar, whose clock and signs change by themselves.
Differences are returned as square tiles. A caret's blink is no change. A tile that changes in every look for long
enough (a video, a progress spinner) is restless. Changes of restless tiles do not count; changes of other tiles still
do.

Two screenshots are compared at full resolution: one more letter, a switch, or a digit in a badge is a difference. Every
pixel counts unless it is in the status bar, in a region that kept changing by itself at both screenshots, or in a
caret's blink. A typed l or | looks like a caret. So a difference is taken for a caret only where it cannot be a typed
letter: see :func:`same`.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Frame, ModelImage, Rgb, content_id, encode_jpeg
from manyhands.protocol.errors import CaptureFailed
from manyhands.protocol.screens.geometry import Size

SHORTEST_SIDE = 32
"""The least pixels of a screen's side: a watch has some 200, and no model recognises anything on fewer."""

MOST_MASKED = 0.5
"""If a larger share of a screen than this changes by itself, the screen never counts as the same."""
FILLED = 0.9
"""The least share of a caret's box that its blink changes: a caret is a plain bar, most letters are not."""

Grey = NDArray[np.uint8]
"""Luminance of a whole frame, shape (height, width)."""
Thumbnail = NDArray[np.uint8]
"""Grey, a quarter as wide and high, without the status bar."""
Tiles = NDArray[np.bool_]
"""Shape (ceil(height / TILE), ceil(width / TILE)) of a thumbnail."""

SHRINK = 4
"""How many times smaller thumbnails are on each side."""
TILE = 8
"""The side of a tile in thumbnail pixels."""
STATUS_BAR_SHARE = 0.04
"""Share of the height that is omitted at the top."""
NOISE_LEVEL = 1
"""Grey levels by which a thumbnail's pixel must differ to count."""
NOISE_SHARE = 0.0001
"""Share of a thumbnail's pixels that may differ while two still agree: 15 pixels for a 1080x2400 phone."""
DPS_ACROSS = 400
"""The approximate shorter side of a phone in dp: most have 360 to 412."""
CARET_DP = (3, 8, 40)
"""A caret's greatest width, and its least and greatest height."""
RESTLESS_S = 1.8
"""A tile is restless if it changed in every look for this long; the longest ordinary transitions take 1.5 s."""
RESTLESS_LOOKS = 5
"""A restless tile must have changed in at least this many looks, because a few looks far apart prove nothing."""
STILL_S = 0.3
"""A tile that kept still for this long, and in two looks, is no longer restless."""


def status_bar(height: int) -> int:
    """Return how many rows of a screen are omitted at the top."""
    return round(height * STATUS_BAR_SHARE)


def grey(pixels: NDArray[np.uint8]) -> Grey:
    """Return the luminance of uint8 pixels of shape (height, width, 3 or 4), RGB or RGBA."""
    code = cv2.COLOR_RGBA2GRAY if pixels.shape[2] == 4 else cv2.COLOR_RGB2GRAY
    return np.asarray(cv2.cvtColor(pixels, code), dtype=np.uint8)


def thumbnail(whole: Grey) -> Thumbnail:
    """Return the thumbnail of a whole frame's luminance."""
    height, width = whole.shape
    body = whole[status_bar(height) :]
    size = (max(1, width // SHRINK), max(1, body.shape[0] // SHRINK))
    return np.asarray(cv2.resize(body, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def dp(shape: tuple[int, ...]) -> float:
    """Return approximately how many pixels of a picture of this height and width make a dp."""
    return min(shape[:2]) / DPS_ACROSS


def changed_tiles(one: Thumbnail, other: Thumbnail) -> Tiles:
    """Return where two thumbnails of one size differ by more than the noise."""
    if one is other:  # looks with the same bytes share one frame
        return np.zeros((-(-one.shape[0] // TILE), -(-one.shape[1] // TILE)), np.bool_)
    _, differs = cv2.threshold(cv2.absdiff(one, other), NOISE_LEVEL, 255, cv2.THRESH_BINARY)
    height, width = differs.shape
    below, beside = -height % TILE, -width % TILE
    padded = cv2.copyMakeBorder(differs, 0, below, 0, beside, cv2.BORDER_CONSTANT, value=0)
    # One pixel of 64 at 255 makes a mean of 4, so no difference is lost; numpy's any() over tiles takes three times as
    # long.
    mean = cv2.resize(padded, (padded.shape[1] // TILE, padded.shape[0] // TILE), interpolation=cv2.INTER_AREA)
    return np.asarray(mean > 0, dtype=np.bool_)


def grown(tiles: Tiles) -> Tiles:
    """Return the tiles and all their neighbours."""
    wider = cv2.dilate(tiles.astype(np.uint8), np.ones((3, 3), np.uint8))
    return np.asarray(wider > 0, dtype=np.bool_)


def same_place(one: Tiles, other: Tiles) -> bool:
    """Return whether two changes touched the same tiles, or neighbours of them."""
    return not (one & ~grown(other)).any() and not (other & ~grown(one)).any()


def negligible(one: Thumbnail, other: Thumbnail, counted: Tiles) -> bool:
    """Return whether the difference within ``counted`` tiles is only a caret's blink or noise."""
    pixels = np.repeat(np.repeat(counted, TILE, axis=0), TILE, axis=1)[: one.shape[0], : one.shape[1]]
    differs = ((cv2.absdiff(one, other) > NOISE_LEVEL) & pixels).astype(np.uint8)
    if int(np.count_nonzero(differs)) <= NOISE_SHARE * one.size:
        return True
    _, _, width, height = cv2.boundingRect(differs)
    widest, low, high = (size * dp(one.shape) for size in CARET_DP)
    # A drawn shape may touch one more pixel of a thumbnail on each side.
    return bool(width <= widest + 2 and low - 1 <= height <= high + 2)


class RestlessTiles:
    """Track which tiles keep changing by themselves. Times are seconds of any clock.

    ``restless``: tiles that were restless at the last screenshot. They count as restless again while they continue. A
    moving object leaves and enters tiles, so a tile continues while a neighbour changes.
    """

    def __init__(self, shape: tuple[int, ...], at: float, restless: Tiles | None = None) -> None:
        self._began = np.full(shape, np.inf)
        self._last = np.full(shape, -np.inf)
        self._changes = np.zeros(shape, np.int64)
        self._missed = np.zeros(shape, np.int64)
        if restless is not None and restless.shape == shape:
            self._began[restless] = at - RESTLESS_S
            self._last[restless] = at
            self._changes[restless] = RESTLESS_LOOKS

    def saw(self, at: float, changed: Tiles) -> None:
        """Record where a look at ``at`` differs from the look before it."""
        near = grown(changed) if changed.any() else changed
        self._missed = np.where(near, 0, self._missed + 1)
        over = (self._missed >= 2) & (self._last < at - STILL_S)
        self._began[over], self._changes[over] = np.inf, 0
        self._began[near & np.isinf(self._began)] = at
        self._last[near] = at
        self._changes[near] += 1

    def now(self) -> Tiles:
        """Return the tiles that were restless at the last look."""
        # Slightly less, because times are sums.
        for_long = self._last - self._began >= RESTLESS_S - 1e-6
        return np.asarray(for_long & (self._changes >= RESTLESS_LOOKS), dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class ComparableScreenshot:
    """Hold what is compared of a screenshot. ``restless``: tiles (of its thumbnail) that changed by themselves.

    ``caret``: characters before the caret, as the phone prints it; None if the phone prints none.
    """

    content_id: str
    grey: Grey
    restless: Tiles | None
    caret: int | None


def same(before: ComparableScreenshot, after: ComparableScreenshot, touched: bool) -> bool:
    """Return whether ``after`` shows the same as ``before``. ``touched``: something was sent to the phone in between.

    A difference counts as a caret's blink if the phone prints the same caret position as before (then nothing was
    typed), or if nothing was sent.
    """
    if before.content_id == after.content_id:
        return True
    if before.grey.shape != after.grey.shape:
        return False
    top = status_bar(before.grey.shape[0])
    differs = cv2.absdiff(before.grey[top:], after.grey[top:])
    if before.restless is not None and after.restless is not None:
        masked = grown(before.restless) & grown(after.restless)
        if masked.mean() > MOST_MASKED:
            return False
        _clear(differs, masked)
    if not cv2.hasNonZero(differs):
        return True
    stands = before.caret is not None and before.caret == after.caret
    return (stands or not touched) and _is_caret(differs)


def _clear(differs: Grey, masked: Tiles) -> None:
    side = SHRINK * TILE
    for row, column in np.argwhere(masked):
        differs[row * side : (row + 1) * side, column * side : (column + 1) * side] = 0


def _is_caret(differs: Grey) -> bool:
    """Return whether the whole difference is one plain upright bar of a caret's size."""
    _, _, width, height = cv2.boundingRect(differs)
    widest, low, high = (size * dp(differs.shape) for size in CARET_DP)
    filled = cv2.countNonZero(differs) / (width * height)
    return bool(width <= max(1, round(widest)) and low <= height <= high and height >= 4 * width and filled >= FILLED)


@dataclass(frozen=True, slots=True, eq=False)
class DecodedFrame:
    """Hold a frame and the data by which it is compared.

    Of the last screenshot's frame, everything but the coloured pixels is kept.

    ``received``: the bytes that the phone sent; for raw pixels, only until the screenshot is finished. ``rgb`` is None
    if the bytes were already known, and after the screenshot.
    """

    received: bytes | memoryview | None
    rgb: Rgb | None
    grey: Grey
    thumbnail: Thumbnail
    size: Size
    image: ModelImage | None = None

    def frame(self) -> Frame:
        """Return the frame to hand out."""
        if isinstance(self.received, bytes):
            return Frame("png", self.received)
        assert self.rgb is not None, "raw pixels are dropped only once the frame was handed out"
        return Frame("rgb", self.rgb)


def find_known(received: memoryview, earlier: tuple[DecodedFrame, ...]) -> DecodedFrame | None:
    """Return the known frame whose bytes arrived again, perhaps after a warning; None if there is none."""
    return next((each for each in earlier if each.received is not None and _ends_with(received, each.received)), None)


def decode_frame(frame: Frame, received: memoryview | None = None) -> DecodedFrame:
    """Decode a frame. ``received``: the bytes of a frame in raw pixels, if it should be recognised later.

    Raises CaptureFailed for bytes that are no picture, and for a picture that is no screen.
    """
    rgb = frame.rgb()
    height, width = rgb.shape[:2]
    if min(height, width) < SHORTEST_SIDE:
        raise CaptureFailed(f"a picture of {width}x{height} is no screen, whose sides have {SHORTEST_SIDE} at least")
    luminance = grey(rgb)
    own = frame.data if isinstance(frame.data, bytes) else received
    return DecodedFrame(own, rgb, luminance, thumbnail(luminance), Size(width=width, height=height))


def _ends_with(data: memoryview, ending: bytes | memoryview) -> bool:
    """Return whether ``data`` is ``ending``, perhaps after a warning."""
    # numpy compares eight bytes at a time, a memoryview compares one
    if len(data) < len(ending):
        return False
    data = data[len(data) - len(ending) :]
    cut = len(ending) // 8 * 8
    same = np.array_equal(np.frombuffer(data[:cut], np.uint64), np.frombuffer(ending[:cut], np.uint64))
    return bool(same) and data[cut:] == ending[cut:]


def make_model_image(frame: DecodedFrame, last: DecodedFrame | None) -> ModelImage:
    """Return the model's JPEG of a frame, or that of ``last`` if the pixels are the same."""
    if frame.rgb is None:
        assert frame.image is not None, "a frame without pixels is one that was known"
        return frame.image
    content = content_id(frame.rgb)
    if last is not None and last.image is not None and last.image.content_id == content:
        return last.image
    return ModelImage(content, encode_jpeg(frame.rgb))
