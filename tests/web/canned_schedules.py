"""Make the schedules of a canned service."""

from __future__ import annotations

import datetime
import time
import zoneinfo
from collections.abc import Sequence
from typing import Any


def canned_schedules(goals: Sequence[str]) -> list[dict[str, Any]]:
    """Return a schedule of each kind."""
    now = time.time()
    two = datetime.datetime.now(zoneinfo.ZoneInfo("Europe/Berlin")).replace(hour=2, minute=0, second=0, microsecond=0)
    nights = [(two + datetime.timedelta(days=day)).timestamp() for day in range(-1, 5)]
    following = [night for night in nights if night > now][:3]
    common = {"deadline_s": None, "missed": "once", "overlap": "skip", "created_at": now - 9e5, "skipped": 1}
    tasks = {"tasks": [{"id": f"t{number}", "goal": goal} for number, goal in enumerate(goals)]}
    return [
        {
            "id": "s1",
            "owner": "nightly",
            "name": "nightly regression",
            "when": "0 2 * * *",
            "zone": "Europe/Berlin",
            "batch": tasks,
            "paused": False,
            "next_times": following,
            "last_due": max(night for night in nights if night <= now),
            "last_batch": "b11",
            "submitted": 37,
            "problem": None,
            **common,
        },
        {
            "id": "s2",
            "owner": "anna",
            "name": "smoke every quarter of an hour",
            "when": "every 15m",
            "zone": "UTC",
            "batch": {"tasks": tasks["tasks"][:2]},
            "paused": True,
            "next_times": [],
            "last_due": now - 3000,
            "last_batch": "b13",
            "submitted": 310,
            "problem": "the batch names the suite 'shop.yaml', which is gone",
            **common,
        },
    ]


def foresee(when: str) -> dict[str, Any]:
    """Return when a schedule would submit: at any line of five fields."""
    if len(when.split()) != 5:
        return {"next_times": [], "problem": f"{when!r} names no times: write a cron line of five fields"}
    return {"next_times": [time.time() + day * 86400 for day in range(1, 6)], "problem": None}
