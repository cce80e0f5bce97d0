"""act(t): carry out a(t), one atom after another. Each atom is journalled before it is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count, islice

from manyhands.actors.episode.profile import ACT, CAPTURE, Stage
from manyhands.actors.episode.recent_pictures import CapturedScreen, Picture
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages import verdicts
from manyhands.actors.episode.stages.atomic_actions import ActionUnusable, atoms_of, check_points, tap_on
from manyhands.actors.episode.stages.continuation import LEADING, find_doubt
from manyhands.actors.episode.stages.perceive import capture_now
from manyhands.actors.episode.stages.permission import require_verdict
from manyhands.actors.episode.stages.person_question import ask_person
from manyhands.actors.episode.stages.shortcut_preconditions import refusal_reason
from manyhands.actors.episode.state import StepState
from manyhands.actors.memory import ShortcutAction
from manyhands.protocol.errors import (
    ActorLost,
    CallError,
    DeadlinePassed,
    LeaseLost,
    ManyhandsError,
    NotPermitted,
    PhoneUnfit,
    StoreError,
)
from manyhands.protocol.journals.records import Acted, ActionReceived, ActionSent, Fault, Record, Span
from manyhands.protocol.phones import Perform, Receipt, action_key
from manyhands.protocol.policy import Verdict
from manyhands.protocol.screens.actions import AskPerson, AtomicAction, ClickIcon, ClickText, RunShortcut, Wait
from manyhands.protocol.screens.screen import Screenshot

MOST_SENDS = 3
"""How often an atom is sent that the gateway never begins. The atom itself may make the gateway fail each time."""
PAUSE_S = 0.5
"""The pause before a lost gateway is asked again."""
AT_HOME = "the app that came to the front gives no picture ({0}), so the phone was sent to its home screen"
AtomsOf = Callable[[StageContext], Sequence[ShortcutAction]]
"""Returns the atoms of a step's action. The step must have an action. Raises a ManyhandsError if the action has no
atoms."""


def decided_atoms(context: StageContext) -> tuple[ShortcutAction, ...]:
    """Return the atoms of the decision, each fit for its screen. Raises ActionUnusable, ShortcutUnusable."""
    runtime, at = context.runtime, context.state.step(context.step)
    assert at.decision is not None
    assert at.decision.action is not None
    return atoms_of(at.decision.action, at.visible_screen, context.memory.shortcuts, runtime.settings.paper_exact)


async def act(context: StageContext, atoms: AtomsOf = decided_atoms) -> tuple[Record, ...]:
    """Carry out the decision. If that is not possible, the step counts as failed.

    An action that an interruption cut off is not continued: the state shows what became of the atoms that were sent.

    The screen after the last atom arrives with the atom's receipt, and is kept for capture(step + 1). Raises PhoneLost,
    LeaseLost, StoreError, CallError.
    """
    step, start = context.step, context.runtime.clock.now()
    progress = ActionProgress()
    failure = await _carry_out(context, atoms, progress)
    span = context.span(start, progress.queue_ms)
    if progress.shown is not None:
        context.runtime.pictures.captured[step + 1] = progress.shown
        span = span.model_copy(update={"end": progress.shown.span.start})
    if failure is None:
        return (Acted(step=step, span=span, dropped=progress.dropped),)
    return (Acted(step=step, span=span, problem=failure.problem, fault=failure.fault),)


@dataclass(frozen=True, slots=True)
class Failure:
    """Hold why an action failed, and the kind of fault."""

    problem: str
    fault: Fault


@dataclass(slots=True)
class ActionProgress:
    """Hold how far a step's action has progressed."""

    queue_ms: float = 0.0
    """How long the action has waited in queues."""
    shown: CapturedScreen | None = None
    """The screen at rest after the last atom, if it arrived with the receipt."""
    dropped: str = ""
    """Why actions that were to follow at once were not sent."""


