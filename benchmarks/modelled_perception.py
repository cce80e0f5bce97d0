"""Provide screen readers that take a set time and find nothing, for measurements that leave perception out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.backends import Backends
from manyhands.actors.perception.screen_state import ScreenState
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.deploy.fleet.given_parts import ScreenReaders
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.screen import Element
from manyhands.simulator.perception import ModelledReader, NoIcons

MODELLED_THREADS = 16
"""Pictures that each actor of modelled perception handles at a time: enough for 50 a second at 0.3 s each."""
LONGEST_S = 60.0
MOST_THREADS = 64


def _modelled(seconds: float, _: PerceptionSettings) -> Backends:
    return Backends(text=ModelledReader(seconds), icons=NoIcons(), state=_nothing_seen)


def _nothing_seen(rgb: Rgb, texts: Sequence[Element], icons: Sequence[Element]) -> ScreenState:
    return ScreenState(keyboard=False)


def modelled_readers(seconds: float, threads: int = MODELLED_THREADS) -> ScreenReaders:
    """Return stand-in readers. They take ``seconds`` for a picture, without using the CPU, and find nothing on it.

    If ``seconds`` is 0, perception does not compare pages with earlier ones, because that would save nothing.
    """
    name = f"modelled perception: finds nothing, {seconds:g} s for a picture"
    return ScreenReaders(partial(_modelled, seconds), threads, name, compared=seconds > 0)


def readers_named(text: str) -> ScreenReaders | None:
    """Return the readers of ``modelled:SECONDS[:THREADS]``; None for ``real``, our own readers. Raises BadInput."""
    if text == "real":
        return None
    kind, _, seconds_text = text.partition(":")
    seconds, limited, threads = seconds_text.partition(":")
    try:
        took, at_once = float(seconds), int(threads) if limited else MODELLED_THREADS
    except ValueError:
        took, at_once = math.nan, 0
    if kind != "modelled" or not 0 <= took <= LONGEST_S or not 1 <= at_once <= MOST_THREADS:
        raise BadInput(
            f"--perception {text}: write real, modelled:SECONDS or modelled:SECONDS:THREADS, with 0 to {LONGEST_S:g} "
            f"seconds and 1 to {MOST_THREADS} threads"
        )
    return modelled_readers(took, at_once)
