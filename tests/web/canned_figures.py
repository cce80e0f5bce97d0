"""Make the figures of a canned service: steps, tokens, queues and servers of the last hour."""

from __future__ import annotations

import math
import random
import time
from typing import Any


def canned_models() -> list[dict[str, Any]]:
    """Return the models of all roles."""
    servers = ["http://10.0.0.8:8000/v1", "http://10.0.0.9:8000/v1"]
    return [
        {
            "role": role,
            "model": "Qwen3-VL-32B",
            "servers": servers,
            "calls": 18_000 + 7 * number,
            "failures": number * 3,
        }
        for number, role in enumerate(("decide", "plan", "reflect", "note", "judge"))
    ]


def canned_figures() -> dict[str, Any]:
    """Return the figures of the last hour."""
    now = time.time()
    points = [_point(now - (360 - number) * 10, number) for number in range(360)]
    return {"since": points[0]["at"], "every_s": 10, "points": points}


def _point(at: float, number: int) -> dict[str, Any]:
    wave = 1 + 0.25 * math.sin(number / 22) + random.Random(number).uniform(-0.08, 0.08)
    roles = [
        {
            "role": role,
            "server": server,
            "input_tokens_per_min": size * wave,
            "output_tokens_per_min": size / 30 * wave,
            "cached_share": min(1, 0.62 + 0.1 * math.sin(number / 40)),
            "calls_per_min": 420 * wave,
            "errors_per_min": 2.0 if 120 < number < 150 and role == "decide" else 0.0,
            "latency_ms": milliseconds * (wave + 1) / 2,
        }
        for role, server, size, milliseconds in (
            ("decide", "http://10.0.0.8:8000/v1", 910_000, 1400),
            ("plan", "http://10.0.0.8:8000/v1", 640_000, 1900),
            ("reflect", "http://10.0.0.9:8000/v1", 480_000, 1050),
            ("note", "http://10.0.0.9:8000/v1", 90_000, 640),
        )
    ]
    return {
        "at": at,
        "steps_per_min": 400 * wave,
        "episodes": 160,
        "waiting": 900 - number,
        "roles": roles,
        "models": [
            {"role": one["role"], "in_flight": int(24 * wave), "waiting": int(6 * wave), "cap": 64} for one in roles
        ],
        "servers": [
            {
                "server": server,
                "state": state,
                "in_flight": int(48 * wave),
                "waiting": int(3 * wave),
                "running": int(45 * wave),
                "cache_usage": 0.71,
            }
            for server, state in (("http://10.0.0.8:8000/v1", "up"), ("http://10.0.0.9:8000/v1", "cooling"))
        ],
        "perception": {
            "reading": int(6 * wave),
            "waiting": int(2 * wave),
            "workers": 8,
            "pictures_per_min": 410 * wave,
            "ms": 620 * wave,
        },
    }
