"""Show what agents ask people to allow, and answer equal questions at once."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path

from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.runs.interventions import AnswerQuestion
from manyhands.protocol.service.access import AccessRole, TokenStatus
from manyhands.protocol.service.attention import Approval, ApprovalOutcome, HeldEpisode
from manyhands.service.api.authentication import Reader, Submitter, check_owner, check_role
from manyhands.service.api.parts import Context, RouteContext
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.routes.attention import find_held, group_approvals
from manyhands.service.api.routes.batches import CHANGED

AT_ONCE = 32
"""How many episodes are told an answer at the same time."""
router = APIRouter(tags=["attention"])
ApprovalId = Annotated[str, Path(description="The id of an approval.", pattern=r"^[0-9a-f]{16}$")]


@router.get("/approvals")
async def list_approvals(_: Reader, context: Context) -> list[Approval]:
    """Show which actions wait for a person's word. Equal questions of several phones are one."""
    return list(group_approvals(await find_held(context, await context.parts.fleet.phones())))


@router.post("/approvals/{approval}:allow", responses=CHANGED)
async def allow_approval(token: Submitter, context: Context, approval: ApprovalId) -> list[ApprovalOutcome]:
    """Allow the action on each phone that the approval lists, and on no other. Needs the role ``approve``."""
    check_role(token, AccessRole.APPROVE)
    return await _answer(token, context, approval, is_allowed=True)


@router.post("/approvals/{approval}:decline", responses=CHANGED)
async def decline_approval(token: Submitter, context: Context, approval: ApprovalId) -> list[ApprovalOutcome]:
    """Decline the action on each phone that the approval lists."""
    return await _answer(token, context, approval, is_allowed=False)


async def _answer(token: TokenStatus, context: RouteContext, id: str, *, is_allowed: bool) -> list[ApprovalOutcome]:
    """Answer the question of each episode; an answer counts once. Raises RequestRefused before any is answered."""
    open_now = group_approvals(await find_held(context, await context.parts.fleet.phones()))
    approval = next((one for one in open_now if one.id == id), None)
    if approval is None:
        raise RequestRefused(
            ProblemKind.CONFLICT, f"{id}: it was answered, or other phones ask it by now: list the approvals again"
        )
    for episode in approval.episodes:
        check_owner(token, episode.owner, episode.episode)
    free = asyncio.Semaphore(AT_ONCE)

    async def tell(episode: HeldEpisode) -> ApprovalOutcome:
        answer = AnswerQuestion(by=token.owner, allows=episode.consent.id if is_allowed and episode.consent else None)
        problem = ""
        async with free:
            try:
                await context.parts.fleet.intervene(episode.episode, answer)
            except ManyhandsError as error:
                problem = str(error)
        return ApprovalOutcome(episode=episode.episode, serial=episode.serial, problem=problem)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(tell(episode)) for episode in approval.episodes]
    return [task.result() for task in tasks]
