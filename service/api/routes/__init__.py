"""Answer requests: one module for each kind of thing. ``ROUTERS`` lists them, each with the beginning of its paths."""

from __future__ import annotations

from fastapi import APIRouter

from manyhands.service.api.routes import (
    access,
    approvals,
    attention,
    batches,
    console,
    episodes,
    fleet,
    interventions,
    results,
    schedules,
    tasks,
    webhooks,
)

API_V1 = "/api/v1"
ROUTERS: tuple[tuple[APIRouter, str], ...] = (
    (batches.router, API_V1),
    (results.router, API_V1),
    (tasks.router, API_V1),
    (episodes.router, API_V1),
    (interventions.router, API_V1),
    (attention.router, API_V1),
    (approvals.router, API_V1),
    (fleet.router, API_V1),
    (schedules.router, API_V1),
    (webhooks.router, API_V1),
    (access.router, API_V1),
    (console.router, ""),  # last, because it answers all other paths
)
