"""Define the figures of a run, those of learning included: the content of ``summary.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, JsonValue

from manyhands.protocol.base import Ending, Message, VerifiedBy
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import is_done
from manyhands.protocol.tasks.side_effects import StateChange
from manyhands.protocol.tasks.unmet_tests import UnmetTest
from manyhands.protocol.utilities.terminal_text import count_noun


class Percentiles(Message):
    p50: float
    p95: float
    mean: float


class RoleUsage(Message):
    """Sum up the model calls of one role, or those to one server."""

    calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cached_share: float | None = None
    """The share of cached input tokens; None without input tokens."""
    errors: int = 0
    """Calls without an answer. An invalid answer does not count here; ``repairs`` counts it."""
    retries: int = 0
    """Attempts beyond the first of each call."""
    repairs: int = 0
    """Calls that asked again because the answer before was invalid."""
    queue_ms: Percentiles | None = None
    """Time in our own queue, over all calls."""
    latency_ms: Percentiles | None = None
    """Time from admission to the answer, retries included, over the answered calls."""


Known = Literal["initial", "learned"]
"""Where a shortcut comes from: known from the start, or learned by the fleet."""
Asker = Literal["steps", "verifier", "retriever", "learners", "judge"]
"""Who made model calls: the steps of episodes, or the roles that work beside them."""


class UseCounts(Message):
    """Count the uses of shortcuts that operators chose, by their outcome."""

    worked: int = 0
    refused: int = 0
    """The precondition did not hold; nothing was sent."""
    surprised: int = 0
    """The phone did something unexpected, so the rest of the shortcut was not sent."""
    failed: int = 0
    """The shortcut was performed, and its verdict was B or C."""
    put_aside: int = 0
    """The shortcut had been quarantined meanwhile; nothing was sent."""
    untold: int = 0
    """The use says nothing about the shortcut: wrong arguments, an interruption, an end before the verdict."""

    @property
    def total(self) -> int:
        return self.worked + self.misused + self.untold

    @property
    def misused(self) -> int:
        """Return the number of uses that did not do what was intended."""
        return self.refused + self.surprised + self.failed + self.put_aside


class TaughtCounts(Message):
    """Count tips or shortcuts by what lessons did to them."""

    added: int = 0
    changed: int = 0
    """A tip with a new text, or a shortcut with a new version."""
    removed: int = 0
    refused: int = 0


class EpisodeLearning(Message):
    """Count what an episode knew, used and taught."""

    episode: str
    task: str
    scenario: str | None
    """The task's ``memory_scope``."""
    place: int | None
    """The task's place in its scenario, from 1; None without a scenario."""
    tips: int
    """How many tips the episode was given, including initial ones."""
    new_tips: int
    """How many of these tips are not initial."""
    shortcuts: int
    new_shortcuts: int
    left_out: int
    """How many tips and shortcuts its scopes hold that the episode was not given."""
    used: dict[Known, UseCounts]
    taught_tips: TaughtCounts
    taught_shortcuts: TaughtCounts
    lesson: Literal["taught", "failed", "none"]
    """``none``: no learner was asked, because the phone, the lease, the host or the run was lost."""
    problem: str = ""
    """Why the lesson failed, or was not stored completely."""


class LearningFigures(Message):
    """Hold the figures of what a run learned."""

    lessons: int
    """How many lessons the memory service stored."""
    failed: int
    """How many lessons stored nothing: no learner answered, or there was nothing to learn from."""
    tips: TaughtCounts
    shortcuts: TaughtCounts
    used: dict[Known, UseCounts]
    put_aside: tuple[str, ...]
    """Shortcuts, as ``ID@VERSION``, that were quarantined after a use in this run."""
    model: dict[Asker, RoleUsage]
    lesson_ms: Percentiles | None
    """How long learning took after an episode. No phone was held during this time."""
    by_episode: tuple[EpisodeLearning, ...] = Field(default=())
    """In the order in which the episodes started."""


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
    top_p: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    repetition_penalty: float | None = None
    top_k: int | None = None
    system_prompt_sha256: str | None = None
    """The hash of the file that replaced the system prompt of the profile ``native``; None without one."""


class TaskRow(Message):
    id: str
    phone: str | None
    finished: Ending
    verified: bool | None
    """Whether the check holds; ``verified_by`` says by whose word."""
    verified_by: VerifiedBy | None = None
    """Whose word decided the check; None if nobody's did."""
    rubrics: dict[str, bool]
    steps: int
    human_steps: int | None
    """How many operations a human needs for the task; None if nobody said."""
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
    matrix: str = ""
    """The label of phones for whose values the task is carried out; empty for a task without a matrix."""
    matrix_value: str = ""
    """The value of this label on the phone."""
    group: int | None = None
    """How many episodes the task's group has; None for a task outside groups."""
    group_enough: int | None = None
    reward: float | None = None
    """What the task's last episode earned (docs/rollouts.md); None if it says nothing of the agent."""
    fault: str | None = None
    """Why there is no reward, if a fault ended the episode."""

    @property
    def is_false_complete(self) -> bool:
        """Return whether the agent declared the task finished although the phone says that its check does not hold."""
        return self.finished is Ending.FINISHED and self.verified is False and not self.is_judged

    @property
    def is_verified(self) -> bool:
        """Return whether the check holds by the phone's word."""
        return self.verified is True and not self.is_judged

    @property
    def is_judged(self) -> bool:
        """Return whether a judge decided the check."""
        return self.verified_by == "judge"

    @property
    def is_done(self) -> bool:
        """Return whether the task's check holds, or, for a task without a check, whether the agent finished it.

        A task whose check could not be evaluated, or whose answer is missing or unfit, is not done.
        """
        return is_done(self.finished, self.verified, self.has_check, self.answered)


