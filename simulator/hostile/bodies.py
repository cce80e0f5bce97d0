"""Make the bodies of a hostile server's answers.

Each page, such as chat or metrics, has its own kinds of body. A body is generated piece by piece while it is sent,
because some bodies are endless.
"""

from __future__ import annotations

import itertools
import json
import random
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from manyhands.simulator.hostile.settings import Page
from manyhands.simulator.hostile.texts import CONTROLS, hostile_text, repeated

Pieces = Iterable[bytes]
_PIECE = 64 * 1024
_DEEP = 200_000
_HUGE_BYTES = 70_000_000
_NUMBERS: tuple[Any, ...] = (
    None, -1, 10**30, 2**63, 2**64, -(2**63) - 1, 1e308, 0.5, True, "7", "x", [], {}, float("inf"), float("nan"),
)  # fmt: skip
"""Values that are no count of tokens."""
_SAMPLES = ("1e308", "Inf", "-Inf", "NaN", "-1", "1e400", "9" * 400, "1e", "+-.", "0x10", "1e18", "0.5", "\u0661")


def body_for(page: Page, draw: random.Random) -> tuple[str, Pieces]:
    """Draw a kind of body. Return its name and a body."""
    kinds: dict[str, Callable[[random.Random], Pieces]] = {**_ANYWHERE, **_OF_PAGE[page]}
    # Draw the page's own kinds more often: readers reject the general ones early.
    name = draw.choice([*_ANYWHERE, *([*_OF_PAGE[page]] * 4)])
    return name, kinds[name](draw)


