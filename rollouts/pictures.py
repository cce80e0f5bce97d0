"""Make the pictures of a run's requests again, byte for byte as they were sent."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from manyhands.actors.frames import Rgb, content_id, decode_png, encode_jpeg, is_painted, make_jpeg, paint_over
from manyhands.evaluation.recorded_calls import shown_ids
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import CaptureFailed, StoreError, store_error
from manyhands.protocol.screens.crops import parse_content_id
from manyhands.protocol.screens.geometry import Box

KEPT_PICTURES = 32
"""The number of JPEGs that are cached. Requests close to each other show the same screenshots."""


class Pictures:
    """Make the JPEGs of a run's screenshots again, exactly as at capture. Several threads may do so at once."""

    def __init__(self, run: RunFolder) -> None:
        self._run = run
        self._jpeg = functools.lru_cache(KEPT_PICTURES)(self._encode)

    def of(self, request: Mapping[str, Any]) -> dict[str, bytes]:
        """Return the JPEG of each picture that a request shows, by content id. Blocks. Raises StoreError."""
        return {content: self._jpeg(content) for content in shown_ids(request)}

    def jpeg(self, content: str, boxes: tuple[Box, ...] = ()) -> bytes:
        """Return the JPEG of the picture with this content id. Blocks. Raises StoreError.

        ``boxes`` are painted over on its screenshot before that is encoded.
        """
        return self._jpeg(content, boxes)

    def _encode(self, content: str, boxes: tuple[Box, ...] = ()) -> bytes:
        content_address = parse_content_id(content)
        if content_address.source != content:
            try:
                return make_jpeg(self._jpeg(content_address.source, boxes), content_address)
            except CaptureFailed as error:
                raise StoreError(f"{self._run.path}: {content} cannot be made again: {error}") from error
        return encode_jpeg(paint_over(read_screen(self._run, content), boxes))


def read_screen(run: RunFolder, content: str) -> Rgb:
    """Return the pixels of a run's screenshot. Blocks. Raises StoreError if they are missing, damaged or others.

    Those that were painted over before they were stored are no others.
    """
    where = f"{run.path}: screens/{content}.png"
    try:
        png = run.screen_png(content)
    except OSError as error:
        raise store_error(error, f"{where} cannot be read") from error
    if png is None:
        raise StoreError(f"{where} is missing")
    try:
        rgb = decode_png(png)
    except CaptureFailed as error:
        raise StoreError(f"{where} is damaged: {error}") from error
    if content_id(rgb) != content and not is_painted(png):
        raise StoreError(f"{where} holds other pixels than its name says")
    return rgb
