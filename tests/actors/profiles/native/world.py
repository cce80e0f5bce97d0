"""The small world of the episodes' tests with the agent of ``native``, which is a function of the screen's name."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from manyhands.actors.episode.host import Collaborators
from manyhands.actors.frames import ModelImage
from manyhands.actors.profiles.native.requests import ActRequest
from manyhands.protocol.base import Outcome
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.roles.requests import Decision, OwnVerdict
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Action, AtomicAction, ClickText, Stop
from tests.actors.episode.world import World, call_of, decided


def seen_outcome(name: str) -> Outcome:
    """The verdict of an agent that knows wrong pages by their names."""
    return Outcome.B if name.startswith("wrong-") else Outcome.A


@dataclass
class NativeWorld(World):
    acts: Callable[[str], Action | str] = lambda name: Stop()
    """The action on the screen of that name, or the problem with the reply."""
    follows: Callable[[str], tuple[AtomicAction | ClickText, ...]] = lambda name: ()
    """The actions that are to follow at once on the screen of that name."""
    says: Callable[[str], Outcome] = seen_outcome
    reaches: Callable[[str], bool] = lambda name: False
    """Whether the agent says on the screen of that name that the subgoal is reached."""
    tells: Callable[[str], str] = lambda name: ""
    """What the agent's form tells the user with the end of the task on the screen of that name."""
    judges_when_asked: bool = True
    """False: the agent is asked in a form without verdicts."""
    shown: list[list[str]] = field(default_factory=list)
    """The names of the screens whose pictures went with each question."""

    def collaborators(self) -> Collaborators:
        own = super().collaborators()
        return replace(own, agents={Role.DECIDE: WorldAgent(self), Role.PLAN: own.agents[Role.PLAN]})

    @property
    def asked_to_act(self) -> list[ActRequest]:
        return [one for one in self.asked_of(Role.DECIDE) if isinstance(one, ActRequest)]


@dataclass
class WorldAgent:
    world: NativeWorld

    async def answer(self, request: ActRequest, context: CallContext, *images: ModelImage) -> Answered[Decision]:
        world = self.world
        world.admit("decide", context)
        assert [image.content_id for image in images] == [one.content_id for one in request.screenshots]
        world.shown.append([world.shown_on(image) for image in images])
        async with world.asked("decide", request, counted=True):
            name = world.shown_on_id(request.steps[-1].screenshot.content_id)
            asks = request.steps[-1].asks_verdict and world.judges_when_asked
            verdict = OwnVerdict(
                outcome=world.says(name) if asks else None,
                reason=f"I see {name}" if asks else "",
                progress=f"came to {name}" if asks else "",
                notes=f"seen {name}",
                subgoal_reached=asks and world.reaches(name),
            )
            chosen = world.acts(name)
            decision = decided(chosen, f"on {name}")
            if not isinstance(chosen, str):
                decision = decision.model_copy(
                    update={"verdict": verdict, "answer": world.tells(name), "then": world.follows(name)}
                )
        call = call_of(Role.DECIDE, reply=json.dumps({"on": name, "chosen": str(chosen)}))
        return Answered[Decision](value=decision, calls=(call,))
