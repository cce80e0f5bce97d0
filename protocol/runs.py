"""Orders and results of episodes, and the figures of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import ConfigDict, Field, field_validator, model_validator

from manyhands.protocol.base import Ending, Input, Message
from manyhands.protocol.learning_figures import LearningFigures
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.phones import Lease, SettleSpec
from manyhands.protocol.predicates import UnmetTest
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.records import EpisodeEnded, EpisodeStarted, Recalled, StageName
from manyhands.protocol.setting_metadata import Flag
from manyhands.protocol.tasks import TaskSpec
from manyhands.protocol.usage import Percentiles, RoleUsage
from manyhands.protocol.yaml_document import YamlInvalid, unknown_keys

ProfileName = Annotated[str, Field(min_length=1, max_length=100)]
"""A loop that ``actors.profiles`` lists."""
Schedule = Literal["serial", "overlap", "speculate"]
CheapVerdict = Literal["unchanged", "app_in_front", "typed_text"]
"""A rule by which an action is judged without the model (``actors.episode.verdicts``)."""
CHEAP_VERDICTS: tuple[CheapVerdict, ...] = get_args(CheapVerdict)


class EpisodeSettings(Input):
    """Hold what is the same for every episode of a run."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    profile: Annotated[ProfileName, Flag("run", "suite single-step", "bench step")] = "e"
    """Which paper's loop, such as `e` for Mobile-Agent-E (docs/profiles.md)."""
    schedule: Annotated[
        Schedule, Flag("run", "demo", "bench fleet", "bench overhead", "bench soak", "bench chaos", "bench edge")
    ] = "overlap"
    """The order of a step's stages: `serial`, `overlap` or `speculate` (docs/schedules.md).

    `serial` is the paper's order; under `overlap` stages that do not depend on each other run side by side; under
    `speculate` plan and decide begin before the verdict is out, which `paper_exact` excludes.
    """
    paper_exact: Annotated[bool, Flag("run", "suite single-step")] = False
    """Do exactly as the paper does, also where our defaults are kinder (docs/profiles.md)."""
    without: Annotated[tuple[str, ...], Flag("run", "suite single-step", nothing="none")] = ()
    """Parts of the profile to leave out, with commas, such as `planner` (docs/profiles.md)."""
    cheap_verdicts: Annotated[tuple[CheapVerdict, ...], Flag("run", "bench step", nothing="none")] = CHEAP_VERDICTS
    """Rules that may judge an action without the model, with commas; `none` turns all off (docs/verdicts.md).

    In the environment a list as JSON: `["unchanged"]`.
    """
    history: int = Field(default=5, ge=0, le=100)
    """Past actions that the operator is shown (Mobile-Agent-E, section 3.1: m)."""
    escalate_after: int = Field(default=2, ge=1, le=100)
    """Failed actions in a row after which the planner is asked to help (Mobile-Agent-E, section 3.1: k)."""
    skip_planner: bool = False
    """Let the reflector tell whether a subgoal is reached, and skip the planner until then; not with `paper_exact`."""
    reflector_sees_elements: Literal["before", "after"] = "before"
    """`after` also waits for the new screen's elements before the verdict."""
    planner_tips: bool = False
    """With `paper_exact`, tell the planner tips too: section 3.2 of Mobile-Agent-E says so, equation 1 does not."""
    chat_pictures: int = Field(default=4, ge=2, le=64)
    """How many screenshots a chat (profile `v1`) shows at most; with `paper_exact` it shows all."""
    like_e: Annotated[bool, Flag("run", "suite single-step")] = False
    """Give profile `v2` the actions and initial tips of `e`, as section 4.4 of Mobile-Agent-E did to compare them."""
    captions: bool = False
    """Ask the model of the role `caption` what unnamed icons are, once for the whole fleet (docs/perception.md)."""
    caption_all: bool = False
    """With `captions`, have the model name all icons, also those that our own network names."""
    caption_wait_s: float = Field(default=0.0, ge=0, le=60)
    """Seconds that a screen waits for captions; those that come later appear on later screens."""
    settle: SettleSpec = SettleSpec()
    """When a screen counts as at rest (docs/settling.md)."""
    deadlines: dict[StageName, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    """Seconds for a call of a stage, by its name, instead of those that its profile gives it (docs/profiles.md)."""
    lease_s: float = Field(default=30.0, gt=1)
    """Seconds that a phone stays with a host that does not renew its lease."""
    no_model_s: float = Field(default=600.0, gt=0)
    """Seconds without an answer of any server of a role before tasks, running or waiting, end as `no_model`.

    docs/monitoring.md describes what happens meanwhile.
    """
    disk_wait_s: float = Field(default=600.0, gt=0)
    """Seconds that an episode holds before its next action while its run folder cannot be written."""

    def has(self, part: str) -> bool:
        """Return whether a part of the profile is not left out."""
        return part not in self.without

    @field_validator("settle", mode="before")
    @classmethod
    def _has_known_keys(cls, given: Any) -> Any:
        """Refuse unknown keys, which the message to a gateway, perhaps of a newer version, may have."""
        if isinstance(given, dict) and (mistakes := unknown_keys(given, tuple(SettleSpec.model_fields))):
            raise YamlInvalid(mistakes)
        return given

    @model_validator(mode="after")
    def _as_the_paper_does(self) -> Self:
        if self.paper_exact and self.schedule == "speculate":
            raise ValueError("paper_exact: the paper's roles wait for verdict and plan; choose serial or overlap")
        if self.paper_exact and self.skip_planner:
            raise ValueError("paper_exact: the paper's planner is asked in every step; leave out skip_planner")
        for setting in self.model_fields_set & registered_profiles().variants.keys():
            owner, _ = registered_profiles().variants[setting]
            if self.profile != owner and getattr(self, setting) != type(self).model_fields[setting].default:
                raise ValueError(f"{setting} is for the profile {owner} alone, and this one is {self.profile}")
        return self


class SpeculationSettings(Input):
    """Configure when the schedule ``speculate`` may ask ahead of time (docs/monitoring.md)."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    in_flight_share: float = Field(default=0.75, ge=0, le=1)
    """Share of the cap on calls in flight that speculative calls may use; 0 turns speculation off."""
    slower: float = Field(default=1.4, gt=1)
    """Servers count as full when a token takes so many times the best time."""
    wait_s: float = Field(default=4.0, ge=0)
    """Seconds without a sign of full servers before a speculative call is admitted again."""
    longest_wait_s: float = Field(default=300.0, ge=0)
    """The longest that this wait becomes where servers are full again and again."""
    ramp_s: float = Field(default=8.0, ge=0)
    """Seconds from the first speculative call admitted until all are, or half the wait where that is longer."""


MOST_RESUMES = 3
"""How often in a row an episode is gone on with in place without a finished step: the task itself may interrupt it."""


class EpisodeOrder(Message):
    """Order one attempt at one task on one phone."""

    run: str
    episode: str
    attempt: int = Field(ge=1)
    task: TaskSpec
    lease: Lease
    memory: LongTermMemory
    recalled: Recalled | None = None
    """How that was chosen, if it was."""
    settings: EpisodeSettings
    batch: str = ""
    place: int = 0
    """The task's index in its batch."""
    restarts: int = 0
    """How often this attempt was begun anew, for reasons outside of the task."""
    resume: str | None = None
    """Why the episode, which has a journal already, is gone on with in place; None for a new one."""
    run_cut_off: bool = False
    """Its whole run had stopped, not the episode alone."""


def is_done(ending: Ending, verified: bool | None, has_check: bool) -> bool:
    """Return whether a task that was decided so is done; one whose check nobody could ask is not."""
    return verified is True or (not has_check and ending is Ending.FINISHED)


class EpisodeResult(Message):
    episode: str
    task: str
    serial: str
    attempt: int
    ending: Ending
    reason: str
    steps: int
    verified: bool | None
    rubrics: dict[str, bool]
    unmet: tuple[UnmetTest, ...] = ()
    """What of the check did not hold."""
    answer: str | None = None
    afresh: bool = False
    """The episode cannot be gone on with in place: whoever takes up its task again begins with a reset."""
    in_vain: int = 0
    """How often it had been gone on with in place since a step was finished."""
    failure: str = ""
    """The code of the stage that failed last."""
    started_at: float
    ended_at: float
    has_check: bool = False

    @property
    def is_done(self) -> bool:
        """Return whether the task is done, as ``TaskRow.is_done``."""
        return is_done(self.ending, self.verified, self.has_check)

    @classmethod
    def of(
        cls,
        ended: EpisodeEnded,
        *,
        episode: str,
        task: TaskSpec,
        serial: str,
        attempt: int,
        in_vain: int,
        failure: str,
        started_at: float,
    ) -> Self:
        """Return the result of an episode that ended so."""
        return cls(
            episode=episode,
            task=task.id,
            has_check=task.check is not None,
            serial=serial,
            attempt=attempt,
            ending=ended.ending,
            reason=ended.reason,
            steps=ended.steps,
            verified=ended.verified,
            rubrics=ended.rubrics,
            unmet=ended.unmet,
            answer=ended.answer,
            afresh=ended.afresh,
            in_vain=in_vain,
            failure=failure,
            started_at=started_at,
            ended_at=ended.at,
        )


class EpisodeIndex(Message):
    """Say where an episode stands by its journal."""

    started: EpisodeStarted
    epoch: int
    """The newest lease under which it was written."""
    ended: EpisodeEnded | None
    """None also where it was gone on with after an end."""
    steps: int
    """How many it has finished."""
    in_vain: int
    """How often it was gone on with since its last finished step, where it alone had been interrupted."""
    taught: bool = False
    """Whether it says what it taught (``Learned``)."""
    failure: str = ""
    """The code of the stage that failed last."""


class AskedModel(Message):
    """Describe the model that a role asks, with all that decides its answers apart from the prompt."""

    model: str
    """Its name, as its servers list it."""
    servers: tuple[str, ...]
    dialect: str
    max_pixels: int | None
    """The servers' cap on a picture's pixels; None is the family's own."""
    output: str
    grammar: str
    temperature: float
    seed: int
    max_tokens: int


class TaskRow(Message):
    id: str
    phone: str | None
    finished: Ending
    verified: bool | None
    rubrics: dict[str, bool]
    steps: int
    human_steps: int
    attempts: int
    reason: str
    unmet: tuple[UnmetTest, ...] = ()
    """What of the check did not hold: expected and found."""
    rubrics_unmet: dict[str, tuple[UnmetTest, ...]] = Field(default_factory=dict)
    """The same of each rubric that never held."""
    answer: str | None = None
    has_check: bool = False

    @property
    def is_false_complete(self) -> bool:
        """Return whether the agent called the task finished although its check does not hold."""
        return self.finished is Ending.FINISHED and self.verified is False

    @property
    def is_done(self) -> bool:
        """Return whether its check holds; without one, whether the agent was done with it.

        A task whose check nobody could ask is not done, as far as anyone knows.
        """
        return is_done(self.finished, self.verified, self.has_check)


class Speculation(Message):
    """Count the stages that began on assumptions, by stage."""

    kept: dict[str, int]
    """All that they assumed came true."""
    dropped: dict[str, int]
    wrong: dict[str, int]
    """Why they were dropped: the stage that ended otherwise; ``failed`` by itself; the episode ``ended`` before."""
    kept_share: float


class Interruptions(Message):
    """Sum up what went on with episodes after something outside of their tasks had interrupted them."""

    continued: int
    """Times that an episode was gone on with in place."""
    causes: dict[str, int]
    """How it had ended before that; ``host_lost`` also where nobody was left to write an end."""
    seconds: float
    """For how long nobody carried on the episode, of all those times together."""
    begun_anew: int
    """Episodes that began an attempt anew, where it could not be gone on with in place."""
    actions_again: int
    """Actions of episodes whose attempt was begun anew: what they did was done again."""


class Repeated(Message):
    """Hold the row of the run whose failed tasks a run repeats (Mobile-Agent-v2, tables 1 and 2: with knowledge)."""

    run: str
    tasks: int
    verified: int
    unknown: int = 0
    """Tasks that are not repeated, and of which the phone did not tell whether they are done."""


class IconNames(Message):
    """Count the icons of the screens that were read, by who named them. A screen that was read before counts once."""

    model: int
    network: int
    """Our own."""
    unnamed: int


class RunSummary(Message):
    """Hold the figures of a run, made from its journals alone: ``summary.json``."""

    run_id: str
    profile: str
    schedule: str
    phones: int
    tasks: int
    finished: dict[str, int]
    """Episodes that decided a task, by way of ending."""
    verified: int
    """Tasks whose check holds."""
    false_completes: int = 0
    """Tasks that the agent called finished and whose check does not hold."""
    steps: int
    wall_s: float
    """From the first episode's start to the last one's end, without the time in which the run lay cut off before it was
    gone on with."""
    episodes_per_hour: float
    """Tasks that were verified or finished, by ``wall_s``. One that failed at once would make any rate look good."""
    away_s: float = 0.0
    """How long episodes waited because no server of a model answered. No time of a step or a stage has it."""
    step_ms: Percentiles | None
    """From one action sent to the next one sent, within an episode; None if no two were sent. Waiting for a model of
    which no server answered is left out."""
    stage_ms: dict[str, Percentiles | None]
    """Work of each stage of the profile by its name, and of ``settle``, which is part of ``capture``; without
    queues; None without samples. A sample is work that was done: a verdict made without the model, a screen read
    before, a screenshot used again and a decision that needed nobody are none, or the percentiles would tell how
    often there was nothing to do."""
    queue_ms: dict[str, Percentiles | None]
    """Waiting in queues, of the same stages, and of those that waited for another's reading of the same
    pixels; settling has no queue."""
    overhead_ms_per_step: float | None
    """Mean of a step less the union of its stages' intervals."""
    model: dict[str, RoleUsage]
    """By role."""
    servers: dict[str, RoleUsage] = Field(default_factory=dict)
    """The same calls by server: by the one that was asked last, where a call went to several."""
    models: dict[str, AskedModel] = Field(default_factory=dict)
    """Who was asked, by role."""
    actions_sent: int
    """Distinct action keys that were sent to a phone."""
    actions_repeated: int
    """Receipts that a gateway answered from its memory, without touching the phone."""
    outcomes: dict[str, int]
    speculation: Speculation | None = None
    """None where nothing was asked ahead of time."""
    checks: dict[str, int] = Field(default_factory=dict)
    """Verdicts made without the model, by rule (docs/verdicts.md)."""
    by_task: tuple[TaskRow, ...]
    interruptions: Interruptions | None = None
    """None where nothing was interrupted."""
    repeated: Repeated | None = None
    """The run of which this one repeats what failed."""
    learning: LearningFigures | None = None
    """None where tasks learned nothing from each other."""
    model_source: str = ""
    """What answered as the model, also if it was the rehearsed model."""
    phones_source: str = ""
    """What the phones were, also if they were virtual."""
    phones_left_out: dict[str, str] = Field(default_factory=dict)
    """Phones that adb listed and nobody named, by serial, and why they could not be used."""
    perception_source: str = ""
    """What read the screens, if it was not our own perception: also if it was modelled."""
    icons: IconNames | None = None
    """None where a model was not asked for the names of all of them."""
    versions: dict[str, str] = Field(default_factory=dict)
    settings: dict[str, Any] = Field(default_factory=dict)

    @property
    def departures(self) -> str:
        """Return how the profile was changed, as it follows its name: ``, paper exact, without planner``."""
        return departures_of(self.settings)


def departures_of(settings: Mapping[str, Any]) -> str:
    """Return how settings change their profile, as it follows its name: ``, paper exact, without planner``."""
    episode = settings.get("episode") or {}
    exact = [", paper exact"] if episode.get("paper_exact") else []
    variants = [f", {words}" for name, (_, words) in registered_profiles().variants.items() if episode.get(name)]
    left_out = [f", without {', '.join(episode['without'])}"] if episode.get("without") else []
    return "".join([*exact, *variants, *left_out])
