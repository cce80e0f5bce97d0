"""Start an episode and close it.

At the start the task is journalled, the phone put into its starting state and asked what it tells of itself. At the end
the answer and the check are asked for, the last record is written, and all must be on disk.
"""

from __future__ import annotations

import logging

from pydantic import ValidationError

from manyhands.actors.clock import time_limit
from manyhands.actors.episode.checks.answer import answer_at_end
from manyhands.actors.episode.checks.check import check_at_end
from manyhands.actors.episode.checks.evidence import record_state
from manyhands.actors.episode.crash_watch import read_earlier_crashes
from manyhands.actors.episode.endings import End, end_of_lost_store
from manyhands.actors.episode.profile import ACT, CAPTURE, Profile
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.act import ensure_fit
from manyhands.actors.memory import has_places, offered_on
from manyhands.actors.policy.judgement import find_refused_reset, judges_phone
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, LeaseLost, NotPermitted, PhoneError, StateUnavailable, StoreError
from manyhands.protocol.journals.records import EpisodeEnded, EpisodeStarted, PhonePrepared
from manyhands.protocol.phones import DESCRIPTION, PhoneDescription, Reset, reset_key
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from manyhands.protocol.screens.geometry import Size

INSTALL_S = 600.0
"""How much longer a reset may take that installs an app."""
CLOSING_S = 30.0
"""The time limit for closing the journal, beyond the wait for a lost store. A cancelled episode does not wait for a
lost store."""

logger = logging.getLogger(__name__)


async def start_episode(runtime: EpisodeRuntime, profile: Profile) -> None:
    """Journal the task, then put the phone into its starting state.

    Raises StoreError, PhoneError, CallError.
    """
    order, began_at = runtime.order, runtime.time.began_at
    runtime.time.count_from(began_at)
    await runtime.journal.write(_started(order, profile, began_at, await _offered_memory(runtime)))
    if order.recalled is not None:
        await runtime.journal.write(order.recalled)
    await runtime.journal.flush()
    await prepare_phone(runtime, reset_key(order.episode))


async def prepare_phone(runtime: EpisodeRuntime, key: str) -> None:
    """Put the phone into its starting state, by an action with this key.

    Raises PhoneError, CallError, StoreError, SetupRefused, and NotPermitted if the policy
    refuses the reset.
    """
    gateway, task, policy = runtime.collaborators.gateway, runtime.task, runtime.settings.policy
    refused = find_refused_reset(policy, task)
    if refused and judges_phone(policy, await _ask_description(runtime)):
        raise NotPermitted(refused)
    reset = Reset(key=key, seed=task.reset_seed, build=task.build, device=task.device)
    longer_s = INSTALL_S if task.build is not None and task.build.install else 0.0
    context = StageContext(runtime, ACT, 0)
    timed = await context.call(lambda call: gateway.reset(runtime.lease, reset, call), longer_s=longer_s)
    ensure_fit(runtime.order.lease.serial, timed.value)
    phone = await _ask_description(runtime)
    crashes = await read_earlier_crashes(runtime)
    await runtime.journal.write(
        PhonePrepared(at=runtime.clock.now(), receipts=(timed.value,), phone=phone, crashes=crashes)
    )
    await record_state(runtime)


async def set_up_again(runtime: EpisodeRuntime, key: str) -> None:
    """Set the task's settings for an episode that goes on. A run that was stopped gave the phone its own values back.

    Raises PhoneError, CallError.
    """
    task = runtime.task
    if task.device is not None:
        reset = Reset(key=key, build=task.build, device=task.device, keeps_place=True)
        gateway = runtime.collaborators.gateway
        await StageContext(runtime, ACT, 0).call(lambda call: gateway.reset(runtime.lease, reset, call))


def _started(order: EpisodeOrder, profile: Profile, began_at: float, memory: LongTermMemory) -> EpisodeStarted:
    return EpisodeStarted(
        at=began_at,
        run=order.run,
        episode=order.episode,
        attempt=order.attempt,
        task=order.task,
        serial=order.lease.serial,
        epoch=order.lease.epoch,
        profile=profile.name,
        schedule=order.settings.schedule,
        stages=profile.stage_names(order.settings),
        memory=memory,
        settings=order.settings.model_dump(mode="json"),
        batch=order.batch,
        place=order.place,
        restarts=order.restarts,
    )


