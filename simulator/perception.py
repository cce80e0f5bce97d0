"""Provide modelled perception: it takes a set time, uses no CPU and sees nothing.

Benchmarks use it to measure everything around perception. Its results are no real screens, so reports must call it
modelled.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from manyhands.protocol.screens.screen import Element


@dataclass(frozen=True, slots=True)
class ModelledReader:
    """Read a picture in ``seconds``, and find no text. Blocks its thread."""

    seconds: float

    def read(self, rgb: Any, part: Any = None) -> list[Element]:
        """Wait, and return nothing."""
        time.sleep(self.seconds)
        return []


class NoIcons:
    """Find no icons, at once."""

    def find(self, rgb: Any, texts: Sequence[Element]) -> list[Element]:
        """Return nothing."""
        return []
