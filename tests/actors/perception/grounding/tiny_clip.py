"""A CLIP of the usual shape and next to no size, written without a library: its networks see mean colours and words."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SIDE = 8
WORDS = ("red", "lime", "blue")
START, END = "<|startoftext|>", "<|endoftext|>"


def write(folder: Path, words: NDArray[np.float32] | None = None, output: str = "image_embeds") -> Path:
    """``words``: what is seen in each token, one row each; where it is not given, a word is its own colour."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = _vocabulary()
    if words is None:
        words = np.zeros((len(vocabulary), 3), np.float32)
        for channel, word in enumerate(WORDS):
            words[vocabulary[f"{word}</w>"], channel] = 1
    colours = np.eye(3, dtype=np.float32)
    vision = _graph(
        [
            _node("GlobalAveragePool", ["pixel_values"], ["pooled"]),
            _node("Flatten", ["pooled"], ["flat"]),
            _node("MatMul", ["flat", "weights"], [output]),
        ],
        [_tensor("weights", colours)],
        [_value("pixel_values", 1, ["n", 3, SIDE, SIDE])],
        [_value(output, 1, ["n", 3])],
    )
    text = _graph(
        [
            _node("Gather", ["weights", "input_ids"], ["gathered"]),
            _node("Transpose", ["gathered"], ["turned"], {"perm": [0, 2, 1]}),
            _node("GlobalAveragePool", ["turned"], ["pooled"]),
            _node("Flatten", ["pooled"], ["text_embeds"]),
        ],
        [_tensor("weights", words)],
        [_value("input_ids", 7, ["n", "length"])],
        [_value("text_embeds", 1, ["n", 3])],
    )
    (folder / "vision_model.onnx").write_bytes(vision)
    (folder / "text_model.onnx").write_bytes(text)
    merges = [pair for word in WORDS for pair in _merges(word)]
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": vocabulary, "merges": merges}}))
    about = {"crop_size": {"height": SIDE, "width": SIDE}, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
    (folder / "preprocessor_config.json").write_text(json.dumps(about))
    return folder


def _merges(word: str) -> list[str]:
    letters = [*word[:-1], f"{word[-1]}</w>"]
    return [f"{''.join(letters[:at])} {letters[at]}" for at in range(1, len(letters))]


def _vocabulary() -> dict[str, int]:
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    pieces = [
        piece for pair in (one for word in WORDS for one in _merges(word)) for piece in ["".join(pair.split(" "))]
    ]
    tokens = [*letters, *(f"{letter}</w>" for letter in letters), *pieces, START, END]
    return {token: number for number, token in enumerate(dict.fromkeys(tokens))}


# ---------------------------------------------------------------------------- ONNX, as protocol buffers
def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _node(kind: str, inputs: Iterable[str], outputs: Iterable[str], lists: dict[str, list[int]] | None = None) -> bytes:
    node = b"".join(_bytes(1, one) for one in inputs) + b"".join(_bytes(2, one) for one in outputs) + _bytes(4, kind)
    for name, numbers in (lists or {}).items():
        node += _bytes(5, _bytes(1, name) + b"".join(_number(8, one) for one in numbers) + _number(20, 7))
    return node


def _tensor(name: str, values: NDArray[np.float32]) -> bytes:
    raw = struct.pack(f"<{values.size}f", *values.ravel().tolist())
    return b"".join(_number(1, side) for side in values.shape) + _number(2, 1) + _bytes(8, name) + _bytes(9, raw)


def _value(name: str, kind: int, shape: list[int | str]) -> bytes:
    sides = [_number(1, side) if isinstance(side, int) else _bytes(2, side) for side in shape]
    tensor = _number(1, kind) + _bytes(2, b"".join(_bytes(1, side) for side in sides))
    return _bytes(1, name) + _bytes(2, _bytes(1, tensor))


def _graph(nodes: list[bytes], weights: list[bytes], inputs: list[bytes], outputs: list[bytes]) -> bytes:
    graph = b"".join(_bytes(1, node) for node in nodes) + _bytes(2, "tiny")
    graph += b"".join(_bytes(5, one) for one in weights)
    graph += b"".join(_bytes(11, one) for one in inputs) + b"".join(_bytes(12, one) for one in outputs)
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, "") + _number(2, 17))
