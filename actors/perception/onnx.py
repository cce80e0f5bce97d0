"""Open ONNX networks in onnxruntime on the CPU, and classify crops by small networks.

A crop is the square around a box, reduced to a fixed size.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Box


def open_network(path: Path, threads: int, *, keep_memory: bool = False) -> Any:
    """Open an ``onnxruntime.InferenceSession``. It belongs to one thread at a time.

    ``keep_memory``: keep the memory of the largest call between calls, which saves time if inputs are large. Raises
    PerceptionError if onnxruntime or the file is missing, or if the file holds no network.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise PerceptionError(f"{path.name} needs onnxruntime ({error}); install manyhands[fleet]") from error
    if not path.is_file():
        raise PerceptionError(f"there is no network at {path}")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = keep_memory
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # onnxruntime keeps a memory pattern for each input size that repeats. That takes 60 MB and more, and saves no time.
    options.enable_mem_pattern = False
    provider = ("CPUExecutionProvider", {"arena_extend_strategy": "kSameAsRequested"} if keep_memory else {})
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=[provider])
    except Exception as error:  # onnxruntime has a type of its own for each kind of damage
        raise PerceptionError(
            f"{path} cannot be loaded as ONNX: it is not a network that onnxruntime can run ({error})"
        ) from error


SIDE = 32
"""The side of a crop, as a network sees it, in pixels."""
MARGIN = 0.125
"""The margin of a crop around its box, as a share of the box's longer side."""
BATCH = 16
"""The number of crops in one call of the network. More are not faster on a CPU and take more memory."""


class CropClassifier:
    """Classify boxes of a picture by a network of ``training/``. Synchronous; belongs to one thread at a time.

    ``names``: the network's classes. ``threshold``: answers count from this probability on; None if the file has none.
    """

    def __init__(self, weights: Path, threads: int, made_by: str) -> None:
        """``made_by``: the command that makes the weights, for errors.

        Raises PerceptionError if onnxruntime or the file is missing, or if ``training/`` did not make the file.
        """
        if not weights.is_file():
            raise PerceptionError(f"there are no weights at {weights}; run `{made_by}`")
        self._network = open_network(weights, threads)
        try:
            about = self._network.get_modelmeta().custom_metadata_map
            self.names: tuple[str, ...] = tuple(json.loads(about["names"]))
            self.threshold = float(about["threshold"]) if "threshold" in about else None
        except (KeyError, ValueError) as error:
            raise PerceptionError(
                f"{weights} has no names or no valid threshold ({error}); use one that `{made_by}` made"
            ) from error
        self._input = self._network.get_inputs()[0].name

    def probabilities(self, rgb: Rgb, boxes: Sequence[Box]) -> NDArray[np.float32]:
        """Return the probability of each name for each box, shape (boxes, names)."""
        crops = [crop_of(rgb, (box.x1, box.y1, box.x2, box.y2)) for box in boxes]
        return self.of_crops(np.array(crops, np.uint8).reshape(-1, SIDE, SIDE, 3))

    def of_crops(self, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the same as ``probabilities``, for crops of shape (crops, SIDE, SIDE, 3)."""
        rows = [np.empty((0, len(self.names)), np.float32)]
        for first in range(0, len(crops), BATCH):
            rows.append(self._network.run(None, {self._input: crops[first : first + BATCH]})[0])
        return np.concatenate(rows)


def crop_of(rgb: Rgb, box: tuple[int, int, int, int]) -> Rgb:
    """Return the square around ``box`` (x1, y1, x2, y2) with a margin, as uint8 (SIDE, SIDE, 3).

    Outside of ``rgb`` its outermost pixels are repeated.
    """
    x1, y1, x2, y2 = box
    half = (0.5 + MARGIN) * max(x2 - x1, y2 - y1, 2)
    centre_x, centre_y = (x1 + x2) / 2, (y1 + y2) / 2
    left, top = round(centre_x - half), round(centre_y - half)
    side = max(2, round(2 * half))
    height, width = rgb.shape[:2]
    columns = np.clip((left, left + side), 0, width)
    rows = np.clip((top, top + side), 0, height)
    if columns[0] == columns[1] or rows[0] == rows[1]:
        raise PerceptionError(f"an icon's box {box} lies outside its picture of {width}x{height} pixels")
    part = rgb[rows[0] : rows[1], columns[0] : columns[1]]
    above, below = int(rows[0]) - top, top + side - int(rows[1])
    before, after = int(columns[0]) - left, left + side - int(columns[1])
    if above or below or before or after:
        part = np.asarray(cv2.copyMakeBorder(part, above, below, before, after, cv2.BORDER_REPLICATE), np.uint8)
    way = cv2.INTER_AREA if side > SIDE else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(part, (SIDE, SIDE), interpolation=way), np.uint8)