async def _carry_out(context: StageContext, atoms_for: AtomsOf, progress: ActionProgress) -> Failure | None:
    """Carry out the atoms. Return why the action failed; None if nothing shows that it failed."""
    runtime, at = context.runtime, context.state.step(context.step)
    assert at.decision is not None
    if at.decision.action is None:
        return Failure(at.decision.problem or "the model's reply was no action", "action")
    following: tuple[ShortcutAction, ...] = at.decision.then
    if following and not isinstance(at.decision.action, LEADING):
        following, progress.dropped = (), f"nobody can know the screen after {at.decision.action.name}."
    try:
        own = tuple(atoms_for(context))
        check_points(following, at.visible_screen.size)
    except ManyhandsError as error:
        return Failure(str(error), "action")
    if isinstance(at.decision.action, AskPerson):
        came_at = runtime.clock.now()
        problem = await ask_person(context, at.decision.action.text)
        progress.queue_ms += (runtime.clock.now() - came_at) * 1000
        return None if problem is None else Failure(problem, "action")
    atoms = (*own, *following)
    if at.sent:
        return _interrupted(at, atoms)
    not_permitted = refusal_reason(at)
    if not_permitted is not None:
        return Failure(not_permitted, "precondition")
    before: Screenshot | None = at.screenshot
    after, fresh = None, True
    for index, part in enumerate(atoms):
        if isinstance(part, Wait):
            progress.shown = after = before = None  # no screen shows its effect
            await runtime.control.sleep(part.seconds)
        elif part.touches:
            of = _of(index, atoms)
            try:
                atom = await _locate(context, part, after, fresh)
            except ActionUnusable as error:
                return _end(progress, f"{of}{error}", is_following=index >= len(own))
            try:
                receipt = await send(context, index, atom, progress, after)
            except NotPermitted as error:
                return Failure(f"{of}{error}", "policy")
            if receipt is not None and receipt.status == "refused":
                return _end(progress, f"{of}{receipt.detail}", is_following=index >= len(own))
            last = index + 1 == len(atoms)
            if not last and (receipt is None or receipt.status == "unknown"):
                return Failure(f"{of}nobody knows whether the phone got it, so what follows was not sent", "lost")
            after = progress.shown if last else await _come_to_rest(context, progress)
            if after is not None and after.screenshot.sent_home:
                return Failure(f"{of}{AT_HOME.format(after.screenshot.sent_home)}", "surprise")
            if not last and after is not None:
                surprise = await _surprise(context, atom, atoms[index + 1], before, after)
                if surprise is not None:
                    return _end(progress, f"{of}{surprise} What follows was not sent.", is_following=bool(following))
                before = after.screenshot
        fresh = False
    return None


async def _locate(
    context: StageContext, part: ShortcutAction, latest: CapturedScreen | None, fresh: bool
) -> AtomicAction:
    """Return the atom of a part. If the part names its target by words, the atom is a tap.

    ``fresh``: the screen still shows s(t). Raises ActionUnusable if the named target is not on the present screen.
    """
    if not isinstance(part, ClickText | ClickIcon):
        return part
    runtime, at = context.runtime, context.state.step(context.step)
    if fresh and at.screenshot is not None:
        return await tap_on(context, part, at.screenshot, runtime.picture(context.step).frame)
    captured = latest or await capture_now(StageContext(runtime, CAPTURE, context.step))
    return await tap_on(context, part, captured.screenshot, captured.picture.frame)


def _end(progress: ActionProgress, reason: str, is_following: bool) -> Failure | None:
    """Return that the action failed. If only an action that was to follow is not sent, note that it was dropped."""
    if not is_following:
        return Failure(reason, "surprise")
    progress.dropped = reason
    return None


async def _surprise(
    context: StageContext,
    atom: AtomicAction,
    following: ShortcutAction,
    before: Screenshot | None,
    after: CapturedScreen,
) -> str | None:
    """Return why the following atoms must not be sent. The papers send them blindly (Mobile-Agent-E, section 3.2)."""
    settings, at = context.runtime.settings, context.state.step(context.step)
    if at.decision is not None and at.decision.then:
        return await find_doubt(context, atom, following, before, after)
    routine = at.decision is not None and isinstance(at.decision.action, RunShortcut)
    if not routine or settings.paper_exact or not settings.has("checks") or before is None:
        return None
    return verdicts.surprise(atom, following, at, before, after.screenshot, settings.cheap_verdicts)


def _interrupted(at: StepState, atoms: Sequence[ShortcutAction]) -> Failure | None:
    """Return why an action counts as failed that an interruption cut off. No more atoms of it are sent."""
    touching = [index for index, atom in enumerate(atoms) if atom.touches]
    receipts = {receipt.key: receipt for receipt in at.receipts}
    fates = [receipts[record.key].status if record.key in receipts else "unknown" for record in at.sent]
    # After a refused atom that is not the last record, the same atom was sent again under another key.
    begun_count = 1 + sum(fate != "refused" for fate in fates[:-1])
    of = _of(touching[begun_count - 1], atoms)
    if fates[-1] == "refused":
        last = receipts[at.sent[-1].key]
        return Failure(f"{of}{last.detail}", "lost" if last.never_begun else "surprise")
    if begun_count == len(touching):
        return None
    return Failure(f"{of}interrupted, so what follows was not sent", "lost")


def _of(index: int, atoms: Sequence[ShortcutAction]) -> str:
    """Return a prefix that says which atom is meant, if the action has several atoms."""
    return f"{atoms[index].name}, action {index + 1} of {len(atoms)}: " if len(atoms) > 1 else ""


