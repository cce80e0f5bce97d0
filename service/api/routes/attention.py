"""Show what needs a person, and dismiss or retry failed tasks by their cause."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from manyhands.protocol.service.access import AccessRole, TokenStatus
from manyhands.protocol.service.attention import Approval, AttentionList, AttentionModel, AttentionPhone, HeldEpisode
from manyhands.protocol.service.batches import TaskStatus
from manyhands.protocol.service.events import EventKind
from manyhands.protocol.service.fleet import PhonePhase, PhoneStatus
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.authentication import Reader, Submitter
from manyhands.service.api.parts import Context, RouteContext
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.routes.batches import CHANGED, MISSING
from manyhands.service.database.batches.batch_queries import MOST_TRIES
from manyhands.service.database.event_repository import EventFilter
from manyhands.service.database.failure_repository import OpenFailure

router = APIRouter(tags=["attention"])
CauseId = Annotated[str, Path(description="The id of a cause of failures.", pattern=r"^[0-9a-f]{16}$")]
_MODEL = "the model"
"""Begins what a run waits for, if that is a model."""


@router.get("/attention")
async def list_attention(token: Reader, context: Context) -> AttentionList:
    """Show what needs a person: failed tasks by cause, phones without tasks, models that do not answer, held episodes.

    Tasks that were retried or dismissed are left out. Of many failed tasks, the newest 2,000 are counted.
    """
    failed = await context.parts.failures.open_failures()
    groups = context.causes.group(failed.newest)
    newest = [failures[0].episode for failures in groups.values()]
    places = await context.places.find([episode for episode in newest if episode is not None])
    causes = [
        context.causes.describe(id, failures, places[failures[0].episode or ""], len(_changeable(token, failures)))
        for id, failures in groups.items()
    ]
    fleet = await context.parts.fleet.phones()
    phones = tuple(
        AttentionPhone(serial=phone.serial, phase=phone.phase, reason=phone.reason, since=phone.phase_since)
        for phone in fleet
        if phone.phase in (PhonePhase.AWAY, PhonePhase.ASIDE)
    )
    held_phones = await find_held(context, fleet)
    approvals = group_approvals(held_phones)
    other_held = sum(one.consent is None for one in held_phones)
    models = await _models(context)
    causes.sort(key=lambda cause: -cause.last_at)
    count = len(causes) + len(phones) + len(models) + other_held + len(approvals)
    return AttentionList(
        causes=tuple(causes),
        phones=phones,
        models=models,
        held=held_phones,
        approvals=approvals,
        open=count,
        has_more=failed.has_more,
    )


@router.post("/attention/{cause}:dismiss", status_code=204, responses=MISSING, response_class=Response)
async def dismiss_cause(token: Submitter, context: Context, cause: CauseId) -> None:
    """Dismiss the failures of a cause. A later failure of the same cause is shown again.

    With the role `submit`, one's own tasks are dismissed; with `operate`, everybody's.
    """
    failures = await _failures(token, context, cause)
    await context.parts.failures.dismiss(failures, token.owner, HOST_CLOCK.now())


@router.post("/attention/{cause}:retry", status_code=201, responses=CHANGED)
async def retry_cause(token: Submitter, context: Context, cause: CauseId) -> list[TaskStatus]:
    """Submit all failed tasks of a cause once more that were not tried too often. Return the new tasks.

    With the role `submit`, one's own tasks are retried; with `operate`, everybody's.
    """
    failures = await _failures(token, context, cause)
    retriable = [failure.task for failure in failures if not failure.is_exhausted]
    if not retriable:
        raise RequestRefused(
            ProblemKind.CONFLICT, f"{cause}: each task was tried {MOST_TRIES} times, which is the limit"
        )
    retries = await context.parts.batches.retry(retriable, HOST_CLOCK.now())
    context.parts.fleet.wake()
    return list(retries)


async def _failures(token: TokenStatus, context: RouteContext, cause: str) -> Sequence[OpenFailure]:
    """Return the failures of a cause that a token may change. Raises RequestRefused if there are none."""
    failures = context.causes.group((await context.parts.failures.open_failures()).newest).get(cause)
    if not failures:
        raise RequestRefused(ProblemKind.NOT_FOUND, f"{cause}: no failure with this cause is open")
    changeable = _changeable(token, failures)
    if not changeable:
        raise RequestRefused(
            ProblemKind.FORBIDDEN, "the tasks belong to others; a token with the role operate may change them"
        )
    return changeable


def _changeable(token: TokenStatus, failures: Sequence[OpenFailure]) -> Sequence[OpenFailure]:
    """Return those failures that a token may retry and dismiss."""
    if token.role.allows(AccessRole.OPERATE):
        return failures
    is_submitter = token.role.allows(AccessRole.SUBMIT)
    return [failure for failure in failures if is_submitter and failure.owner == token.owner]


def group_approvals(episodes: Iterable[HeldEpisode]) -> tuple[Approval, ...]:
    """Return the questions of episodes that wait, equal ones as one, in the order of their first episodes.

    Questions are equal if their goals and texts are, and all that was typed. The text names the action, its target, the
    app and the greatest amount shown.
    """
    groups: dict[tuple[str, str, str], list[HeldEpisode]] = {}
    for episode in episodes:
        if episode.consent is not None:
            groups.setdefault((episode.goal, episode.question, episode.consent.about), []).append(episode)
    return tuple(
        Approval(id=_digest(group), goal=goal, question=question, episodes=tuple(group))
        for (goal, question, _), group in groups.items()
    )


def _digest(episodes: Sequence[HeldEpisode]) -> str:
    """Return the digest of what a person saw: these episodes, each with its question."""
    questions = sorted(f"{one.episode} {one.consent.id}" for one in episodes if one.consent)
    return hashlib.blake2b("\n".join(questions).encode(), digest_size=8).hexdigest()


async def find_held(context: RouteContext, fleet: Sequence[PhoneStatus]) -> tuple[HeldEpisode, ...]:
    """Return the episodes that people hold, or whose agents ask, the one that has been held longest first."""
    phones = [
        phone for phone in fleet if phone.held_by is not None and (phone.is_paused or phone.taken_over_by is not None)
    ]
    phones.sort(key=lambda phone: phone.held_since or 0.0)
    return tuple([await _describe(context, phone) for phone in phones])


async def _describe(context: RouteContext, phone: PhoneStatus) -> HeldEpisode:
    task = await context.parts.batches.task(phone.task or "")
    return HeldEpisode(
        episode=phone.episode or "",
        task=task.id,
        owner=task.owner,
        goal=task.goal,
        serial=phone.serial,
        is_paused=phone.is_paused,
        by=phone.held_by or "",
        question=phone.question,
        consent=phone.consent,
        since=phone.held_since,
    )


async def _models(context: RouteContext) -> tuple[AttentionModel, ...]:
    waits = [wait for wait in (await context.parts.fleet.status()).waiting_for if wait.startswith(_MODEL)]
    if not waits:
        return ()
    away = (await context.parts.events.latest(EventFilter(kinds=(EventKind.MODEL_AWAY,)), None, 1)).items
    since = away[0].at if away else None
    parts = (wait.partition(": ") for wait in waits)
    return tuple(AttentionModel(what=what, reason=reason, since=since) for what, _, reason in parts)