def endless(piece: bytes) -> Iterator[bytes]:
    """Repeat for ever a piece that is extended to about 64 KiB."""
    whole = piece * max(1, _PIECE // len(piece))
    return itertools.repeat(whole)


@cache
def _bomb_block() -> tuple[bytes, bytes]:
    """Return the head of a gzip stream, and a block of about 1 kB that unpacks to 1 MiB of blanks."""
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    head = pack.compress(b"") + pack.flush(zlib.Z_FULL_FLUSH)
    return head, pack.compress(b" " * 2**20) + pack.flush(zlib.Z_FULL_FLUSH)


def gzip_bomb(mebibytes: int) -> Iterator[bytes]:
    """Yield a gzip stream without an end. Unpacked, it is a thousand times longer."""
    head, block = _bomb_block()
    yield head
    yield from itertools.repeat(block, mebibytes)


# ---------------------------------------------------------------------------- of any page
def _huge(draw: random.Random) -> Iterator[bytes]:
    yield b'{"choices": [{"message": {"content": "'
    yield from itertools.repeat(b"a" * _PIECE, _HUGE_BYTES // _PIECE)
    yield b'"}}]}'


def _random_bytes(draw: random.Random) -> Pieces:
    return (draw.randbytes(draw.choice((1, 10, 1000, 100_000))),)


def _error(draw: random.Random) -> Pieces:
    message: Any = draw.choice((hostile_text(draw, 100_000), None, 7, [], {}, 10**30, "priority", "at most 0 image"))
    shape = draw.choice(({"error": {"message": message}}, {"error": message}, {"message": message}, [message]))
    return (_json(shape),)


_ANYWHERE: Mapping[str, Callable[[random.Random], Pieces]] = {
    "empty": lambda draw: (),
    "deep lists": lambda draw: (b"[" * _DEEP,),
    "deep closed lists": lambda draw: (b"[" * _DEEP, b"]" * _DEEP),
    "deep objects": lambda draw: (b'{"error":' * _DEEP,),
    "deep error": lambda draw: (b'{"error": {"message": ', b"[" * _DEEP, b"]" * _DEEP, b"}}"),
    "endless blanks": lambda draw: endless(b" "),
    "endless text": lambda draw: itertools.chain((b'{"choices": [{"message": {"content": "',), endless(b"a")),
    "endless lists": lambda draw: endless(b"[],"),
    "huge": _huge,
    "random bytes": _random_bytes,
    "not UTF-8": lambda draw: (b'{"a": "\xff\xfe\x80\xc0\xaf"}',),
    "scalar": lambda draw: (_json(draw.choice(_NUMBERS)),),
    "long number": lambda draw: (b"9" * draw.choice((20, 5000, 1_000_000)),),
    "page of HTML": lambda draw: (b"<!doctype html><title>\x1b[2Jhello</title>" * draw.choice((1, 1000)),),
    "controls": lambda draw: (CONTROLS.encode(),),
    "text": lambda draw: (hostile_text(draw, 100_000).encode("utf-8", "replace"),),
    "error": _error,
}


# ---------------------------------------------------------------------------- chat completions
def _usage(draw: random.Random) -> Any:
    counts = {name: draw.choice(_NUMBERS) for name in ("prompt_tokens", "completion_tokens", "total_tokens")}
    details: Any = draw.choice((None, {"cached_tokens": draw.choice(_NUMBERS)}, [], draw.choice(_NUMBERS)))
    return draw.choice((None, draw.choice(_NUMBERS), {**counts, "prompt_tokens_details": details}))


def _answer(text: Any, usage: Any, finish: Any = "stop") -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
            "usage": usage}  # fmt: skip


def _odd_completion(draw: random.Random) -> Pieces:
    whole = _answer(hostile_text(draw, 10_000), _usage(draw))
    for _ in range(draw.randrange(1, 4)):
        _damage(whole, draw)
    return (_json(whole),)


def _damage(node: Any, draw: random.Random) -> None:
    """Replace one value somewhere in a JSON value."""
    while isinstance(node, dict | list) and node:
        key: Any = draw.choice(list(node)) if isinstance(node, dict) else draw.randrange(len(node))
        if not isinstance(node[key], dict | list) or not node[key] or draw.random() < 0.4:
            node[key] = draw.choice((*_NUMBERS, hostile_text(draw, 1000), [[]] * 50_000))
            return
        node = node[key]


def _cut_json(draw: random.Random) -> Pieces:
    whole = _json(_answer("all is well", {"prompt_tokens": 1}))
    return (whole[: draw.randrange(len(whole))],)


_CHAT: Mapping[str, Callable[[random.Random], Pieces]] = {
    "odd text": lambda draw: (_json(_answer(hostile_text(draw, 1_000_000), None)),),
    "odd usage": lambda draw: (_json(_answer(hostile_text(draw, 100), _usage(draw))),),
    "odd completion": _odd_completion,
    "cut JSON": _cut_json,
    "no choices": lambda draw: (_json({"choices": draw.choice(([], None, {}, [{}], [None] * 100_000))}),),
    "odd finish": lambda draw: (_json(_answer("", None, draw.choice((*_NUMBERS, "length", "abort", CONTROLS)))),),
    "lone surrogate": lambda draw: (b'{"choices": [{"message": {"content": "\\ud800 \\udfff"}}]}',),
    "long integer": lambda draw: (b'{"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": ',
                                  b"9" * draw.choice((20, 5000, 100_000)), b"}}"),
}  # fmt: skip


# ---------------------------------------------------------------------------- the other pages
def _metrics(draw: random.Random) -> Pieces:
    names = ("num_requests_waiting", "num_requests_running", "kv_cache_usage_perc")
    engines = range(draw.choice((1, 2, 1000)))
    return tuple(_sample(f"vllm:{name}", engine, draw).encode() for engine in engines for name in names)


def _sample(name: str, engine: int, draw: random.Random) -> str:
    label = draw.choice(("", CONTROLS, "a" * 1000))
    return f'{name}{{engine="{engine}",x="{label}"}} {draw.choice(_SAMPLES)}\n'


def _models(draw: random.Random) -> Pieces:
    name: Any = draw.choice((hostile_text(draw, 100_000), *_NUMBERS, CONTROLS))
    entries = draw.choice(([{"id": name}], [{"id": name}] * 1000, [], None, [name], {"id": name}))
    return (_json({"object": "list", "data": entries}),)


_OF_PAGE: Mapping[Page, Mapping[str, Callable[[random.Random], Pieces]]] = {
    Page.CHAT: _CHAT,
    Page.MODELS: {"odd models": _models},
    Page.HEALTH: {"odd health": lambda draw: (_json({"status": draw.choice(_NUMBERS)}),)},
    Page.METRICS: {
        "odd samples": _metrics,
        "sample without end": lambda draw: (b"vllm:num_requests_waiting{", repeated("x", 1_000_000).encode()),
        "half a sample": lambda draw: (b"vllm:num_requests_waiting 1e308\nvllm:num_requests_running\n" * 1000,),
    },
    Page.OTHER: {"odd version": lambda draw: (_json({"version": draw.choice((*_NUMBERS, CONTROLS))}),)},
}


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()
