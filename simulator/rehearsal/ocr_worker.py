"""Run the process of a reader: ``python -m manyhands.simulator.rehearsal.ocr_worker``.

The process takes images from stdin and writes pages to stdout. Each image and each page is sent as its length in four
bytes (big endian) and then its bytes. The process ends when stdin closes, so it never outlives its parent.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import struct
import sys
from collections import OrderedDict
from typing import Any, BinaryIO

import cv2
import msgpack
import numpy as np
from numpy.typing import NDArray
from rapidocr import RapidOCR

SKETCH_SHRINK = 4
"""A page's sketch is the page's image, reduced by this factor in each direction."""
_REMEMBERED_LINES = 4096
_ENGINE = {
    "Global.use_cls": False,
    "Global.log_level": "error",
    "Det.limit_type": "max",
    "Det.limit_side_len": 960,
    "Rec.rec_img_shape": [3, 48, 32],
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}
Pixels = NDArray[np.uint8]


class PageReader:
    """Read texts off images. Lines with the same pixels are read once."""

    def __init__(self) -> None:
        self._engine = RapidOCR(params=_ENGINE)
        self._lines: OrderedDict[bytes, tuple[str, float]] = OrderedDict()

    def read(self, encoded: bytes) -> dict[str, Any]:
        """Return the size, the texts with boxes in pixels, and the sketch. Raises ValueError for bytes of no image."""
        image = cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_COLOR)
        if image is None:
            raise ValueError("not an image that can be decoded")
        height, width = image.shape[:2]
        found = self._engine(image, use_det=True, use_cls=False, use_rec=False).boxes
        lines = [] if found is None else [line for corners in found if (line := self._line(image, corners))]
        small = cv2.resize(image, (width // SKETCH_SHRINK, height // SKETCH_SHRINK), interpolation=cv2.INTER_AREA)
        sketch = np.ascontiguousarray(small[:, :, ::-1])
        return {"width": width, "height": height, "lines": lines, "sketch": sketch.tobytes(), "shape": sketch.shape}

    def _line(self, image: Pixels, corners: NDArray[Any]) -> tuple[str, float, int, int, int, int] | None:
        """Return one text: content, confidence, left, top, right, bottom; None if the box holds no text."""
        height, width = image.shape[:2]
        x1, y1 = (max(0, int(low)) for low in corners.min(axis=0))
        x2, y2 = min(width, int(corners[:, 0].max()) + 1), min(height, int(corners[:, 1].max()) + 1)
        if x2 - x1 < 4 or y2 - y1 < 4:
            return None
        text, confidence = self._recognise(np.ascontiguousarray(image[y1:y2, x1:x2]))
        return (text, confidence, x1, y1, x2, y2) if text else None

    def _recognise(self, crop: Pixels) -> tuple[str, float]:
        digest = hashlib.blake2b(crop.tobytes() + repr(crop.shape).encode(), digest_size=16).digest()
        if digest in self._lines:
            self._lines.move_to_end(digest)
            return self._lines[digest]
        read = self._engine(crop, use_det=False, use_cls=False, use_rec=True)
        line = (str(read.txts[0]).strip(), float(read.scores[0])) if read.txts else ("", 0.0)
        self._lines[digest] = line
        if len(self._lines) > _REMEMBERED_LINES:
            self._lines.popitem(last=False)
        return line


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until ``requests`` ends."""
    reader = PageReader()
    while len(header := requests.read(4)) == 4:
        encoded = requests.read(struct.unpack(">I", header)[0])
        try:
            answer = reader.read(encoded)
        except (ValueError, cv2.error) as error:
            answer = {"error": str(error)}
        packed = msgpack.packb(answer)
        answers.write(struct.pack(">I", len(packed)) + packed)
        answers.flush()


def main() -> None:
    """Serve. Only answers go to the real stdout; what libraries print goes to stderr."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with contextlib.suppress(BrokenPipeError):  # the parent has ended
        serve(sys.stdin.buffer, answers)
    os._exit(0)  # nobody reads what is left in the pipe's buffer


if __name__ == "__main__":
    main()
