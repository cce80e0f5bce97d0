"""Compare icons with a description by CLIP in onnxruntime, as in Mobile-Agent v1 (section 2.1).

The folder holds an exported CLIP in Hugging Face's layout: ``vision_model.onnx`` and ``text_model.onnx`` (or both
within ``onnx/``), ``tokenizer.json`` and ``preprocessor_config.json``. No CLIP is shipped, and nothing is downloaded.
A text is split into CLIP's tokens: byte pairs, as ``tokenizer.json`` lists them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.onnx import open_network
from manyhands.protocol.base import Input
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Box

SCALE = 100.0
"""CLIP's trained factor of similarities. With it, the likenesses of all icons sum to 1."""
BATCH = 16
"""The number of crops in one call of the network."""

_WORDS = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d|[^\W\d_]+|\d|(?:[^\s\w]|_)+", re.IGNORECASE)
_END = "</w>"
START_TOKEN, END_TOKEN = "<|startoftext|>", "<|endoftext|>"
LONGEST = 77
"""The most tokens of a text, including its start and end."""


class ClipTokens:
    """Tokenize texts. Raises PerceptionError for a file that is not a tokenizer of CLIP's kind."""

    def __init__(self, file: Path) -> None:
        try:
            model = json.loads(file.read_text(encoding="utf-8"))["model"]
            self._ids: dict[str, int] = model["vocab"]
            pairs = [tuple(one.split(" ", 1) if isinstance(one, str) else one) for one in model["merges"]]
            self._ranks = {(first, second): rank for rank, (first, second) in enumerate(pairs)}
            self._start, self._end = self._ids[START_TOKEN], self._ids[END_TOKEN]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise PerceptionError(f"{file} is no tokenizer of CLIP: {error}") from error

    def of(self, text: str) -> list[int]:
        """Return the tokens of a text with start and end. Cut a text that is too long."""
        words = _WORDS.findall(" ".join(text.lower().split()))
        ids = [self._ids.get(piece, self._end) for word in words for piece in self._pieces(word)]
        return [self._start, *ids[: LONGEST - 2], self._end]

    def _pieces(self, word: str) -> list[str]:
        """Return a word in the largest pieces that the vocabulary has."""
        letters = [_letters()[byte] for byte in word.encode()]
        pieces = [*letters[:-1], letters[-1] + _END]
        while len(pieces) > 1:
            pairs = [(pieces[at], pieces[at + 1]) for at in range(len(pieces) - 1)]
            best = min(pairs, key=lambda pair: self._ranks.get(pair, len(self._ranks)))
            if best not in self._ranks:
                break
            at = pairs.index(best)
            pieces[at : at + 2] = ["".join(best)]
        return pieces


@cache
def _letters() -> dict[int, str]:
    """Return a printable letter for each byte: the byte's own if it has one."""
    printed = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in printed]
    return {byte: chr(byte) for byte in printed} | {byte: chr(256 + number) for number, byte in enumerate(others)}


class ClipSettings(Input):
    folder: Path | None = None
    """The exported CLIP. Without it, icons are found by names, labels, colour and place."""
    threads: int = Field(default=1, ge=1, le=64)


class ClipMatcher:
    """Implements IconMatcher. Synchronous; callers on several threads take turns."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        """Open the networks. Raises PerceptionError if one is missing or is not CLIP's."""
        self._tokens = ClipTokens(folder / "tokenizer.json")
        self._side, self._mean, self._deviation = _preparation(folder / "preprocessor_config.json")
        self._vision = _network(folder, "vision_model.onnx", threads)
        self._text = _network(folder, "text_model.onnx", threads)
        self._lock = Lock()

    def likeness(self, rgb: Rgb, boxes: Sequence[Box], description: str) -> NDArray[np.float32]:
        """Return how similar each box is to the description, as shares that sum to 1. Raises PerceptionError."""
        if not boxes:
            return np.empty(0, np.float32)
        pixels = np.stack([self._prepared(rgb, box) for box in boxes])
        with self._lock:
            image_parts = [
                _run(self._vision, "image_embeds", pixel_values=pixels[at : at + BATCH]) for at in _starts(pixels)
            ]
            ids = np.array([self._tokens.of(description)], np.int64)
            text_vectors = _run(self._text, "text_embeds", input_ids=ids, attention_mask=np.ones_like(ids))
        similar = SCALE * (_unit(np.concatenate(image_parts)) @ _unit(text_vectors)[0])
        shares = np.exp(similar - similar.max())
        return np.asarray(shares / shares.sum(), np.float32)

    def _prepared(self, rgb: Rgb, box: Box) -> NDArray[np.float32]:
        """Return a box's pixels as the network expects them: float32 (3, side, side)."""
        crop = rgb[max(box.y1, 0) : box.y2, max(box.x1, 0) : box.x2]
        if crop.size == 0:
            raise PerceptionError(f"an icon's box {box} lies outside its picture")
        sized = cv2.resize(np.ascontiguousarray(crop), (self._side, self._side), interpolation=cv2.INTER_CUBIC)
        normal = (np.asarray(sized, np.float32) / 255 - self._mean) / self._deviation
        return np.asarray(normal.transpose(2, 0, 1), np.float32)


def _starts(pixels: NDArray[np.float32]) -> range:
    return range(0, len(pixels), BATCH)


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-9), np.float32)


def _preparation(file: Path) -> tuple[int, NDArray[np.float32], NDArray[np.float32]]:
    """Return the side of the network's pictures, and mean and deviation of each channel."""
    try:
        about = json.loads(file.read_text(encoding="utf-8"))
        size = about["crop_size"] if "crop_size" in about else about["size"]
        side = size if isinstance(size, int) else size.get("height", size.get("shortest_edge"))
        mean, deviation = (np.array(about[name], np.float32) for name in ("image_mean", "image_std"))
        if not isinstance(side, int) or mean.shape != (3,) or deviation.shape != (3,):
            raise ValueError("no side, or not three channels")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise PerceptionError(f"{file} does not say how CLIP's pictures are prepared: {error}") from error
    return side, mean, deviation


def _network(folder: Path, name: str, threads: int) -> Any:
    path = next((path for path in (folder / name, folder / "onnx" / name) if path.is_file()), folder / name)
    return open_network(path, threads)


def _run(network: Any, output_name: str, **tensors: NDArray[Any]) -> NDArray[np.float32]:
    """Return an output of a network. Pass on only the given inputs that it has. Raises PerceptionError."""
    named = {one.name for one in network.get_inputs()}
    outputs = [one.name for one in network.get_outputs()]
    if output_name not in outputs:
        raise PerceptionError(f"CLIP's network has no output {output_name}; it has {', '.join(outputs)}")
    try:
        (output,) = network.run([output_name], {name: value for name, value in tensors.items() if name in named})
    except Exception as error:  # onnxruntime has a type of its own for each kind of mismatch
        raise PerceptionError(f"CLIP's network for {output_name} failed: {error}") from error
    return np.asarray(output, np.float32)