class GroupResult(Message):
    """Hold what came of a task's group of episodes."""

    task: str
    episodes: int
    """How many episodes the group was to have."""
    enough: int
    """How many rewards complete the group."""
    rewards: tuple[float | None, ...]
    """By the number of the episode. None if a fault ended its last attempt, or if it was cancelled because there were
    enough.
    """
    faults: dict[str, int]
    """Why episodes have no reward, with their number."""
    pass_at: dict[int, float]
    """The chance that of so many episodes one has the reward 1, estimated without bias (arXiv 2107.03374)."""

    @property
    def is_complete(self) -> bool:
        """Return whether as many episodes as wanted have a reward."""
        return sum(reward is not None for reward in self.rewards) >= self.enough

    def __str__(self) -> str:
        """Write ``8 rewards of 8 episodes, mean 0.50, pass@1 0.50, pass@8 1.00``."""
        values = [reward for reward in self.rewards if reward is not None]
        mean = f", mean {sum(values) / len(values):.2f}" if values else ""
        chances = "".join(f", pass@{count} {chance:.2f}" for count, chance in self.pass_at.items())
        faults = "".join(f"; {count} {fault}" for fault, count in self.faults.items())
        return f"{count_noun(len(values), 'reward')} of {self.episodes} episodes{mean}{chances}{faults}"


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
    """Say which run's failed tasks this run repeats (Mobile-Agent-v2, tables 1 and 2: with knowledge)."""

    run: str
    folder: str
    """The folder of that run when this one began."""
    tasks: int
    kept_done: int
    """Tasks that are done and not repeated."""
    by: dict[str, int] = Field(default_factory=dict)
    """By whose word tasks of that run counted as done or failed: ``phone``, ``person``, ``model``, ``agent``."""


class StartUp(Message):
    """Hold how long a fleet took to open, and when it got its first tasks: ``start_up`` in run.yaml."""

    opening_s: float
    models_s: float
    """The part of ``opening_s`` in which model servers were waited for and tried."""
    tasks_at: float
    """When the first tasks came, in Unix seconds."""


ELEMENT_SOURCES = {"accessibility": "accessibility", "both": "accessibility and vision"}
"""What elements are read by, for the values of the setting ``elements`` that are not the default."""


class IconNames(Message):
    """Count the icons on screens, by the source of their names. A screen that was read again counts once."""

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
    """Tasks whose check holds by the phone's word."""
    judged_done: int = 0
    """Tasks whose check holds by a judge's word. ``verified`` does not count them."""
    judged_not_done: int = 0
    """Tasks whose check does not hold by a judge's word."""
    false_completes: int = 0
    """Tasks that the agent declared finished although their check does not hold by the phone's word."""
    unexpected_changes: int | None = None
    """Tasks that changed more than they may change; None if no task names what is to stay unchanged."""
    steps: int
    wall_s: float
    """Seconds from the start of the first episode to the end of the last one, without the time between the run's
    interruption and its resumption."""
    episodes_per_hour: float
    """Tasks that were verified or finished, per hour of ``wall_s``. Failed tasks do not count: they may end at once."""
    start_up_s: float | None = None
    """Seconds from the opening of the fleet to the first stage of a step, without the time in which the open fleet
    waited for tasks. None if no step began, and for a service. A resumed run keeps its first figure."""
    start_up_models_s: float | None = None
    """The part of ``start_up_s`` in which model servers were waited for and tried."""
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
    """Time in queues by name of the stage, including stages that waited while another reading of the same pixels ran.
    Settling has no queue."""
    overhead_ms_per_step: float | None
    """The mean time of a step that no stage's interval covers."""
    model: dict[str, RoleUsage]
    """By name of the role."""
    servers: dict[str, RoleUsage] = Field(default_factory=dict)
    """The same calls by server. A call that went to several servers counts for the last one."""
    models: dict[str, AskedModel] = Field(default_factory=dict)
    """The model that each role asked."""
    actions_sent: int
    """Distinct action keys of the agent that were sent to a phone."""
    person_actions: int = 0
    """Distinct action keys of persons who had taken an episode over."""
    actions_repeated: int
    """Receipts that a gateway repeated from its memory, without touching the phone."""
    outcomes: dict[str, int]
    speculation: Speculation | None = None
    """None if no stage began on assumptions."""
    checks: dict[str, int] = Field(default_factory=dict)
    """Verdicts made without the model, by rule (docs/verdicts.md)."""
    by_task: tuple[TaskRow, ...]
    groups: tuple[GroupResult, ...] = ()
    """The groups of episodes, with what they earned."""
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
    trees: dict[str, int] = Field(default_factory=dict)
    """Screens by what became of the phone's views (``TreeOutcome``); empty if they were not asked for."""
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
    variants = [
        f", {words}"
        for name, (_, words) in registered_profiles().variants.items()
        if name in episode and episode[name] != EpisodeSettings.model_fields[name].default
    ]
    source = episode.get("elements") or "vision"
    elements = [] if source == "vision" else [f", elements by {ELEMENT_SOURCES.get(source, source)}"]
    left_out = [f", without {', '.join(episode['without'])}"] if episode.get("without") else []
    return "".join([*exact, *variants, *elements, *left_out])
