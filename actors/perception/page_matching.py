"""Match a page with earlier pages: find the known rows, in place or shifted, and the texts on them.

A row is known if it is part of a run of rows that all equal those of one earlier page at one shift. Shift 0 means the
same place; other shifts mean that the page was scrolled. A text is carried over if all its rows, and a margin, lie in
such a run. If the end of a run cuts a text, the text's rows stay open. An open row has to be read. So a pixel row is
open if it differs from what was read before, or if it belongs to a text line with such a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from manyhands.actors.perception.rows import Mask, Rows, spans
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element

SHORTEST_RUN = 24
"""A run has at least so many rows. Fewer may be equal by chance."""
MARGIN = 2
"""So many rows beyond a text's box must be known, too, because the box ends at the ink's edge."""
TOUCHING = 3
"""The boxes of two texts of different pages may overlap by so many rows, although the texts do not overlap."""
THINNEST = 6
"""So many adjacent open rows may hold a text. Fewer are a line or a shadow."""
VOTES = 40
"""At least so many rows must agree on a shift."""
SHIFTS = 3
"""How many shifts are tried for one page."""
SHIFTED_PAGES = 4
"""How many of the newest pages are tried with shifts. Users seldom scroll back to older ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """Hold a page that was read: its rows and all its texts, before icons are merged in. A page equals only itself."""

    rows: Rows
    texts: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class PageMatch:
    """Hold the known part of a new page. ``open_rows``: the rows that still have to be read."""

    open_rows: Mask
    carried: tuple[Element, ...]
    scrolled: bool
    """Whether texts were carried to other places."""

    @property
    def open_share(self) -> float:
        return float(self.open_rows.mean()) if len(self.open_rows) else 0.0


@dataclass(frozen=True, slots=True)
class _Run:
    """State that rows ``first`` to ``end`` of a new page equal ``first - shift`` to ``end - shift`` of ``page``."""

    page: Page
    shift: int
    first: int
    end: int
    weight: int
    """The number of rows that are not blank."""


def match(rows: Rows, pages: Sequence[Page]) -> PageMatch:
    """Match a new page with ``pages``, the newest first. Skip pages of another size."""
    alike = [page for page in pages if len(page.rows) == len(rows) and page.rows.width == rows.width]
    matched_rows = np.zeros(len(rows), np.bool_)
    carried: list[Element] = []
    scrolled = False
    for run in sorted(_runs(rows, alike), key=lambda run: (run.weight, run.shift == 0), reverse=True):
        if matched_rows[run.first : run.end].all():
            continue
        settled, texts = _settle(run, matched_rows)
        if settled.any():
            scrolled = scrolled or (run.shift != 0 and bool(texts))
            carried += texts
            matched_rows |= settled
    open_rows = ~(matched_rows | rows.blank)
    for first, end in spans(open_rows):
        if end - first < THINNEST:
            open_rows[first:end] = False
    return PageMatch(open_rows, tuple(carried), scrolled)


def _runs(rows: Rows, pages: Sequence[Page]) -> Iterable[_Run]:
    for age, page in enumerate(pages):
        for shift in (0, *(shifts(rows, page.rows) if age < SHIFTED_PAGES else ())):
            for first, end in spans(equal_rows(rows, page.rows, shift)):
                weight = int(np.count_nonzero(~rows.blank[first:end]))
                if end - first >= SHORTEST_RUN and weight:
                    yield _Run(page, shift, first, end, weight)


def equal_rows(rows: Rows, old: Rows, shift: int) -> Mask:
    """Return which rows y of ``rows`` equal rows y - shift of ``old``, a page of the same size."""
    equal = np.zeros(len(rows), np.bool_)
    if shift >= 0:
        equal[shift:] = rows.hashes[shift:] == old.hashes[: len(old) - shift]
    else:
        equal[:shift] = rows.hashes[:shift] == old.hashes[-shift:]
    return equal


def shifts(rows: Rows, old: Rows) -> list[int]:
    """Return shifts other than 0 at which many rows are equal, the likeliest first. Rows unique in ``old`` vote."""
    unique, places, counts = np.unique(old.hashes, return_index=True, return_counts=True)
    open_rows = np.flatnonzero(~rows.blank)
    indices = np.minimum(np.searchsorted(unique, rows.hashes[open_rows]), len(unique) - 1)
    votes = (unique[indices] == rows.hashes[open_rows]) & (counts[indices] == 1)
    values, support = np.unique(open_rows[votes] - places[indices[votes]], return_counts=True)
    ranked = np.argsort(-support, kind="stable")
    return [int(values[rank]) for rank in ranked if values[rank] != 0 and support[rank] >= VOTES][:SHIFTS]


def _settle(run: _Run, matched_rows: Mask) -> tuple[Mask, list[Element]]:
    """Return the rows of ``run`` whose texts are all known, and those of their texts that are not on
    ``matched_rows`` already.

    If a text is cut, the texts beside it are given up, too, because rows are known only as a whole.
    """
    height, shift = len(matched_rows), run.shift
    settled = np.zeros(height, np.bool_)
    settled[run.first : run.end] = True
    # A text that the screen's edge cuts is the same in both pages if neither has moved.
    first = 0 if run.first == 0 and shift == 0 else run.first + MARGIN
    end = height if run.end == height and shift == 0 else run.end - MARGIN
    texts = [text for text in run.page.texts if text.box.y2 + shift > run.first and text.box.y1 + shift < run.end]
    changed = True
    while changed:
        changed = False
        for text in texts:
            top, bottom = text.box.y1 + shift, text.box.y2 + shift
            rows = slice(max(top, 0), min(bottom, height))
            if not settled[rows].any():
                continue
            before = int(np.count_nonzero(matched_rows[rows]))
            fits = before <= TOUCHING or before == bottom - top
            if not (top >= first and bottom <= end and settled[rows].all() and fits):
                settled[rows] = False
                changed = True
    settled_texts = [
        moved(text, shift)
        for text in texts
        if settled[max(text.box.y1 + shift, 0) : text.box.y2 + shift].all()
        and not matched_rows[max(text.box.y1 + shift, 0) : text.box.y2 + shift].all()
    ]
    return settled, settled_texts


def moved(element: Element, down: int) -> Element:
    """Return the element moved ``down`` pixels."""
    if down == 0:
        return element
    box = element.box
    return element.model_copy(update={"box": Box(x1=box.x1, y1=box.y1 + down, x2=box.x2, y2=box.y2 + down)})
