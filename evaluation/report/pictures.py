"""Bring the pictures of a report: screens as they were taken, small ones for lists, and compact ones for one file."""

from __future__ import annotations

import base64
import io
import logging
from collections.abc import Iterable
from pathlib import Path

from PIL import Image

from manyhands.evaluation.markup import DAMAGED_PNG, small_jpeg
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.utilities import secure_files

SCREENS, THUMBNAILS = "screens", "thumbnails"
THUMBNAIL_WIDTH = 180
COMPACT_WIDTH, COMPACT_QUALITY = 540, 70
"""Of a picture in a report of one file."""
_log = logging.getLogger(__name__)


def make_thumbnails(run: RunFolder, ids: Iterable[str]) -> None:
    """Write the small pictures that the run folder lacks. Raises OSError."""
    secure_files.make_folder(run.path / THUMBNAILS)
    for content_id in ids:
        path = run.thumbnail_path(content_id)
        if not path.is_file() and (small := _thumbnail(run, content_id)) is not None:
            _write(path, small)


def copy_pictures(run: RunFolder, ids: Iterable[str], out: Path) -> None:
    """Copy screens and small pictures into another folder. Raises OSError."""
    for name in (SCREENS, THUMBNAILS):
        secure_files.make_folder(out / name)
    for content_id in ids:
        copy, small = out / SCREENS / f"{content_id}.png", out / THUMBNAILS / f"{content_id}.jpg"
        if not copy.is_file() and (png := run.screen_png(content_id)) is not None:
            _write(copy, png)
        if not small.is_file() and (jpeg := run.thumbnail_jpeg(content_id) or _thumbnail(run, content_id)) is not None:
            _write(small, jpeg)


def data_url(run: RunFolder, content_id: str) -> str | None:
    """Return a screen as a data: URL of moderate size; None if it is missing or damaged."""
    png = run.screen_png(content_id)
    if png is None:
        return None
    try:
        with Image.open(io.BytesIO(png)) as picture:
            rgb = picture.convert("RGB")
    except DAMAGED_PNG as error:
        _warn(run, content_id, error)
        return None
    rgb.thumbnail((COMPACT_WIDTH, COMPACT_WIDTH * 4), reducing_gap=2.0)
    buffer = io.BytesIO()
    rgb.save(buffer, "WEBP", quality=COMPACT_QUALITY, method=2)
    return f"data:image/webp;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def _thumbnail(run: RunFolder, content_id: str) -> bytes | None:
    png = run.screen_png(content_id)
    try:
        return None if png is None else small_jpeg(png, THUMBNAIL_WIDTH)
    except DAMAGED_PNG as error:
        _warn(run, content_id, error)
        return None


def _warn(run: RunFolder, content_id: str, error: Exception) -> None:
    _log.warning("the report of %s lacks screen %s, its PNG is damaged: %s", run.path, content_id, error)


def _write(path: Path, content: bytes) -> None:
    """Write a picture completely or not at all. Several processes may write the same one."""
    part = secure_files.part_path(path)
    secure_files.write_bytes(part, content)
    part.replace(path)
