"""act(t): carries out a(t), one atom after another, each written down before it is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count, islice

from manyhands.actors.episode import verdicts
from manyhands.actors.episode.atoms import ActionUnusable, atoms_of
from manyhands.actors.episode.context import Picture, Taken
from manyhands.actors.episode.forbidding import forbidden
from manyhands.actors.episode.locating import tap_on
from manyhands.actors.episode.profile import ACT, CAPTURE, Stage
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.capture import taken_now
from manyhands.actors.episode.state import StepState
from manyhands.actors.memory import ShortcutAction
from manyhands.protocol.actions import Atom, ClickIcon, ClickText, RunShortcut, Wait
from manyhands.protocol.errors import ActorLost, CallError, DeadlinePassed, LeaseLost, ManyhandsError, StoreError
from manyhands.protocol.phones import Perform, Receipt, action_key
from manyhands.protocol.records import Acted, ActionReceived, ActionSent, Fault, Record, Span
from manyhands.protocol.screens import Screenshot

MOST_SENDS = 3
"""How often an atom is sent that was never begun: whatever ends the gateway each time may be the atom."""
PAUSE_S = 0.5
"""Before a gateway that is gone is asked again."""
AtomsOf = Callable[[StageContext], Sequence[ShortcutAction]]
"""Returns the atoms of a step's action, which there is. Raises a ManyhandsError with the reason why there are none."""


def decided_atoms(context: StageContext) -> tuple[ShortcutAction, ...]:
    """Return the atoms of the decision, each fit for its screen. Raises ActionUnusable, ShortcutUnusable."""
    episode, at = context.episode, context.state.step(context.step)
    assert at.decision is not None
    assert at.decision.action is not None
    return atoms_of(at.decision.action, at.seen, episode.memory.shortcuts, episode.settings.paper_exact)


async def act(context: StageContext, atoms: AtomsOf = decided_atoms) -> tuple[Record, ...]:
    """Carry out the decision; a problem makes the step failed. Raises PhoneLost, LeaseLost, StoreError, CallError.

    Of an action that was interrupted no more is sent: what became of what was sent is in the state.

    The screen that the last atom led to comes with its receipt, and is kept for capture(step + 1).
    """
    step, start = context.step, context.episode.clock.now()
    progress = Progress()
    failure = await _carry_out(context, atoms, progress)
    span = context.span(start, progress.queue_ms)
    if progress.shown is not None:
        context.episode.taken[step + 1] = progress.shown
        span = span.model_copy(update={"end": progress.shown.span.start})
    if failure is None:
        return (Acted(step=step, span=span),)
    return (Acted(step=step, span=span, problem=failure.problem, fault=failure.fault),)


@dataclass(frozen=True, slots=True)
class Failure:
    """Say why an action failed, and what the fault is."""

    problem: str
    fault: Fault


@dataclass(slots=True)
class Progress:
    """Hold how far a step's actions are."""

    queue_ms: float = 0.0
    """What it has waited for its turns."""
    shown: Taken | None = None
    """The screen at rest after the last atom, where it came with the receipt."""


async def _carry_out(context: StageContext, atoms_for: AtomsOf, progress: Progress) -> Failure | None:
    """Carry out the atoms. Return why the action failed; None if it was carried out as far as anyone knows."""
    episode, at = context.episode, context.state.step(context.step)
    assert at.decision is not None
    if at.decision.action is None:
        return Failure(at.decision.problem or "the model's reply was no action", "action")
    try:
        atoms = atoms_for(context)
    except ManyhandsError as error:
        return Failure(str(error), "action")
    if at.sent:
        return _interrupted(at, atoms)
    not_permitted = forbidden(at)
    if not_permitted is not None:
        return Failure(not_permitted, "precondition")
    seen: Screenshot | None = at.screenshot
    shown, fresh = None, True
    for index, part in enumerate(atoms):
        if isinstance(part, Wait):
            progress.shown = shown = seen = None  # nobody looks what came of it
            await episode.clock.sleep(part.seconds)
        elif part.touches:
            of = _of(index, atoms)
            try:
                atom = await _found(context, part, shown, fresh)
            except ActionUnusable as error:
                return Failure(f"{of}{error}", "surprise")
            receipt = await send(context, index, atom, progress)
            if receipt is not None and receipt.status == "refused":
                return Failure(f"{of}{receipt.detail}", "surprise")
            last = index + 1 == len(atoms)
            if not last and (receipt is None or receipt.status == "unknown"):
                return Failure(f"{of}nobody knows whether the phone got it, so what follows was not sent", "lost")
            if not last:
                shown = await _come_to_rest(context, progress)
                surprise = _surprise(context, atom, atoms[index + 1], seen, shown.screenshot)
                if surprise is not None:
                    return Failure(f"{of}{surprise} What follows was not sent.", "surprise")
                seen = shown.screenshot
        fresh = False
    return None


async def _found(context: StageContext, part: ShortcutAction, shown: Taken | None, fresh: bool) -> Atom:
    """Return the atom of a part: a tap, where it is clicked by words. ``fresh``: s(t) is still what is there.

    Raises ActionUnusable where what is named is not on the screen that is there now.
    """
    if not isinstance(part, ClickText | ClickIcon):
        return part
    episode, at = context.episode, context.state.step(context.step)
    if fresh and at.screenshot is not None:
        return await tap_on(context, part, at.screenshot, episode.picture(context.step).frame)
    taken = shown or await taken_now(StageContext(episode, CAPTURE, context.step))
    return await tap_on(context, part, taken.screenshot, taken.picture.frame)


