"""What a perception service is told."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from actors.perception.batching import BatchSettings
from actors.perception.icons.edges import EdgeIconSettings
from actors.perception.icons.names import NameSettings
from actors.perception.icons.ultralytics import UltralyticsIconSettings
from actors.perception.incremental.remembered import IncrementalSettings
from actors.perception.text.paddle import PaddleTextSettings
from actors.perception.text.rapid import RapidTextSettings
from protocol.base import Input


class PerceptionSettings(Input):
    workers: int = Field(default=2, ge=1, le=64)
    """Threads that read, each with a reader of its own (memory: docs/perception.md)."""
    waiting: int = Field(default=64, ge=0)
    """Pictures that may wait for a worker; one more is refused as Overloaded."""
    longest_wait_s: float = Field(default=60, gt=0)
    """A picture that has waited so long for a worker is refused as Overloaded: another actor may have time."""
    remembered: int = Field(default=256, ge=0)
    """Pictures whose content is kept; the one unused for longest goes first."""
    incremental: IncrementalSettings = IncrementalSettings()
    text_engine: Literal["rapid", "paddle"] = "rapid"
    """``rapid``: the models of RapidOCR's wheel, on the CPU. ``paddle``: PaddleOCR with local model folders."""
    text: RapidTextSettings = RapidTextSettings()
    paddle: PaddleTextSettings = PaddleTextSettings()
    icon_engine: Literal["edges", "yolo", "ultralytics"] = "edges"
    """``edges`` needs no weights; the others take the same: ``yolo`` by onnxruntime, ``ultralytics`` on a GPU."""
    edges: EdgeIconSettings = EdgeIconSettings()
    icons: UltralyticsIconSettings = UltralyticsIconSettings()
    """Of ``yolo`` and ``ultralytics``; ``device`` is of the latter only."""
    names: NameSettings = NameSettings()
    """What icons are called."""
    recognition: BatchSettings = BatchSettings()
    """How the workers' crops come together for one recognition network, on a device where that pays."""
