"""Read one frame from start to end on a worker's thread."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from manyhands.actors.frames import Frame, Rgb
from manyhands.actors.perception.arrangement import merge, reading_order
from manyhands.actors.perception.backends import Backends, UnreadPart
from manyhands.actors.perception.icons.boxes import without_bullets
from manyhands.actors.perception.page_matching import Page, PageMatch, match
from manyhands.actors.perception.rows import RowHasher, Rows
from manyhands.actors.perception.screen_state import ScreenState
from manyhands.actors.perception.text.pads import find_pad
from manyhands.protocol.errors import ManyhandsError, PerceptionError
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element

Kind = Literal["full", "part", "scrolled", "unchanged"]
"""How a picture was read. ``full``: all of it. ``part``: only the rows that no earlier page has. ``scrolled``: the
same, and some texts came from other places of an earlier page. ``unchanged``: nothing, because earlier pages have all
rows."""


@dataclass(frozen=True, slots=True)
class Content:
    """Hold the content of a picture's pixels, without what the phone reports.

    ``timings_ms`` has the stages queue, decode, compare (if there were pages to compare with), text, icons, names (if
    there is a namer), merge and state. ``read_share``: the share of the picture's rows that had to be read. ``page``:
    its rows and texts, for comparisons with later pictures.
    """

    elements: tuple[Element, ...]
    state: ScreenState
    timings_ms: dict[str, float]
    kind: Kind = "full"
    read_share: float = 1.0
    page: Page | None = None


@dataclass(frozen=True, slots=True)
class PageHistory:
    """Hold the pages to compare a picture with, the newest first. ``hasher`` made all their hashes."""

    hasher: RowHasher
    pages: tuple[Page, ...]
    most_open: float
    """From this share of open rows on, a picture is read in full."""

    def known(self, rows: Rows) -> PageMatch | None:
        """Return the match with earlier pages. Return None if the picture is to be read in full."""
        page_match = match(rows, self.pages)
        return page_match if page_match.carried and page_match.open_share < self.most_open else None


class Stopwatch:
    """Measure milliseconds between calls of ``lap``, by name."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = (now - self._last) * 1000
        self._last = now


def read_frame(
    backends: Backends, frame: Frame, size: Size, watch: Stopwatch, past: PageHistory | None = None
) -> Content:
    """Read a frame. ``past``: pages to compare with. Without ``past``, the frame is read in full and no page is made.

    Raises PerceptionError for a damaged frame, a frame of another size, and every error of a backend.
    """
    try:
        rgb = frame.rgb()
        watch.lap("decode")
        if rgb.shape != (size.height, size.width, 3):
            raise PerceptionError(f"the frame has shape {rgb.shape}, its screenshot says {size.width}x{size.height}")
        rows = None if past is None else past.hasher.rows(rgb)
        page_match = None if past is None or rows is None else past.known(rows)
        if past is not None:
            watch.lap("compare")
        texts = _texts(backends, rgb, page_match)
        watch.lap("text")
        icons = without_bullets(backends.icons.find(rgb, texts), [text.box for text in texts])
        pad = find_pad(texts)
        if pad is not None:
            icons = pad.without_keys(icons)
        watch.lap("icons")
        if backends.names is not None:
            icons = backends.names.name_icons(rgb, icons)
            watch.lap("names")
        elements = merge(texts, icons, size)
        watch.lap("merge")
        state = backends.state(rgb, texts, icons)
        watch.lap("state")
    except PerceptionError:
        raise
    except ManyhandsError as error:
        raise PerceptionError(f"the frame cannot be read: {error}") from error
    except Exception as error:  # engines and OpenCV raise types of their own
        raise PerceptionError(f"a perception backend failed: {type(error).__name__}: {error}") from error
    page = None if rows is None else Page(rows, tuple(texts))
    if page_match is None:
        return Content(elements, state, watch.laps, page=page)
    return Content(elements, state, watch.laps, _kind(page_match), page_match.open_share, page)


def _texts(backends: Backends, rgb: Rgb, page_match: PageMatch | None) -> list[Element]:
    if page_match is None:
        return backends.text.read(rgb)
    texts = (
        backends.text.read(rgb, UnreadPart(page_match.open_rows, page_match.carried))
        if page_match.open_rows.any()
        else []
    )
    return reading_order([*page_match.carried, *texts])


def _kind(page_match: PageMatch) -> Kind:
    if page_match.scrolled:
        return "scrolled"
    return "part" if page_match.open_rows.any() else "unchanged"
