"""What a simulated fleet is like: how long stages take, how often they end otherwise, how fast the model is."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from manyhands.actors.mllm.settings import ModelSettings
from manyhands.protocol.base import Input
from manyhands.protocol.roles import Role
from manyhands.protocol.runs import Schedule
from manyhands.simulator.shared_model import ServerSpeed


class Modelled(Input):
    """What is supposed of phones, tasks and prompts. Times are means in seconds; draws are lognormal."""

    act_s: float = 0.15
    capture_s: float = 0.6
    """Settling included."""
    perceive_s: float = 0.3
    phones_per_reader: int = Field(default=8, ge=1)
    """Perception has a picture of so many phones in hand at a time, shared by all."""
    reset_s: float = 1.5
    output_tokens: Mapping[Role, float] = Field(
        default_factory=lambda: {Role.PLAN: 160, Role.DECIDE: 160, Role.REFLECT: 130, Role.NOTE: 100}
    )
    prompt_tokens: Mapping[Role, float] = Field(
        default_factory=lambda: {Role.PLAN: 2000, Role.DECIDE: 2500, Role.REFLECT: 2500, Role.NOTE: 2000}
    )
    """Those that are in no cache."""
    spread: float = Field(default=0.3, ge=0)
    """Of the logarithm of every draw."""
    new_subgoals: float = Field(default=0.35, ge=0, le=1)
    mistakes: float = Field(default=0.1, ge=0, le=1)
    new_notes: float = Field(default=0.3, ge=0, le=1)
    """Share of the notes that differ from those before."""
    episode_steps: int = Field(default=20, ge=1)
    calls_per_client: int = Field(default=64, ge=1)
    """A role has one client for so many phones, each with this cap on calls in flight."""

    def overlap_step_s(self, each_per_s: float) -> float:
        """How long a step takes under ``overlap`` where nothing is short, prompts apart."""
        plan, decide, verify = (
            self.output_tokens[role] / each_per_s for role in (Role.PLAN, Role.DECIDE, Role.REFLECT)
        )
        return self.act_s + self.capture_s + max(verify, self.perceive_s) + plan + decide

    def work_per_step(self, prompt_cost: float) -> float:
        """Output tokens' worth of work that a step is without speculation."""
        noted = 1 - self.mistakes
        share = {Role.PLAN: 1.0, Role.DECIDE: 1.0, Role.REFLECT: 1.0, Role.NOTE: noted}
        return sum(share[role] * (self.output_tokens[role] + prompt_cost * self.prompt_tokens[role]) for role in share)


class Simulation(Input):
    """One simulated run."""

    phones: int = Field(ge=1)
    schedule: Schedule
    steps: int = Field(ge=1)
    """That are counted, after ``warm_up_s`` and two steps of each phone."""
    load: float = Field(gt=0)
    """What the phones would ask of the model under ``overlap`` if it were never short, by what it can do."""
    each_per_s: float = 60.0
    """Tokens that one request writes in a second at most."""
    slowest_per_s: float = 15.0
    """What is left of that for each request when as many run as may; the others wait."""
    prompt_cost: float = 0.05
    modelled: Modelled = Modelled()
    settings: ModelSettings = ModelSettings(urls=("http://simulated",))
    warm_up_s: float = 90.0
    seed: int = 0

    @property
    def speed(self) -> ServerSpeed:
        """Of the model server."""
        modelled = self.modelled
        demand = self.phones / modelled.overlap_step_s(self.each_per_s) * modelled.work_per_step(self.prompt_cost)
        tokens_per_s = demand / self.load
        return ServerSpeed(
            tokens_per_s=tokens_per_s,
            each_per_s=self.each_per_s,
            prompt_cost=self.prompt_cost,
            max_running=max(1, round(tokens_per_s / self.slowest_per_s)),
        )
