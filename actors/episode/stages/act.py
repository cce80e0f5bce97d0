"""act(t): carries out a(t), one atom after another, each written down before it is sent."""

from __future__ import annotations

from dataclasses import dataclass

from actors.episode.atoms import atoms_of
from actors.episode.scene import Scene
from actors.episode.stages.capture import take_picture
from protocol.actions import Answer, Atom, Stop, Wait
from protocol.errors import DeadlinePassed, ManyhandsError
from protocol.phones import Perform, Receipt, action_key
from protocol.records import Acted, ActionReceived, ActionSent, Record


async def act(scene: Scene, step: int) -> tuple[Record, ...]:
    """Carry out the decision; a problem makes the step failed. Raises PhoneLost, LeaseLost, StoreError, CallError."""
    start = scene.clock.now()
    queues = _Queues()
    problem = await _carry_out(scene, step, queues)
    return (Acted(step=step, span=scene.now(start, queues.ms), problem=problem),)


@dataclass(slots=True)
class _Queues:
    """How long a step's action has waited for its turns."""

    ms: float = 0.0


async def _carry_out(scene: Scene, step: int, queues: _Queues) -> str | None:
    """Why the action failed; None if it was carried out as far as anyone knows."""
    at = scene.state.step(step)
    assert at.decision is not None
    assert at.screen is not None
    if at.decision.action is None:
        return at.decision.problem or "the model's reply was no action"
    try:
        atoms = atoms_of(at.decision.action, at.screen, scene.order.memory.shortcuts, scene.settings.letter)
    except ManyhandsError as error:
        return str(error)
    for index, atom in enumerate(atoms):
        if isinstance(atom, Wait):
            await scene.clock.sleep(atom.seconds)
        elif not isinstance(atom, Answer | Stop):
            receipt = await _send(scene, step, index, atom, queues)
            of = f"{atom.name}, action {index + 1} of {len(atoms)}: " if len(atoms) > 1 else ""
            if receipt is not None and receipt.status == "refused":
                return f"{of}{receipt.detail}"
            last = index + 1 == len(atoms)
            if not last and (receipt is None or receipt.status == "unknown"):
                return f"{of}nobody knows whether the phone got it, so what follows was not sent"
            if not last:
                await _come_to_rest(scene, step, queues)
    return None


async def _send(scene: Scene, step: int, index: int, atom: Atom, queues: _Queues) -> Receipt | None:
    """The receipt of one atom; None if none came in time. An atom is never sent twice: the verdict looks."""
    key = action_key(scene.order.episode, step, scene.order.attempt, index)
    await scene.journal.write(ActionSent(at=scene.clock.now(), step=step, key=key, action=atom))
    await scene.journal.flush()
    perform = Perform(key=key, action=atom)
    try:
        timed = await scene.call(
            "act", step, lambda context: scene.collaborators.gateway.perform(scene.lease, perform, context)
        )
    except DeadlinePassed:
        return None
    queues.ms += timed.waited_ms + timed.value.queue_ms
    await scene.journal.write(ActionReceived(step=step, receipt=timed.value))
    return timed.value


async def _come_to_rest(scene: Scene, step: int, queues: _Queues) -> None:
    """Wait until the screen is at rest, so that the next atom of a shortcut meets what the last one opened."""
    timed = await scene.call("capture", step, lambda context: take_picture(scene, context))
    screenshot, _, _ = timed.value
    queues.ms += timed.waited_ms + screenshot.queue_ms
