"""Define the orders, settings and results of episodes, and the figures of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import ConfigDict, Field, JsonValue, field_validator, model_validator

from manyhands.protocol.base import Ending, Message
from manyhands.protocol.effective_records import is_open
from manyhands.protocol.learning_figures import LearningFigures
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.phones import Lease, SettleSpec
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.records import EpisodeEnded, EpisodeStarted, Recalled, StageName
from manyhands.protocol.setting_metadata import Flag
from manyhands.protocol.side_effects import StateChange
from manyhands.protocol.tasks import TaskSpec
from manyhands.protocol.unmet_tests import UnmetTest
from manyhands.protocol.usage import Percentiles, RoleUsage
from manyhands.protocol.yaml_document import YamlInvalid, unknown_keys

ProfileName = Annotated[str, Field(min_length=1, max_length=100)]
"""The name of a registered profile (``protocol.profiles``)."""
Schedule = Literal["serial", "overlap", "speculate"]
CheapVerdict = Literal["unchanged", "app_in_front", "typed_text"]
"""A rule that judges an action without the model (``actors.episode.verdicts``)."""
CHEAP_VERDICTS: tuple[CheapVerdict, ...] = get_args(CheapVerdict)


class EpisodeSettings(PublicInput):
    """Configure the episodes of a run. All episodes of a run have the same settings."""

    panel: ClassVar[str] = "Loop"

    model_config = ConfigDict(use_attribute_docstrings=True)

    profile: Annotated[ProfileName, Flag("run", "suite single-step", "bench step", is_common=True)] = "e"
    """Which paper's loop, such as `e` for Mobile-Agent-E (docs/profiles.md)."""
    schedule: Annotated[
        Schedule,
        Flag("run", "demo", "bench fleet", "bench overhead", "bench soak", "bench chaos", "bench edge", is_common=True),
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
        """Return whether the profile has a part: it has not been left out by ``without``."""
        return part not in self.without

    @field_validator("settle", mode="before")
    @classmethod
    def _has_known_keys(cls, given: Any) -> Any:
        """Refuse unknown keys. ``SettleSpec`` is a message, which by itself ignores keys of newer versions."""
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


class SpeculationSettings(PublicInput):
    """Configure when the schedule ``speculate`` may send calls that begin on assumptions (docs/monitoring.md)."""

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
"""The most times that an episode is resumed in place without finishing a step: its task may cause the interruptions."""


class EpisodeOrder(Message):
    """Order one attempt at one task on one phone."""

    run: str
    episode: str
    attempt: int = Field(ge=1)
    task: TaskSpec
    lease: Lease
    memory: LongTermMemory
    recalled: Recalled | None = None
    """The calls that chose this memory, if there were any."""
    settings: EpisodeSettings
    batch: str = ""
    place: int = 0
    """The task's index in its batch."""
    restarts: int = 0
    """How often this attempt was begun anew, for reasons outside the task."""
    resume: str | None = None
    """Why the episode is resumed in place, if it has a journal already; None for a new episode."""
    run_cut_off: bool = False
    """Whether the whole run had stopped, not this episode alone."""


def is_done(ending: Ending, verified: bool | None, has_check: bool, answered: bool = True) -> bool:
    """Return whether a task with this result is done. A task whose check could not be evaluated is not.

    ``answered``: whether the task has the answer that it asks for, if it asks for one.
    """
    return answered and (verified is True or (not has_check and ending is Ending.FINISHED))


def has_failed(ending: Ending, verified: bool | None, has_check: bool, failure: str, answered: bool = True) -> bool:
    """Return whether an attempt with this result did not pass, and the task is the cause: a retry may follow.

    A check that could not be evaluated, and an ending that a resumed run takes up again, tell nothing of the task.
    ``failure``: the code of the stage that failed last.
    """
    told = verified is False or not has_check or not answered
    return told and not is_done(ending, verified, has_check, answered) and not is_open(ending, failure)


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
    """The tests of the check that did not hold."""
    unexpected_changes: tuple[StateChange, ...] | None = None
    """What the task changed beyond what it may change; None if nobody can say."""
    answer: str | None = None
    answer_data: JsonValue = None
    """The answer as data, if the task asks for one."""
    answered: bool = True
    """Whether the answer fits what the task asks for; True also for a task that asks for none."""
    afresh: bool = False
    """Whether the episode cannot be resumed in place: the next episode of its task begins with a reset."""
    in_vain: int = 0
    """How often the episode was resumed in place since it last finished a step."""
    failure: str = ""
    """The code of the stage that failed last."""
    started_at: float
    ended_at: float
    has_check: bool = False

    @property
    def is_done(self) -> bool:
        """Return whether the task is done, by the same rule as ``TaskRow.is_done``."""
        return is_done(self.ending, self.verified, self.has_check, self.answered)

    @property
    def has_failed(self) -> bool:
        """Return whether the attempt did not pass, and the task is the cause."""
        return has_failed(self.ending, self.verified, self.has_check, self.failure, self.answered)

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
        """Return the result of an episode from its end."""
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
            unexpected_changes=ended.unexpected_changes,
            answer=ended.answer,
            answer_data=ended.answer_data,
            answered=ended.answered,
            afresh=ended.afresh,
            in_vain=in_vain,
            failure=failure,
            started_at=started_at,
            ended_at=ended.at,
        )