async def send(
    context: StageContext, index: int, atom: AtomicAction, progress: ActionProgress, latest: CapturedScreen | None
) -> Receipt | None:
    """Send one atom of the agent once people and the policy let it pass. Return its receipt; None if nobody knows it.

    ``latest``: the screen since the step's screenshot; None if nothing was sent since. Raises NotPermitted, and
    CancelledError once a person takes the episode over. Other errors are those of ``send_as``.
    """
    clock, control = context.runtime.clock, context.runtime.control
    came_at = clock.now()
    await control.pass_gate()
    try:
        verdict = await require_verdict(context, atom, latest)
    finally:
        progress.queue_ms += (clock.now() - came_at) * 1000
    return await send_as(context, index, atom, progress, verdict)


async def send_as(
    context: StageContext,
    index: int,
    atom: AtomicAction,
    progress: ActionProgress,
    verdict: Verdict,
    by: str = "",
    request: str = "",
) -> Receipt | None:
    """Send one atom and return its receipt; None if nobody knows it.

    ``by`` and ``request``: the person who acts, and the key of the person's request; empty for the agent's actions.

    No atom is sent twice: the verdict judges by the screen. If the gateway does not answer, ask it what became of the
    atom. If the atom was never begun, the gateway will never begin it under this key, so it is sent under another key.
    After ``MOST_SENDS`` such tries, raises ActorLost or DeadlinePassed. Raises PhoneUnfit if the phone can carry out
    no action.
    """
    runtime, spent = context.runtime, context.state.spent
    keys = (action_key(runtime.order.episode, context.step, runtime.order.attempt, index, again) for again in count())
    for key in islice((key for key in keys if key not in spent), MOST_SENDS):
        try:
            perform = Perform(key=key, action=atom, verdict=verdict.id)
            return await _send_once(context, perform, progress, verdict, by, request)
        except (DeadlinePassed, ActorLost) as error:
            loss = error
        (receipt,) = await recall(context, (key,))
        if not receipt.never_begun:
            return receipt
    raise loss


async def _send_once(
    context: StageContext, perform: Perform, progress: ActionProgress, verdict: Verdict, by: str, request: str
) -> Receipt:
    progress.shown = None
    runtime, step = context.runtime, context.step
    now, action = runtime.clock.now(), perform.action
    record = ActionSent(at=now, step=step, key=perform.key, action=action, verdict=verdict, by=by, request=request)
    await runtime.journal.write(record)
    await runtime.journal.flush()
    gateway, settle = runtime.collaborators.gateway, runtime.settings.settle
    timed = await context.call(lambda call: gateway.perform_and_capture(runtime.lease, perform, settle, call))
    performed, image, frame = timed.value
    progress.queue_ms += timed.waited_ms + performed.receipt.queue_ms
    await runtime.journal.write(ActionReceived(step=step, receipt=performed.receipt))
    ensure_fit(runtime.lease.serial, performed.receipt)
    shot = performed.screenshot
    if shot is not None and image is not None and frame is not None:
        begun_at = max(timed.start, timed.end - performed.looked_ms / 1000)
        span = Span(start=begun_at, end=timed.end, queue_ms=shot.queue_ms)
        progress.shown = CapturedScreen(shot, Picture(image, frame), span)
    return performed.receipt


def ensure_fit(serial: str, receipt: Receipt) -> None:
    """Raise PhoneUnfit if a receipt shows that the phone can carry out no action."""
    if receipt.unfit:
        raise PhoneUnfit(f"phone {serial}: {receipt.unfit}")


async def recall(context: StageContext, keys: Sequence[str]) -> tuple[Receipt, ...]:
    """Return and journal what became of actions without receipts. The gateway carries out none of them after that.

    Wait for a lost gateway until a lease would have expired, then raise LeaseLost.
    """
    runtime = context.runtime
    clock, given_up_at = runtime.clock, runtime.clock.now() + runtime.settings.lease_s
    while True:
        try:
            timed = await context.call(lambda call: runtime.collaborators.gateway.recall(runtime.lease, keys, call))
            break
        except (CallError, StoreError) as error:
            if clock.now() >= given_up_at:
                raise LeaseLost(f"the gateway does not tell what became of {', '.join(keys)}: {error}") from error
            await clock.sleep(PAUSE_S)
    receipts = tuple(timed.value)
    for receipt in receipts:
        await runtime.journal.write(ActionReceived(step=context.step, receipt=receipt))
    return receipts


async def _come_to_rest(context: StageContext, progress: ActionProgress) -> CapturedScreen:
    """Return the screen once it is at rest, so that the next atom of a shortcut meets what the last atom opened."""
    captured = progress.shown
    if captured is not None:  # the screen was at rest before its receipt arrived
        progress.queue_ms += captured.screenshot.queue_ms
        return captured
    captured = await capture_now(StageContext(context.runtime, CAPTURE, context.step))
    progress.queue_ms += captured.span.queue_ms
    return captured


ACT_STAGE = Stage(ACT, run=act, whole=True)
"""The stage ``act``. The profile adds its needs: all that must be known before the phone is touched."""
