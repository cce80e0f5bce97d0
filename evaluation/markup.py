"""Make pieces of HTML and Markdown pages. Texts of a model, a phone or a run stay texts there, never markup."""

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
DAMAGED_PNG = (OSError, ValueError, SyntaxError, EOFError, struct.error, zlib.error, Image.DecompressionBombError)
"""What the decoder raises for bytes that are no picture."""
_log = logging.getLogger(__name__)


def page_templates(*packages: str) -> jinja2.Environment:
    """Return the templates in the folders ``templates/`` of packages. Among equal names, the first package's wins."""
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )


def escaped(text: str) -> str:
    """Return a text on one line, escaped so that Markdown and HTML show it as text."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    yield _row(columns)
    yield _row("---" for _ in columns)
    yield from map(_row, rows)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(escaped, cells))} |"


def embed_pictures(run: RunFolder, ids: Sequence[str], width: int = PICTURE_WIDTH) -> Mapping[str, str]:
    """Return small JPEGs in base64, by content id. Leave out screens that are missing or damaged."""
    pictures = {}
    for content_id in ids:
        png = run.screen_png(content_id)
        if png is None:
            continue
        try:
            jpeg = small_jpeg(png, width)
        except DAMAGED_PNG as error:
            _log.warning("the report of %s lacks screen %s, its PNG is damaged: %s", run.path, content_id, error)
            continue
        pictures[content_id] = base64.b64encode(jpeg).decode()
    return pictures


def small_jpeg(png: bytes, width: int = PICTURE_WIDTH) -> bytes:
    """Return a picture as a JPEG of at most ``width`` pixels' width. Raises one of ``DAMAGED_PNG``."""
    with Image.open(io.BytesIO(png)) as picture:
        small = picture.convert("RGB")
    small.thumbnail((width, width * 4))
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=JPEG_QUALITY)
    return buffer.getvalue()