def _surprise(
    context: StageContext, atom: Atom, following: ShortcutAction, seen: Screenshot | None, shown: Screenshot
) -> str | None:
    """Return why the atoms that follow are not to be sent. The papers send them blind (Mobile-Agent-E, section 3.2)."""
    settings, at = context.episode.settings, context.state.step(context.step)
    routine = at.decision is not None and isinstance(at.decision.action, RunShortcut)
    if not routine or settings.paper_exact or not settings.has("checks") or seen is None:
        return None
    return verdicts.surprise(atom, following, at, seen, shown, settings.cheap_verdicts)


def _interrupted(at: StepState, atoms: Sequence[ShortcutAction]) -> Failure | None:
    """Return why an action failed in the midst of which the episode was interrupted: nothing more of it is sent."""
    touching = [index for index, atom in enumerate(atoms) if atom.touches]
    receipts = {receipt.key: receipt for receipt in at.receipts}
    fates = [receipts[sent.key].status if sent.key in receipts else "unknown" for sent in at.sent]
    # What was refused and is not the last one was sent again, under another key.
    begun = 1 + sum(fate != "refused" for fate in fates[:-1])
    of = _of(touching[begun - 1], atoms)
    if fates[-1] == "refused":
        last = receipts[at.sent[-1].key]
        return Failure(f"{of}{last.detail}", "lost" if last.never_begun else "surprise")
    if begun == len(touching):
        return None
    return Failure(f"{of}interrupted, so what follows was not sent", "lost")


def _of(index: int, atoms: Sequence[ShortcutAction]) -> str:
    """Return which of the action's atoms is meant, where there are several."""
    return f"{atoms[index].name}, action {index + 1} of {len(atoms)}: " if len(atoms) > 1 else ""


async def send(context: StageContext, index: int, atom: Atom, progress: Progress) -> Receipt | None:
    """Return the receipt of one atom; None if nobody knows. An atom is never sent twice: the verdict looks.

    Where the gateway gave no answer, it is asked what became of the atom. One that was never begun, and so never will
    be, is sent under another key. Raises ActorLost, DeadlinePassed once that has failed too often.
    """
    episode, spent = context.episode, context.state.spent
    keys = (action_key(episode.order.episode, context.step, episode.order.attempt, index, again) for again in count())
    for key in islice((key for key in keys if key not in spent), MOST_SENDS):
        try:
            return await _send_once(context, Perform(key=key, action=atom), progress)
        except (DeadlinePassed, ActorLost) as error:
            lost = error
        (receipt,) = await recall(context, (key,))
        if not receipt.never_begun:
            return receipt
    raise lost


async def _send_once(context: StageContext, perform: Perform, progress: Progress) -> Receipt:
    progress.shown = None
    episode, step = context.episode, context.step
    await episode.journal.write(ActionSent(at=episode.clock.now(), step=step, key=perform.key, action=perform.action))
    await episode.journal.flush()
    gateway, settle = episode.collaborators.gateway, episode.settings.settle
    timed = await context.call(lambda call: gateway.perform_and_capture(episode.lease, perform, settle, call))
    performed, image, frame = timed.value
    progress.queue_ms += timed.waited_ms + performed.receipt.queue_ms
    await episode.journal.write(ActionReceived(step=step, receipt=performed.receipt))
    shot = performed.screenshot
    if shot is not None:
        begun_at = max(timed.start, timed.end - performed.looked_ms / 1000)
        span = Span(start=begun_at, end=timed.end, queue_ms=shot.queue_ms)
        progress.shown = Taken(shot, Picture(image, frame), span)
    return performed.receipt


async def recall(context: StageContext, keys: Sequence[str]) -> tuple[Receipt, ...]:
    """Return what became of actions whose receipts never came, and write it down. None is ever carried out after that.

    A gateway that is gone is waited for as long as a lease may run. Raises LeaseLost after that.
    """
    episode = context.episode
    clock, given_up_at = episode.clock, episode.clock.now() + episode.settings.lease_s
    while True:
        try:
            timed = await context.call(lambda call: episode.collaborators.gateway.recall(episode.lease, keys, call))
            break
        except (CallError, StoreError) as error:
            if clock.now() >= given_up_at:
                raise LeaseLost(f"the gateway does not tell what became of {', '.join(keys)}: {error}") from error
            await clock.sleep(PAUSE_S)
    receipts = tuple(timed.value)
    for receipt in receipts:
        await episode.journal.write(ActionReceived(step=context.step, receipt=receipt))
    return receipts


async def _come_to_rest(context: StageContext, progress: Progress) -> Taken:
    """Return the screen once it is at rest, so that the next atom of a shortcut meets what the last one opened."""
    taken = progress.shown
    if taken is not None:  # it came to rest before its receipt was there
        progress.queue_ms += taken.screenshot.queue_ms
        return taken
    taken = await taken_now(StageContext(context.episode, CAPTURE, context.step))
    progress.queue_ms += taken.span.queue_ms
    return taken


ACT_STAGE = Stage(ACT, run=act, whole=True)
"""The profile adds its needs: whatever has to be known before the phone is touched."""
