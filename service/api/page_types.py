"""Print an ``openapi.json`` that has the data of reports, too. ``make web`` makes TypeScript types of it."""

from __future__ import annotations

import json
import sys
from typing import Any

from fastapi import APIRouter, FastAPI

from manyhands.protocol.reports.difference_report import DifferenceReport
from manyhands.protocol.reports.episode_report import EpisodeReport, StepCalls
from manyhands.protocol.reports.run_report import RunReport
from manyhands.service.api.openapi import describe_api
from manyhands.service.api.routes import ROUTERS

REPORT_DATA = (RunReport, EpisodeReport, StepCalls, DifferenceReport)
"""The data that a report loads from the disk. No route of the service needs to answer them."""


def describe_page_types() -> dict[str, Any]:
    """Return the content of ``openapi.json``, with one more path for each type of ``REPORT_DATA``."""
    data = APIRouter()
    for kind in REPORT_DATA:
        data.add_api_route(f"/{kind.__name__}", _answer_nothing, response_model=kind, name=kind.__name__)
    routers = [*ROUTERS, (data, "/report")]
    app = FastAPI(title="Manyhands", version="0", generate_unique_id_function=lambda route: route.name)
    for router, prefix in routers:
        app.include_router(router, prefix=prefix)
    return describe_api(app, (router for router, _ in routers))


def _answer_nothing() -> None:
    """Stand in for a request: the data are files."""


if __name__ == "__main__":
    json.dump(describe_page_types(), sys.stdout, indent=1)
