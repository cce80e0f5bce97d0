"""Configure a perception service."""

from __future__ import annotations

import os
from typing import Literal, Self

from pydantic import Field, model_validator

from manyhands.actors.perception.batching import BatchSettings
from manyhands.actors.perception.grounding.clip import ClipSettings
from manyhands.actors.perception.icons.combined import CombinedIconSettings
from manyhands.actors.perception.icons.edges import EdgeIconSettings
from manyhands.actors.perception.icons.grounding_dino import (
    FOLDER_NEEDED,
    GroundingDinoIconSettings,
)
from manyhands.actors.perception.icons.icon_namer import NameSettings
from manyhands.actors.perception.icons.ultralytics import UltralyticsIconSettings
from manyhands.actors.perception.page_cache import IncrementalSettings
from manyhands.actors.perception.text.paddle import PaddleTextSettings
from manyhands.actors.perception.text.rapid import RapidTextSettings
from manyhands.protocol.base import Input

MOST_BY_CORES = 4
"""The most readers by default. More readers gain little, and each one takes memory."""


class PerceptionSettings(Input):
    workers: int | None = Field(default=2, ge=1, le=64)
    """How many threads read, each with a reader of its own (memory: docs/perception.md).

    None: one for each core of the service's machine, at most 4.
    """
    waiting: int = Field(default=64, ge=0)
    """How many pictures may wait for a worker. Further pictures are refused with Overloaded."""
    longest_wait_s: float = Field(default=60, gt=0)
    """A picture that has waited so long for a worker is refused with Overloaded. Another perception actor
    may be free."""
    remembered: int = Field(default=256, ge=0)
    """How many pictures' content is kept. The content that was unused for longest is dropped first."""
    incremental: IncrementalSettings = IncrementalSettings()
    text_engine: Literal["rapid", "paddle"] = "rapid"
    """``rapid``: the models of RapidOCR's wheel, on the CPU. ``paddle``: PaddleOCR with local model folders."""
    text: RapidTextSettings = RapidTextSettings()
    paddle: PaddleTextSettings = PaddleTextSettings()
    icon_finder: Literal["edges", "detector", "both"] = "both"
    """``edges`` needs no weights and finds outlines. ``detector`` finds what looks like an icon. ``both`` finds the
    most."""
    icon_engine: Literal["yolo", "ultralytics", "grounding_dino"] = "yolo"
    """The detector's engine. ``yolo`` runs on onnxruntime. ``ultralytics`` runs the same weights on PyTorch, also on a
    GPU. ``grounding_dino`` is the papers' detector, with weights of its own."""
    edges: EdgeIconSettings = EdgeIconSettings()
    icons: UltralyticsIconSettings = UltralyticsIconSettings()
    """Settings of the detector. ``device`` applies to the engine ``ultralytics`` only. ``confidence`` and ``limit``
    apply to the icon finder ``detector`` only."""
    grounding_dino: GroundingDinoIconSettings = GroundingDinoIconSettings()
    """Settings of Grounding DINO. ``box_threshold`` and ``limit`` apply to the icon finder ``detector`` only."""
    both: CombinedIconSettings = CombinedIconSettings()
    names: NameSettings = NameSettings()
    """How icons are named."""
    clip: ClipSettings = ClipSettings()
    """How icons are compared with descriptions, for profile ``v1``."""
    recognition: BatchSettings = BatchSettings()
    """How the workers' crops are batched for one recognition network, on devices where that pays."""

    @model_validator(mode="after")
    def _has_weights(self) -> Self:
        detects = self.icon_finder != "edges" and self.icon_engine == "grounding_dino"
        if detects and self.grounding_dino.folder is None:
            raise ValueError(f"the icon engine 'grounding_dino' has no weights: {FOLDER_NEEDED}")
        return self

    def readers(self) -> int:
        """Return the number of reading threads on this machine."""
        return self.workers or min(_own_cores(), MOST_BY_CORES)


def _own_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
