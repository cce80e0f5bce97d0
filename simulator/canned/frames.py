"""Encode pictures once, and stamp them so that any number of them differ, without encoding them again.

Each frame is one of a few pages with a stamp in its top rows: blocks whose grey levels spell a number. A stamp costs a
copy, not an encoding. In a PNG the stamped rows are a deflate block of their own. The block of the page's other rows,
which was compressed once, follows it.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.simulator.phone.device import Frame
from manyhands.simulator.system.capture import encode_raw

PAGES = 6
STAMP_ROWS = 8
"""The height of the stamp in rows. It lies within the status bar of a phone of any size, so no page looks changed."""
STAMP_BLOCKS = 32
"""Each block is one bit of the number."""
_DARK, _LIGHT = 40, 215
_PNG_START = b"\x89PNG\r\n\x1a\n"
_ZLIB_START = b"\x78\x01"
_COMPRESSION = 1

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Page:
    """Hold a page's pixels, its raw form, and the part of its PNG after the stamped rows.

    ``rows``: unfiltered scanlines below the stamp. ``deflated``: the same rows as a last raw deflate block.
    """

    rgb: Pixels
    raw: bytes
    rows: bytes
    deflated: bytes


def page(width: int, height: int, number: int) -> Page:
    """Draw page ``number``: a coloured bar with a title, and rows of words below it."""
    rgb = _drawn(width, height, number)
    rows = _scanlines(rgb[STAMP_ROWS:])
    packer = zlib.compressobj(_COMPRESSION, wbits=-15)
    return Page(rgb, bytes(encode_raw(rgb)), rows, packer.compress(rows) + packer.flush())


def stamped(source: Page, number: int) -> Frame:
    """Return a frame: the page with ``number`` (up to 32 bits) as its stamp. ``number`` is also the frame's version."""
    stamp = _stamp(source.rgb.shape[1], number)
    rgb = source.rgb.copy()
    rgb[:STAMP_ROWS] = stamp
    rgb.flags.writeable = False
    raw = bytearray(source.raw)
    header = len(raw) - 4 * rgb.shape[0] * rgb.shape[1]
    rgba = np.dstack((stamp, np.full(stamp.shape[:2], 255, np.uint8)))
    raw[header : header + rgba.nbytes] = rgba.tobytes()
    return Frame(rgb, number, png=memoryview(_png(source, stamp)), raw=memoryview(raw))


def _stamp(width: int, number: int) -> Pixels:
    bits = (number >> np.arange(STAMP_BLOCKS)) & 1
    levels = np.where(bits == 1, _LIGHT, _DARK).astype(np.uint8)
    row = levels[np.arange(width) * STAMP_BLOCKS // width]
    return np.broadcast_to(row[None, :, None], (STAMP_ROWS, width, 3))


def _png(source: Page, stamp: Pixels) -> bytes:
    rows = _scanlines(stamp)
    packer = zlib.compressobj(_COMPRESSION, wbits=-15)
    begun = packer.compress(rows) + packer.flush(zlib.Z_FULL_FLUSH)
    check = zlib.adler32(source.rows, zlib.adler32(rows))
    data = b"".join((_ZLIB_START, begun, source.deflated, struct.pack(">I", check)))
    height, width = source.rgb.shape[:2]
    head = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    return b"".join((_PNG_START, _chunk(b"IHDR", head), _chunk(b"IDAT", data), _chunk(b"IEND", b"")))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return b"".join((struct.pack(">I", len(data)), kind, data, struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))))


def _scanlines(rgb: Pixels) -> bytes:
    """Return rows in PNG's form without a filter: a byte 0 before each row."""
    height, width = rgb.shape[:2]
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = rgb.reshape(height, -1)
    return rows.tobytes()


def _drawn(width: int, height: int, number: int) -> Pixels:
    draw = np.random.default_rng(number)
    rgb = np.full((height, width, 3), 246, np.uint8)
    bar, line = height // 9, max(24, height // 16)
    rgb[:bar] = draw.integers(60, 200, 3)
    scale = line / 48
    cv2.putText(
        rgb, f"Canned page {number}", (width // 20, bar * 2 // 3), cv2.FONT_HERSHEY_SIMPLEX, scale, (255,) * 3, 1
    )
    for top in range(bar + line // 2, height - line, 2 * line):
        icon = tuple(int(level) for level in draw.integers(40, 220, 3))
        cv2.rectangle(rgb, (width // 20, top), (width // 20 + line // 2, top + line // 2), icon, -1)
        words = " ".join("".join(map(chr, draw.integers(97, 123, 6))) for _ in range(2))
        place = (width // 20 + line, top + line * 2 // 5)
        cv2.putText(rgb, words, place, cv2.FONT_HERSHEY_SIMPLEX, scale, (30, 30, 30), 1)
    return rgb
