"""Modelled perception: takes the time that is set, uses no CPU and sees nothing.

For benchmarks of everything around it. What it gives are no screens: whoever shows its figures calls it modelled.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from manyhands.protocol.screens import Element


@dataclass(frozen=True, slots=True)
class ModelledReader:
    """A text reader that takes ``seconds`` for a picture and finds no text. Blocks its thread."""

    seconds: float

    def read(self, rgb: Any, part: Any = None) -> list[Element]:
        """Return nothing, after the time that is set."""
        time.sleep(self.seconds)
        return []


class NoIcons:
    """An icon finder that finds none, at once."""

    def find(self, rgb: Any, texts: Sequence[Element]) -> list[Element]:
        """Return nothing."""
        return []