class EpisodeIndex(Message):
    """Hold the state of an episode, as its journal tells it."""

    started: EpisodeStarted
    epoch: int
    """The newest epoch under which the journal was written."""
    ended: EpisodeEnded | None
    """The episode's end; None also if the episode was resumed after it."""
    steps: int
    """How many steps the episode has finished."""
    in_vain: int
    """How often the episode alone was interrupted and resumed since its last finished step."""
    taught: bool = False
    """Whether the journal says what the episode taught (``Learned``)."""
    failure: str = ""
    """The code of the stage that failed last."""


class AskedModel(Message):
    """Describe the model that a role asks, and all that influences its answers apart from the prompt."""

    model: str
    """The model's name, as its servers list it."""
    servers: tuple[str, ...]
    dialect: str
    max_pixels: int | None
    """The servers' limit on a picture's pixels; None for the default of the model family."""
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
    """The tests of the check that did not hold: what was expected and what was found."""
    rubrics_unmet: dict[str, tuple[UnmetTest, ...]] = Field(default_factory=dict)
    """The same for each rubric that never held."""
    unexpected_changes: tuple[StateChange, ...] | None = None
    """What the task changed beyond what it may change; None if nobody can say."""
    answer: str | None = None
    answer_data: JsonValue = None
    """The answer as data, if the task asks for one."""
    answered: bool = True
    """Whether the answer fits what the task asks for; True also for a task that asks for none."""
    has_check: bool = False
    retries: int = 0
    """How many attempts of the task did not pass before the last one."""
    repeat_of: str | None = None
    """The id of the task that this one repeats."""

    @property
    def is_false_complete(self) -> bool:
        """Return whether the agent declared the task finished although its check does not hold."""
        return self.finished is Ending.FINISHED and self.verified is False

    @property
    def is_done(self) -> bool:
        """Return whether the task's check holds, or, for a task without a check, whether the agent finished it.

        A task whose check could not be evaluated, or whose answer is missing or unfit, is not done.
        """
        return is_done(self.finished, self.verified, self.has_check, self.answered)


class Speculation(Message):
    """Count the stages that began on assumptions, by the name of the stage."""

    kept: dict[str, int]
    """Stages whose assumptions all came true."""
    dropped: dict[str, int]
    wrong: dict[str, int]
    """Why stages were dropped: the stage with another result than assumed, ``failed`` for a failure of the stage
    itself, or ``ended`` if the episode ended first."""
    kept_share: float


class Interruptions(Message):
    """Sum up how episodes went on after an interruption that was not caused by their tasks."""

    continued: int
    """How often an episode was resumed in place."""
    causes: dict[str, int]
    """The endings before these resumptions; ``host_lost`` also where no process was left to write an end."""
    seconds: float
    """The total time between interruption and resumption, in which no process ran the episode."""
    begun_anew: int
    """Episodes that began an attempt anew, because it could not be resumed in place."""
    actions_again: int
    """Actions of the episodes whose attempts were begun anew. These actions were done twice."""


class Repeated(Message):
    """Hold figures of the run whose failed tasks this run repeats (Mobile-Agent-v2, tables 1 and 2: with knowledge)."""

    run: str
    tasks: int
    verified: int
    unknown: int = 0
    """Tasks that are not repeated although the phone did not tell whether they are done."""