async def _offered_memory(runtime: EpisodeRuntime) -> LongTermMemory:
    """Return the tips and shortcuts that the episode knows from the start.

    Leave out shortcuts with places from a screen of another size.
    """
    memory = runtime.order.memory
    if runtime.settings.paper_exact or not any(has_places(shortcut) for shortcut in memory.shortcuts):
        return memory
    return offered_on(memory, await _screen_size(runtime))


async def _screen_size(runtime: EpisodeRuntime) -> Size | None:
    """Return the size of the phone's screen; None if the phone does not answer; the reset that follows
    reports the error.
    """
    gateway, serial = runtime.collaborators.gateway, runtime.order.lease.serial
    try:
        return (await StageContext(runtime, CAPTURE, 0).call(lambda _: gateway.size(serial))).value
    except (PhoneError, CallError) as error:
        logger.warning("%s: the size of the screen is not known: %s", runtime.order.episode, error)
        return None


async def _ask_description(runtime: EpisodeRuntime) -> PhoneDescription | None:
    """Return what the phone tells of itself; None if it tells nothing."""
    gateway = runtime.collaborators.gateway
    try:
        answer = await StageContext(runtime, CAPTURE, 0).call(
            lambda call: gateway.state(runtime.lease, DESCRIPTION, call)
        )
        return PhoneDescription.model_validate(answer.value)
    except (PhoneError, StateUnavailable, LeaseLost, CallError, ValidationError) as error:
        logger.warning("%s: the phone's time and apps are not known: %s", runtime.order.episode, error)
        return None


async def close_episode(runtime: EpisodeRuntime, end: End) -> EpisodeResult:
    """Ask for the answer, ask the check, write the last record and wait until all is on disk.

    If the journal already has an end, that end stays.
    """
    journal, order = runtime.journal, runtime.order
    ended = journal.state.ended or await _ended(runtime, end)
    away_s = 0.0 if end.ending is Ending.CANCELLED else runtime.settings.disk_wait_s
    try:
        async with time_limit(runtime.clock, runtime.clock.now() + CLOSING_S + away_s, "closing the journal"):
            if journal.state.ended is None and journal.writable:
                await journal.write(ended)
            await journal.flush()
            await runtime.screens.flush()
    except (StoreError, CallError) as error:
        store_end = end_of_lost_store(error)
        reason = f"{store_end.reason}; the episode had ended as {end.ending}"
        ended = ended.model_copy(update={"ending": store_end.ending, "reason": reason})
    return EpisodeResult.of(
        ended,
        episode=order.episode,
        task=order.task,
        serial=order.lease.serial,
        attempt=order.attempt,
        in_vain=journal.state.in_vain,
        failure=journal.state.last_failure,
        started_at=runtime.time.began_at,
    )


async def _ended(runtime: EpisodeRuntime, end: End) -> EpisodeEnded:
    """Return the last record.

    If the phone or the lease was lost before the check, the record allows the episode to be resumed.
    """
    answer = await answer_at_end(runtime, end)
    checked = await check_at_end(runtime, answer.end)
    state = runtime.journal.state
    return EpisodeEnded(
        at=runtime.clock.now(),
        ending=checked.end.ending,
        reason=checked.end.reason,
        steps=state.steps_taken,
        verified=False if checked.end.crash is not None else checked.verified,
        verified_by=checked.verified_by,
        rubrics=checked.rubrics,
        unmet=checked.unmet,
        rubrics_unmet=checked.rubrics_unmet,
        check_screen=checked.screen,
        unexpected_changes=checked.unexpected_changes,
        answer=answer.text,
        answer_data=answer.data,
        answered=answer.answered,
        afresh=checked.end.afresh,
        server_away=state.server_away or runtime.outages.met_outage,
        crash=checked.end.crash,
    )
