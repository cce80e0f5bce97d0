"""Pieces of HTML and Markdown pages: what a model, a phone or a run wrote is text in them, never markup."""

from __future__ import annotations

import base64
import io
import logging
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

import jinja2
from PIL import Image

from manyhands.evaluation.run_folder import RunFolder

PICTURE_WIDTH = 360
JPEG_QUALITY = 70
_DAMAGED_PNG = (OSError, ValueError, SyntaxError, EOFError, struct.error, zlib.error, Image.DecompressionBombError)
"""Errors of the decoder for bytes that are not a picture."""
_log = logging.getLogger(__name__)


def page_templates(*packages: str) -> jinja2.Environment:
    """Return the templates of the folders ``templates/`` of these packages; of equal names the first one's."""
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )


def escaped(text: str) -> str:
    """Return a text on one line, kept from being Markdown or HTML."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield _row(columns)
    yield _row("---" for _ in columns)
    yield from map(_row, rows)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(escaped, cells))} |"


def embed_pictures(run: RunFolder, ids: Sequence[str]) -> Mapping[str, str]:
    """Return small JPEGs as base64 by content id, without screens that were not written or are damaged."""
    pictures = {}
    for content_id in ids:
        png = run.screen_png(content_id)
        if png is None:
            continue
        try:
            jpeg = _small_jpeg(png)
        except _DAMAGED_PNG as error:
            _log.warning("the report of %s lacks screen %s, its PNG is damaged: %s", run.path, content_id, error)
            continue
        pictures[content_id] = base64.b64encode(jpeg).decode()
    return pictures


def _small_jpeg(png: bytes) -> bytes:
    with Image.open(io.BytesIO(png)) as picture:
        small = picture.convert("RGB")
    small.thumbnail((PICTURE_WIDTH, PICTURE_WIDTH * 4))
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=JPEG_QUALITY)
    return buffer.getvalue()
