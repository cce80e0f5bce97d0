"""Make one answer of a hostile server from its number: status line, headers, body, and how it is delivered."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from manyhands.simulator.hostile.bodies import body_for, gzip_bomb
from manyhands.simulator.hostile.settings import Page
from manyhands.simulator.hostile.texts import CONTROLS

Delivery = Literal["whole", "slow", "cut", "reset", "silent", "closed", "twice"]
"""``slow``: in small pieces. ``cut``: without the end. ``reset``: the connection is aborted in the middle. ``silent``:
no answer. ``closed``: the connection is closed at once. ``twice``: the answer is sent two times."""

_STATUSES = (
    *["200 OK"] * 24, "500 Internal Server Error", "500 no", "502 Bad Gateway", "503 Service Unavailable", "504 late",
    *["429 Too Many Requests"] * 3, "408 Timeout", "400 Bad Request", "401 no", "403 no", "404 no", "413 long",
    "418 tea", "422 no", *["307 Temporary Redirect"] * 2, "301 gone", "302 gone", "303 gone", "308 gone", "300 many",
    "304 same", "201 made", "204 nothing", "206 part", "299 odd", "100 go on", "101 other", "199 odd", "600 odd",
    "999 odd", "000 odd", "200", "abc", "-1 odd", "20000 odd", "200 " + "x" * 10_000, "200 \x1b[2J",
)  # fmt: skip
"""Statuses with their phrases. Most are 200, because clients parse most of an answer with this status."""
_RETRY_AFTER = ("3600", "1e400", "nan", "-5", "inf", "9" * 30, "Wed, 21 Oct 2099 07:28:00 GMT", "0.001", "\x1b[2J", "")
_ODD_DELIVERIES: tuple[Delivery, ...] = ("slow", "slow", "cut", "cut", "reset", "silent", "closed", "twice")
_ODD_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class HostileAnswer:
    """Hold one answer. ``status``: the status line after the version. ``body``: pieces, made while they are sent."""

    kind: str
    status: str
    headers: tuple[tuple[str, str], ...]
    body: Iterable[bytes]
    delivery: Delivery = "whole"
    version: str = "HTTP/1.1"


def draw_answer(page: Page, seed: int, number: int, elsewhere: str) -> HostileAnswer:
    """Return the answer with this number for a page. Equal arguments give equal answers."""
    draw = random.Random(f"{seed}/{page}/{number}")
    kind, body = body_for(page, draw)
    answer = HostileAnswer(
        kind=kind,
        status=draw.choice(_STATUSES),
        headers=(("Content-Type", "application/json"), *_headers(draw, elsewhere)),
        body=body,
        delivery=draw.choice(_ODD_DELIVERIES) if draw.random() < _ODD_SHARE else "whole",
        version=draw.choice((*["HTTP/1.1"] * 30, "HTTP/1.0", "HTTP/9.9", "ICY")),
    )
    return _encoded(answer, draw)


def _headers(draw: random.Random, elsewhere: str) -> tuple[tuple[str, str], ...]:
    """Return headers that an answer with any status may have."""
    found: list[tuple[str, str]] = []
    if draw.random() < 0.4:
        found.append(("Retry-After", draw.choice(_RETRY_AFTER)))
    if draw.random() < 0.4:
        path = draw.choice(("/chat/completions", "", "/models"))
        target = draw.choice(
            (elsewhere + path, elsewhere + path, "/v1/chat/completions", "file:///etc/passwd", "http://[")
        )
        found.append(("Location", target))
    if draw.random() < 0.15:
        odd = draw.choice(
            (
                [("Content-Type", "text/html; charset=nonsense")],
                [("Content-Type", "application/json; charset=utf-16")],
                [("Set-Cookie", f"a={number}; Domain=.example") for number in range(100)],
                [(f"X-{number}", "x") for number in range(5000)],
                [("X-Long", "x" * 100_000)],
                [("X-Controls", CONTROLS.replace("\r", ""))],
                [("Upgrade", "h2c"), ("Connection", "upgrade")],
                [("", "")],
            )
        )
        found.extend(odd)
    return tuple(found)


def _encoded(answer: HostileAnswer, draw: random.Random) -> HostileAnswer:
    """Return the answer, perhaps with a length, an encoding or chunks that do not match its body."""
    kind = draw.randrange(16)
    if kind == 0:
        headers = (("Content-Encoding", "gzip"), ("Connection", "close"))
        return replace(answer, kind="gzip bomb", headers=(*answer.headers, *headers), body=gzip_bomb(8192))
    more: tuple[tuple[str, str], ...] = ()
    if kind == 1:
        encodings = ("gzip", "deflate", "br", "zstd", "nonsense", "gzip, gzip", "identity")
        more = (("Content-Encoding", draw.choice(encodings)),)
    elif kind == 2:
        more = (("Content-Length", draw.choice(("-1", "1e3", "9" * 30, "abc", "0", "1", "99999999"))),)
    elif kind == 3:
        more = (("Transfer-Encoding", draw.choice(("chunked", "nonsense"))),)
    elif kind == 4:
        more = (("Content-Length", "5"), ("Content-Length", "6"))
    return replace(answer, headers=(*answer.headers, *more))