class IconNames(Message):
    """Count the icons on screens by what named them. A screen that was read again counts once."""

    model: int
    network: int
    """Icons that our own network named."""
    unnamed: int


class RunSummary(Message):
    """Hold the figures of a run, made from its journals: the content of ``summary.json``."""

    run_id: str
    profile: str
    schedule: str
    phones: int
    tasks: int
    finished: dict[str, int]
    """Episodes that decided a task, by their ending."""
    verified: int
    """Tasks whose check holds."""
    false_completes: int = 0
    """Tasks that the agent declared finished although their check does not hold."""
    unexpected_changes: int | None = None
    """Tasks that changed more than they may change; None if no task names what is to stay unchanged."""
    steps: int
    wall_s: float
    """Seconds from the start of the first episode to the end of the last one, without the time between the run's
    interruption and its resumption."""
    episodes_per_hour: float
    """Tasks that were verified or finished, per hour of ``wall_s``. Failed tasks do not count: they may end at once."""
    away_s: float = 0.0
    """How long episodes waited because no server of a model answered. Times of steps and stages do not include it."""
    step_ms: Percentiles | None
    """Time between two actions that an episode sent one after the other; None if no two were sent. The time in which no
    server of a model answered is left out."""
    stage_ms: dict[str, Percentiles | None]
    """Time of work by name of the stage, without queues, and of ``settle``, part of ``capture``. None without samples.
    Only work that was done is a sample. A cheap verdict, a screen from the cache, a reused screenshot and a decision
    without a model are not: with them, the percentiles would tell how often there was nothing to do."""
    queue_ms: dict[str, Percentiles | None]
    """Time in queues by name of the stage, also of stages that waited while another one read the same pixels. Settling
    has no queue."""
    overhead_ms_per_step: float | None
    """The mean time of a step that no stage's interval covers."""
    model: dict[str, RoleUsage]
    """By name of the role."""
    servers: dict[str, RoleUsage] = Field(default_factory=dict)
    """The same calls by server. A call that went to several servers counts for the last one."""
    models: dict[str, AskedModel] = Field(default_factory=dict)
    """The model that each role asked."""
    actions_sent: int
    """Distinct action keys that were sent to a phone."""
    actions_repeated: int
    """Receipts that a gateway repeated from its memory, without touching the phone."""
    outcomes: dict[str, int]
    speculation: Speculation | None = None
    """None if no stage began on assumptions."""
    checks: dict[str, int] = Field(default_factory=dict)
    """Verdicts made without the model, by rule (docs/verdicts.md)."""
    by_task: tuple[TaskRow, ...]
    interruptions: Interruptions | None = None
    """None if no episode was interrupted."""
    repeated: Repeated | None = None
    """The run whose failed tasks this run repeats, if there is one."""
    learning: LearningFigures | None = None
    """None if tasks did not learn from each other."""
    model_source: str = ""
    """What answered as the model, such as the rehearsed model."""
    phones_source: str = ""
    """What the phones were, such as virtual phones."""
    phones_left_out: dict[str, str] = Field(default_factory=dict)
    """Phones that adb listed but nobody named, by serial, and why they could not be used."""
    perception_source: str = ""
    """What read the screens, if it was not our own perception, such as modelled perception."""
    icons: IconNames | None = None
    """None unless a model was asked for the names of all icons."""
    versions: dict[str, str] = Field(default_factory=dict)
    settings: dict[str, Any] = Field(default_factory=dict)

    @property
    def departures(self) -> str:
        """Return how the profile was changed, to be shown after its name: ``, paper exact, without planner``."""
        return departures_of(self.settings)


def departures_of(settings: Mapping[str, Any]) -> str:
    """Return how settings change the profile, to be shown after its name: ``, paper exact, without planner``."""
    episode = settings.get("episode") or {}
    exact = [", paper exact"] if episode.get("paper_exact") else []
    variants = [f", {words}" for name, (_, words) in registered_profiles().variants.items() if episode.get(name)]
    left_out = [f", without {', '.join(episode['without'])}"] if episode.get("without") else []
    return "".join([*exact, *variants, *left_out])
