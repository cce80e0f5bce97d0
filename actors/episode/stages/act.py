"""act(t): carries out a(t), one atom after another, each written down before it is sent."""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.actors.episode.atoms import atoms_of
from manyhands.actors.episode.context import EpisodeContext, Picture, Taken
from manyhands.actors.episode.stages.capture import take_picture
from manyhands.protocol.actions import Answer, Atom, Stop, Wait
from manyhands.protocol.errors import DeadlinePassed, ManyhandsError
from manyhands.protocol.phones import Perform, Receipt, action_key
from manyhands.protocol.records import Acted, ActionReceived, ActionSent, Record, Span


async def act(scene: EpisodeContext, step: int) -> tuple[Record, ...]:
    """Carry out the decision; a problem makes the step failed. Raises PhoneLost, LeaseLost, StoreError, CallError.

    The screen that the last atom led to comes with its receipt, and is kept for capture(step + 1).
    """
    start = scene.clock.now()
    course = _Course()
    problem = await _carry_out(scene, step, course)
    span = scene.now(start, course.queue_ms)
    if course.shown is not None:
        scene.taken[step + 1] = course.shown
        span = span.model_copy(update={"end": course.shown.span.start})
    return (Acted(step=step, span=span, problem=problem),)


@dataclass(slots=True)
class _Course:
    """How a step's action goes."""

    queue_ms: float = 0.0
    """What it has waited for its turns."""
    shown: Taken | None = None
    """The screen at rest after the last atom, where it came with the receipt."""


async def _carry_out(scene: EpisodeContext, step: int, course: _Course) -> str | None:
    """Why the action failed; None if it was carried out as far as anyone knows."""
    at = scene.state.step(step)
    assert at.decision is not None
    assert at.screen is not None
    if at.decision.action is None:
        return at.decision.problem or "the model's reply was no action"
    try:
        atoms = atoms_of(at.decision.action, at.screen, scene.order.memory.shortcuts, scene.settings.paper_exact)
    except ManyhandsError as error:
        return str(error)
    for index, atom in enumerate(atoms):
        if isinstance(atom, Wait):
            course.shown = None
            await scene.clock.sleep(atom.seconds)
        elif not isinstance(atom, Answer | Stop):
            receipt = await _send(scene, step, index, atom, course)
            of = f"{atom.name}, action {index + 1} of {len(atoms)}: " if len(atoms) > 1 else ""
            if receipt is not None and receipt.status == "refused":
                return f"{of}{receipt.detail}"
            last = index + 1 == len(atoms)
            if not last and (receipt is None or receipt.status == "unknown"):
                return f"{of}nobody knows whether the phone got it, so what follows was not sent"
            if not last:
                await _come_to_rest(scene, step, course)
    return None


async def _send(scene: EpisodeContext, step: int, index: int, atom: Atom, course: _Course) -> Receipt | None:
    """The receipt of one atom; None if none came in time. An atom is never sent twice: the verdict looks."""
    course.shown = None
    key = action_key(scene.order.episode, step, scene.order.attempt, index)
    await scene.journal.write(ActionSent(at=scene.clock.now(), step=step, key=key, action=atom))
    await scene.journal.flush()
    perform, gateway, settle = Perform(key=key, action=atom), scene.collaborators.gateway, scene.settings.settle
    try:
        timed = await scene.call(
            "act", step, lambda context: gateway.perform_and_capture(scene.lease, perform, settle, context)
        )
    except DeadlinePassed:
        return None
    performed, image, frame = timed.value
    course.queue_ms += timed.waited_ms + performed.receipt.queue_ms
    await scene.journal.write(ActionReceived(step=step, receipt=performed.receipt))
    shot = performed.screenshot
    if shot is not None:
        begun_at = max(timed.start, timed.end - performed.looked_ms / 1000)
        span = Span(start=begun_at, end=timed.end, queue_ms=shot.queue_ms)
        course.shown = Taken(shot, Picture(image, frame), span)
    return performed.receipt


async def _come_to_rest(scene: EpisodeContext, step: int, course: _Course) -> None:
    """Wait until the screen is at rest, so that the next atom of a shortcut meets what the last one opened."""
    if course.shown is not None:  # it came to rest before its receipt was told
        course.queue_ms += course.shown.screenshot.queue_ms
        return
    timed = await scene.call("capture", step, lambda context: take_picture(scene, context))
    screenshot, _, _ = timed.value
    course.queue_ms += timed.waited_ms + screenshot.queue_ms
