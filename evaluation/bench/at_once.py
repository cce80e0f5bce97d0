"""The figures of ``manyhands bench at-once``: many phones' screens through one perception service."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import Field

from protocol.base import Message
from protocol.screens import Element

Elements = Sequence[Element]


class Pass(Message):
    """All screens, once."""

    seconds: float
    """On the clock, from the first request to the last answer."""
    cpu_seconds: float
    """Of all threads of the process."""
    wait_p50_s: float
    wait_p95_s: float
    """Before a reader took the picture."""
    answer_p95_s: float
    """From the request to the answer."""
    refused: int = 0
    """Screens that had waited for as long as may be, and are in no other figure but the first two."""


class AtOnceFigures(Message):
    """The same screens one at a time and all at once."""

    screens: int
    workers: int
    """Readers of the service."""
    one_by_one: Pass
    at_once: Pass
    ratio: float | None
    """All at once by one at a time, on the clock; None where a screen was refused: that was other work."""
    longest_wait_s: float
    """The bound on waits that was set."""
    differing: int
    """Screens of which an element differs between the two, of those that were read both times."""
    batches: dict[str, dict[int, int]] = Field(default_factory=dict)
    """By network, how many batches of each size there were; empty where networks are not asked in batches."""


def as_pass(seconds: float, cpu_seconds: float, waits: Sequence[float], answers: Sequence[float], refused: int) -> Pass:
    """``waits`` and ``answers`` in seconds, one for each screen that was read; at least one was."""
    return Pass(
        seconds=seconds,
        cpu_seconds=cpu_seconds,
        wait_p50_s=float(np.percentile(waits, 50)),
        wait_p95_s=float(np.percentile(waits, 95)),
        answer_p95_s=float(np.percentile(answers, 95)),
        refused=refused,
    )


def ratio(one_by_one: Pass, at_once: Pass) -> float | None:
    """Of the times on the clock; None where either pass left a screen out."""
    return None if one_by_one.refused or at_once.refused else at_once.seconds / one_by_one.seconds


def differing(one: Sequence[Elements | None], other: Sequence[Elements | None], tolerance: float = 1e-3) -> int:
    """Screens that are not the same in both: kinds, contents and boxes exactly, confidences within ``tolerance``.

    None: a screen that was refused, and is not compared.
    """
    return sum(
        not _alike(first, second, tolerance)
        for first, second in zip(one, other, strict=True)
        if first is not None and second is not None
    )


def _alike(one: Elements, other: Elements, tolerance: float) -> bool:
    return len(one) == len(other) and all(
        (a.kind, a.content, a.box) == (b.kind, b.content, b.box) and abs(a.confidence - b.confidence) <= tolerance
        for a, b in zip(one, other, strict=True)
    )
