"""Answer requests: one module for each kind of thing. ``ROUTERS`` lists them, each with the beginning of its paths."""

from __future__ import annotations

from fastapi import APIRouter

from manyhands.service.api.routes import (
    access,
    attention,
    batches,
    console,
    documentation,
    episode_reports,
    episodes,
    fleet,
    interventions,
    phone_history,
    results,
    schedules,
    sessions,
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
    (episode_reports.router, API_V1),
    (attention.router, API_V1),
    (phone_history.router, API_V1),  # before fleet, whose serials may have slashes
    (fleet.router, API_V1),
    (schedules.router, API_V1),
    (webhooks.router, API_V1),
    (access.router, API_V1),
    (sessions.router, API_V1),
    (documentation.router, ""),
    (console.router, ""),  # last, because it answers all other paths
)
