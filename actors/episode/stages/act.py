"""act(t): carries out a(t), one atom after another, each written down before it is sent."""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.actors.episode.atoms import atoms_of
from manyhands.actors.episode.context import Picture, Taken
from manyhands.actors.episode.profile import ACT, CAPTURE, Stage
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.capture import take_picture
from manyhands.protocol.actions import Atom, Wait
from manyhands.protocol.errors import DeadlinePassed, ManyhandsError
from manyhands.protocol.phones import Perform, Receipt, action_key
from manyhands.protocol.records import Acted, ActionReceived, ActionSent, Record, Span


async def act(context: StageContext) -> tuple[Record, ...]:
    """Carry out the decision; a problem makes the step failed. Raises PhoneLost, LeaseLost, StoreError, CallError.

    The screen that the last atom led to comes with its receipt, and is kept for capture(step + 1).
    """
    step, start = context.step, context.episode.clock.now()
    progress = _Progress()
    problem = await _carry_out(context, progress)
    span = context.span(start, progress.queue_ms)
    if progress.shown is not None:
        context.episode.taken[step + 1] = progress.shown
        span = span.model_copy(update={"end": progress.shown.span.start})
    return (Acted(step=step, span=span, problem=problem),)


@dataclass(slots=True)
class _Progress:
    """Hold how far a step's action is."""

    queue_ms: float = 0.0
    """What it has waited for its turns."""
    shown: Taken | None = None
    """The screen at rest after the last atom, where it came with the receipt."""


async def _carry_out(context: StageContext, progress: _Progress) -> str | None:
    """Carry out the atoms. Return why the action failed; None if it was carried out as far as anyone knows."""
    episode, at = context.episode, context.state.step(context.step)
    assert at.decision is not None
    assert at.screen is not None
    if at.decision.action is None:
        return at.decision.problem or "the model's reply was no action"
    try:
        atoms = atoms_of(at.decision.action, at.screen, episode.order.memory.shortcuts, episode.settings.paper_exact)
    except ManyhandsError as error:
        return str(error)
    for index, atom in enumerate(atoms):
        if isinstance(atom, Wait):
            progress.shown = None
            await episode.clock.sleep(atom.seconds)
        elif atom.touches:
            receipt = await _send(context, index, atom, progress)
            of = f"{atom.name}, action {index + 1} of {len(atoms)}: " if len(atoms) > 1 else ""
            if receipt is not None and receipt.status == "refused":
                return f"{of}{receipt.detail}"
            last = index + 1 == len(atoms)
            if not last and (receipt is None or receipt.status == "unknown"):
                return f"{of}nobody knows whether the phone got it, so what follows was not sent"
            if not last:
                await _come_to_rest(context, progress)
    return None


async def _send(context: StageContext, index: int, atom: Atom, progress: _Progress) -> Receipt | None:
    """Return the receipt of one atom; None if none came in time. An atom is never sent twice: the verdict looks."""
    progress.shown = None
    episode, step = context.episode, context.step
    key = action_key(episode.order.episode, step, episode.order.attempt, index)
    await episode.journal.write(ActionSent(at=episode.clock.now(), step=step, key=key, action=atom))
    await episode.journal.flush()
    perform, gateway, settle = Perform(key=key, action=atom), episode.collaborators.gateway, episode.settings.settle
    try:
        timed = await context.call(lambda call: gateway.perform_and_capture(episode.lease, perform, settle, call))
    except DeadlinePassed:
        return None
    performed, image, frame = timed.value
    progress.queue_ms += timed.waited_ms + performed.receipt.queue_ms
    await episode.journal.write(ActionReceived(step=step, receipt=performed.receipt))
    shot = performed.screenshot
    if shot is not None:
        begun_at = max(timed.start, timed.end - performed.looked_ms / 1000)
        span = Span(start=begun_at, end=timed.end, queue_ms=shot.queue_ms)
        progress.shown = Taken(shot, Picture(image, frame), span)
    return performed.receipt


async def _come_to_rest(context: StageContext, progress: _Progress) -> None:
    """Wait until the screen is at rest, so that the next atom of a shortcut meets what the last one opened."""
    if progress.shown is not None:  # it came to rest before its receipt was there
        progress.queue_ms += progress.shown.screenshot.queue_ms
        return
    capturing = StageContext(context.episode, CAPTURE, context.step)
    timed = await capturing.call(lambda call: take_picture(context.episode, call))
    screenshot, _, _ = timed.value
    progress.queue_ms += timed.waited_ms + screenshot.queue_ms


ACT_STAGE = Stage(ACT, run=act, whole=True)
"""The profile adds its needs: whatever has to be known before the phone is touched."""
