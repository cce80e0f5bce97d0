"""Look at episodes, their steps and their screens, as the journals in the run folder tell them."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import FileResponse, Response

from manyhands.evaluation.report.episode_reports import episode_status, episode_step, report_episode, step_calls
from manyhands.protocol.episode_report import EpisodeReport, StepCalls
from manyhands.protocol.phones import LOGCAT
from manyhands.protocol.runs.folder_identity import EPISODES
from manyhands.protocol.service.access import ListPage
from manyhands.protocol.service.episodes import EpisodeStatus, EpisodeStep, EpisodeWriting, ModelWriting
from manyhands.service.api.authentication import Reader
from manyhands.service.api.parts import Context, RouteContext
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.routes.batches import MISSING
from manyhands.service.api.run_files import FoundEpisode
from manyhands.service.api.text_types import DEFAULT_LIMIT, ContentId, EpisodeId, Limit

router = APIRouter(tags=["episodes"])
PICTURE_WAITS_S = (0.1, 0.2, 0.4, 0.8, 1.5, 3.0)
"""How long a request waits again and again for a picture that is named and not written yet: 6 s in all."""
_FOR_EVER = {"Cache-Control": "private, max-age=31536000, immutable"}
"""A content id names the pixels, so a screen never changes."""
_PICTURES = {
    200: {
        "description": "The picture.",
        "content": {
            "image/png": {"schema": {"type": "string", "format": "binary", "description": "The whole screenshot."}},
            "image/jpeg": {"schema": {"type": "string", "format": "binary", "description": "A small picture."}},
        },
    },
    **MISSING,
}


@router.get("/episodes/{episode}", responses=MISSING)
async def show_episode(_: Reader, context: Context, episode: EpisodeId) -> EpisodeStatus:
    """Show an episode."""
    return episode_status((await context.files.episode(episode)).view)


@router.get("/episodes/{episode}/writing")
async def show_writing(_: Reader, context: Context, episode: EpisodeId) -> EpisodeWriting:
    """Show what models are writing now for a running episode, the newest call at the end.

    The model's calls are streamed only while somebody asks for this: ask once a second.
    """
    texts = await context.parts.fleet.partial_replies(episode)
    return EpisodeWriting(calls=tuple(ModelWriting(role=one.role, since=one.since, text=one.text) for one in texts))


@router.get("/episodes/{episode}/steps", responses=MISSING)
async def list_steps(
    _: Reader,
    context: Context,
    episode: EpisodeId,
    cursor: Annotated[
        str | None,
        Query(description="Where the list goes on: `next_cursor` of the part before.", pattern="^[0-9]{1,9}$"),
    ] = None,
    limit: Limit = DEFAULT_LIMIT,
) -> ListPage[EpisodeStep]:
    """List the steps of an episode. While it runs, the list grows."""
    view = (await context.files.episode(episode)).view
    first = 0 if cursor is None else int(cursor)
    steps = [step for step in view.steps if step.number >= first]
    following = str(steps[limit].number) if len(steps) > limit else None
    return ListPage(items=tuple(episode_step(view, step) for step in steps[:limit]), next_cursor=following)


@router.get("/episodes/{episode}/screens/{screen}", responses=_PICTURES, response_class=Response)
async def show_screen(
    _: Reader,
    context: Context,
    episode: EpisodeId,
    screen: ContentId,
    width: Annotated[
        int | None,
        Query(description="Send a JPEG of at most this width in pixels, instead of the whole PNG.", ge=16, le=1080),
    ] = None,
) -> Response:
    """Send a screen of an episode as a picture.

    The wall and the journal of a running episode name a screen up to seconds before its picture is written. The answer
    waits for that.
    """
    for pause in PICTURE_WAITS_S:
        try:
            return await _send_screen(context, episode, screen, width)
        except RequestRefused as refusal:
            if refusal.problem.status != ProblemKind.NOT_FOUND.status or not await _is_running(context, episode):
                raise
        await asyncio.sleep(pause)
    return await _send_screen(context, episode, screen, width)


async def _is_running(context: RouteContext, episode: str) -> bool:
    """Return whether an episode runs. Any screen that is asked for may have been named, and not been written yet."""
    phones = await context.parts.fleet.phones()
    return any(phone.task is not None and phone.episode == episode for phone in phones)


async def _send_screen(context: RouteContext, episode: str, screen: str, width: int | None) -> Response:
    stored_episode = await context.files.episode(episode)
    ended = stored_episode.view.ended
    screens = {shot.content_id for shot in stored_episode.view.screenshots} | {ended.check_screen if ended else None}
    if screen not in screens:
        raise RequestRefused(ProblemKind.NOT_FOUND, f"{screen}: the episode has no such screen")
    if width is not None:
        small = await context.files.thumbnail(stored_episode.run, screen, width)
        return Response(small, media_type="image/jpeg", headers=_FOR_EVER)
    return FileResponse(
        await context.files.screen(stored_episode.run, screen), media_type="image/png", headers=_FOR_EVER
    )


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
