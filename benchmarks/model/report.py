"""Hold what one measurement of a model server found, as it is written to JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from manyhands.actors.mllm.formats import Native, OurJson
from manyhands.actors.mllm.native import NATIVE_FORMS
from manyhands.benchmarks.model.figures import (
    LEAST_VALID,
    USUAL_VALID,
    CarriedPhones,
    FateFigures,
    LoadFigures,
    sum_fates,
)
from manyhands.benchmarks.model.pictures import PictureFigures
from manyhands.benchmarks.model.questions import ClickFigures, SchemaFigures
from manyhands.deploy.fleet.model_servers.prefix_cache import CacheJudgement
from manyhands.evaluation.provenance import Machine
from manyhands.protocol.base import Message
from manyhands.protocol.profiles.declaration import registered_profiles
from manyhands.protocol.utilities.terminal_text import count_noun


class MeasuredServer(Message):
    """Say what server and model answered."""

    urls: tuple[str, ...]
    model: str
    weights: str
    """What the server has loaded, as far as it tells: a hub name or a folder."""
    stand_in: str
    """What the stand-in is, if one answered; empty for a model."""
    version: str
    """vLLM's version; empty if the server tells none."""
    dialect: str
    max_model_len: int | None
    cache_tokens: int | None
    """The number of tokens for which the KV cache has room; None if the server does not tell."""
    gpus: tuple[str, ...] = ()
    """The GPUs of this machine, if the server is on this machine: name, total and used memory."""


_FORMS = {OurJson.name: "our JSON, under a schema", Native.name: "the own form of the model's family"}


class ProfileFigures(Message):
    """Hold the figures of one profile."""

    profile: str
    recorded_with: str
    """What answered when the prompts were recorded."""
    output: str = "json"
    """The format in which the prompts ask for an action."""
    calls_per_step: float
    pictures_per_step: float
    loads: tuple[LoadFigures, ...]
    stopped: str
    """Why the load was raised no further."""
    carried: CarriedPhones | None
    unsure: str = ""
    """Why too few calls were measured to say how many phones the server carries; an empty text if they suffice."""

    @property
    def form(self) -> str:
        """Return the format of replies in words."""
        return _FORMS.get(self.output, f"the format {self.output}")

    @property
    def fates(self) -> FateFigures:
        """Return what became of the calls of all loads."""
        return sum_fates([load.fates for load in self.loads])

    @property
    def problem(self) -> str:
        """Return why the figures say nothing about a real run; an empty text if they do."""
        fates = self.fates
        share = fates.valid_share
        if share is None:
            return "no call was answered." if self.loads else ""
        if share >= LEAST_VALID:
            return ""
        reasons = Counter({"it was cut off at max_tokens": fates.cut_off})
        for load in self.loads:
            reasons.update(load.invalid_replies)
        ((reason, _),) = reasons.most_common(1)
        return (
            f"only {fates.valid} of {fates.calls - fates.failed} replies are valid (most often: {reason}). The figures "
            "below are none of a real run. Is it the right model, with the right --dialect? Does it think too long?"
        )


class ModelReport(Message):
    """Hold all figures of one measurement."""

    at: float
    """When the measurement began, in Unix seconds."""
    minutes: float
    """How long it took."""
    is_whole: bool
    """Whether it ended by itself, not by Ctrl-C or an error."""
    server: MeasuredServer
    profiles: tuple[ProfileFigures, ...]
    clicks: ClickFigures | None = None
    """None if the model was not asked: a stand-in, or the time was over."""
    schemas: SchemaFigures | None = None
    """None if the model was not asked: a stand-in, or the time was over."""
    cache: CacheJudgement | None = None
    """None if the model was not asked: a stand-in, or the time was over."""
    pictures: PictureFigures | None = None
    """None if the model was not asked: a stand-in, or the time was over."""
    notes: tuple[str, ...] = ()
    """What a reader has to know about the figures."""
    machine: Machine
    """The machine that sent the requests."""

    @property
    def failed(self) -> bool:
        """Return whether nothing was measured, or figures of a profile say nothing about a real run."""
        answered = any(load.steps_s > 0 for profile in self.profiles for load in profile.loads)
        return not answered or any(profile.problem for profile in self.profiles)


ENOUGH_CALLS = 100
"""With fewer calls in the best load of a profile, chance weighs in its figures."""
BUSY_CORES = 0.9
"""From so many cores on, the process that sends the calls may limit them: most of its work is on one core."""


def notes_on(
    server: MeasuredServer, dialects: Sequence[str], profiles: Sequence[ProfileFigures] = ()
) -> tuple[str, ...]:
    """Return the notes for a server. ``dialects``: those of the recorded prompts."""
    notes = []
    if server.stand_in:
        notes.append(f"What answered is {server.stand_in}. It was not asked for places and schemas.")
    foreign = sorted(set(dialects) - {server.dialect})
    if foreign:
        notes.append(
            f"The recorded prompts name places as {', '.join(foreign)} does, the model as {server.dialect} does. "
            "Speeds do not depend on that. Replies were read in the space of the prompts."
        )
    with_family_form = registered_profiles().with_family_form
    in_json = [one.profile for one in profiles if one.profile in with_family_form and one.output != Native.name]
    if in_json and not server.stand_in and server.dialect in NATIVE_FORMS:
        notes.append(
            f"The prompts of {', '.join(in_json)} ask for our JSON. A run asks a model of {server.dialect} in its own "
            "form, with other prompts. To measure these, give a run of such a model: --run RUN."
        )
    for profile in profiles:
        share = profile.fates.valid_share
        if share is not None and LEAST_VALID <= share < USUAL_VALID:
            notes.append(
                f"{profile.profile}: {1 - share:.0%} of the replies are invalid. A run asks again for each of them, "
                "so the server carries fewer phones than these figures say."
            )
    for profile in profiles:
        best = max(profile.loads, key=lambda load: load.steps_s, default=None)
        if profile.carried is not None and best is not None and best.calls < ENOUGH_CALLS:
            notes.append(
                f"{profile.profile}: its best load had {count_noun(best.calls, 'call')}, too few for a sure figure. "
                "Measure one profile (--profile) for more --minutes."
            )
    busy = [load for profile in profiles for load in profile.loads if load.sender_cores >= BUSY_CORES]
    if busy:
        notes.append(
            f"From {min(load.phones for load in busy)} phones on, sending took up to "
            f"{max(load.sender_cores for load in busy):.1f} cores of this machine. That may have limited the steps a "
            "second: the server may do more."
        )
    return tuple(notes)
