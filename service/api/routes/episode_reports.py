"""Show an episode with all that its journal tells, while it runs and afterwards."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from manyhands.evaluation.report.episode_reports import report_episode, step_calls
from manyhands.protocol.phones.phone_log import LOGCAT
from manyhands.protocol.reports.episode_report import EpisodeReport, StepCalls
from manyhands.protocol.runs.folder_identity import EPISODES
from manyhands.service.api.authentication import Reader
from manyhands.service.api.parts import Context
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.routes.batches import MISSING
from manyhands.service.api.run_files import FoundEpisode
from manyhands.service.api.text_types import EpisodeId

router = APIRouter(tags=["episodes"])
LAST_STEP = 10**9
_REPORTED = {304: {"description": "The journal has no record that `If-None-Match` does not cover."}, **MISSING}


@router.get("/episodes/{episode}/report", responses=_REPORTED, response_model=EpisodeReport)
async def report_steps(
    _: Reader,
    context: Context,
    request: Request,
    episode: EpisodeId,
    first: Annotated[
        int, Query(alias="from", description="The first step to show. Earlier ones are left out.", ge=0, le=LAST_STEP)
    ] = 0,
) -> Response:
    """Show an episode with its stages, model calls and what was read off its screens.

    The answer has an `ETag`. A page that follows an episode sends it as `If-None-Match`.
    """
    stored_episode = await context.files.episode(episode)
    headers = {"ETag": f'"{stored_episode.state}"', "Cache-Control": "private, no-cache"}
    if headers["ETag"] in {tag.strip() for tag in request.headers.get("if-none-match", "").split(",")}:
        return Response(status_code=304, headers=headers)
    body = await context.files.read(lambda _: _report(stored_episode, first))
    return Response(body, media_type="application/json", headers=headers)


@router.get("/episodes/{episode}/steps/{step}/calls", responses=MISSING, response_model=StepCalls)
async def show_calls(
    _: Reader,
    context: Context,
    episode: EpisodeId,
    step: Annotated[int, Path(description="The number of the step, from 0.", ge=0, le=LAST_STEP)],
) -> Response:
    """Show what the model calls of a step sent and received."""
    stored_episode = await context.files.episode(episode)
    shown_step = next((one for one in stored_episode.view.steps if one.number == step), None)
    if shown_step is None:
        raise RequestRefused(ProblemKind.NOT_FOUND, f"{episode}: it has no step {step}")
    body = await context.files.read(lambda _: step_calls(stored_episode.view, shown_step).model_dump_json())
    return Response(body, media_type="application/json")


def _report(stored_episode: FoundEpisode, first: int) -> str:
    folder = stored_episode.run.path / EPISODES / stored_episode.view.started.episode
    return report_episode(stored_episode.view, first, has_log=(folder / LOGCAT).is_file()).model_dump_json()
