"""Let people pause, answer, stop, take over and hand back a running episode, and act on its phone."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Header

from manyhands.protocol.errors import EpisodeNotRunning
from manyhands.protocol.runs.interventions import (
    AnswerQuestion,
    EpisodeControl,
    EpisodePhase,
    HandBackEpisode,
    PauseEpisode,
    PersonAction,
    ResumeEpisode,
    ShowControl,
    StopEpisode,
    TakeOverEpisode,
)
from manyhands.protocol.service.access import AccessRole, TokenStatus
from manyhands.protocol.service.batches import TaskPhase
from manyhands.protocol.service.interventions import (
    ControlStatus,
    PersonActionAnswer,
    PersonActionRequest,
    QuestionAnswer,
)
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.authentication import Reader, Submitter, check_owner, check_role
from manyhands.service.api.parts import Context, RouteContext
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.request_body import JsonBody
from manyhands.service.api.routes.batches import CHANGED, MISSING, Reason, tell_fleet
from manyhands.service.api.text_types import EpisodeId, IdempotencyKey

router = APIRouter(tags=["episodes"])


@router.get("/episodes/{episode}/control", responses=MISSING)
async def show_control(_: Reader, context: Context, episode: EpisodeId) -> ControlStatus:
    """Show who controls an episode: the agent, or a person, who may have a phone without an agent."""
    try:
        return ControlStatus.of(await context.parts.fleet.intervene(episode, ShowControl()))
    except EpisodeNotRunning:
        view = (await context.files.episode(episode)).view
        ended = view.ended
        waits = ended is None and await _is_unfinished(context, episode)
        return ControlStatus(
            episode=episode,
            phase=EpisodePhase.RUNNING if waits else EpisodePhase.ENDED,  # it waits for its phone or its host
            is_by_hand=view.started.task.by_hand is not None,
            ending=None if ended is None else ended.ending,
            reason="" if ended is None else ended.explanation,
        )


@router.post("/episodes/{episode}:pause", responses=CHANGED)
async def pause_episode(token: Submitter, context: Context, episode: EpisodeId, reason: Reason = None) -> ControlStatus:
    """Pause an episode: no further action is sent until it is resumed. Its time limit stands still."""
    await _check(token, context, episode)
    request = PauseEpisode(by=token.owner, reason=reason or "")
    return ControlStatus.of(await context.parts.fleet.intervene(episode, request))


@router.post("/episodes/{episode}:resume", responses=CHANGED)
async def resume_episode(token: Submitter, context: Context, episode: EpisodeId) -> ControlStatus:
    """Resume a paused episode."""
    await _check(token, context, episode)
    return ControlStatus.of(await context.parts.fleet.intervene(episode, ResumeEpisode(by=token.owner)))


@router.post("/episodes/{episode}:answer", responses=CHANGED)
async def answer_episode(
    token: Submitter,
    context: Context,
    episode: EpisodeId,
    request: Annotated[QuestionAnswer, Depends(JsonBody(QuestionAnswer))],
) -> ControlStatus:
    """Answer what the agent of an episode asks, or decline to. Only the first answer counts; others are a conflict.

    To allow an action needs the role ``approve``.
    """
    await _check(token, context, episode)
    if request.allows:
        check_role(token, AccessRole.APPROVE)
    answer = AnswerQuestion(by=token.owner, text=request.text, allows=request.allows)
    return ControlStatus.of(await context.parts.fleet.intervene(episode, answer))


@router.post("/episodes/{episode}:stop", responses=CHANGED)
async def stop_episode(token: Submitter, context: Context, episode: EpisodeId, reason: Reason = None) -> ControlStatus:
    """Stop an episode at once, and cancel its task. This is answered when the episode has ended."""
    task = (await _check(token, context, episode)).task
    request = StopEpisode(by=token.owner, reason=reason or "")
    why = request.ending_reason
    tasks = await context.parts.batches.cancel([task], HOST_CLOCK.now(), why)
    try:
        return ControlStatus.of(await context.parts.fleet.intervene(episode, request))
    finally:
        await tell_fleet(context.parts.fleet.cancel(tasks, why))


@router.post("/episodes/{episode}:take-over", responses=CHANGED)
async def take_over_episode(token: Submitter, context: Context, episode: EpisodeId) -> ControlStatus:
    """Take over an episode: the agent holds, and one may act on its phone until one hands it back.

    This is answered when the agent's action under way has ended and the screen is captured.
    """
    await _check(token, context, episode)
    return ControlStatus.of(await context.parts.fleet.intervene(episode, TakeOverEpisode(by=token.owner)))


@router.post("/episodes/{episode}/actions", responses=CHANGED)
async def act_in_episode(
    token: Submitter,
    context: Context,
    episode: EpisodeId,
    request: Annotated[PersonActionRequest, Depends(JsonBody(PersonActionRequest))],
    key: Annotated[
        IdempotencyKey,
        Header(
            alias="Idempotency-Key",
            description="A text that the client chooses for this action. Sent again, the action is carried out once, "
            "also after a restart of the service.",
        ),
    ],
) -> PersonActionAnswer:
    """Carry out an action on the phone of an episode that one has taken over.

    This is answered when the screen is at rest.
    """
    await _check(token, context, episode)
    intervention = PersonAction(by=token.owner, request=key, screen=request.screen, action=request.action)
    return PersonActionAnswer.of(await context.parts.fleet.intervene(episode, intervention))


@router.post("/episodes/{episode}:hand-back", responses=CHANGED)
async def hand_back_episode(token: Submitter, context: Context, episode: EpisodeId) -> ControlStatus:
    """Hand an episode back: the agent goes on from the present screen, and is told what the person did.

    A token with the role operate may end anybody's takeover.
    """
    await _check(token, context, episode)
    request = HandBackEpisode(by=token.owner, is_operator=token.role.allows(AccessRole.OPERATE))
    return ControlStatus.of(await context.parts.fleet.intervene(episode, request))


async def _is_unfinished(context: RouteContext, episode: str) -> bool:
    """Return whether the fleet has an episode whose journal has no end; False if it is over all the same.

    Raises RequestRefused while the fleet does not know it yet: it is opened again after a failure.
    """
    if any(one.task is not None and one.episode == episode for one in await context.parts.fleet.phones()):
        return True
    recorded = (await context.files.episode(episode)).view.started.task.id
    task = await context.parts.batches.task(recorded)
    if task.phase is not TaskPhase.ENDED and task.episode == episode:
        raise RequestRefused(
            ProblemKind.BUSY,
            f"{episode} was interrupted, and the fleet has not resumed it yet; try again",
            headers={"Retry-After": "2"},
        )
    return False


async def _check(token: TokenStatus, context: RouteContext, episode: str) -> EpisodeControl:
    """Return who controls an episode. Raises RequestRefused if it does not run, or if the token may not change it."""
    try:
        control = await context.parts.fleet.intervene(episode, ShowControl())
    except EpisodeNotRunning as error:
        if (await context.files.episode(episode)).view.ended is None:
            await _is_unfinished(context, episode)
        raise RequestRefused(ProblemKind.CONFLICT, str(error)) from error
    if not token.role.allows(AccessRole.OPERATE):
        task = await context.parts.batches.task(control.task)
        check_owner(token, (await context.parts.batches.batch(task.batch)).owner, episode)
    return control
