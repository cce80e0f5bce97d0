"""Orders and results of episodes, and the figures of a run."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, get_args

from pydantic import ConfigDict, Field, model_validator

from manyhands.protocol.base import Ending, Input, Message
from manyhands.protocol.declared import Flag
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.phones import Lease, SettleSpec
from manyhands.protocol.records import StageName
from manyhands.protocol.tasks import TaskSpec

ProfileName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
"""A loop that ``actors.profiles`` lists."""
Schedule = Literal["serial", "overlap", "speculate"]
CheapVerdict = Literal["unchanged", "app_in_front", "typed_text"]
"""A rule by which an action is judged without the model (``actors.profiles.e.verdicts``)."""
CHEAP_VERDICTS: tuple[CheapVerdict, ...] = get_args(CheapVerdict)


class EpisodeSettings(Input):
    """Hold what is the same for every episode of a run."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    profile: Annotated[ProfileName, Flag("run")] = "e"
    """Which paper's loop, such as `e` for Mobile-Agent-E (docs/profiles.md)."""
    schedule: Annotated[Schedule, Flag("run", "demo", "bench fleet", "bench overhead")] = "overlap"
    """The order of a step's stages: `serial`, `overlap` or `speculate` (docs/schedules.md).

    `serial` is the paper's order; under `overlap` stages that do not depend on each other run side by side; under
    `speculate` plan and decide begin before the verdict is out, which `paper_exact` excludes.
    """
    paper_exact: Annotated[bool, Flag("run")] = False
    """Do exactly as the paper does, also where our defaults are kinder (docs/profiles.md)."""
    cheap_verdicts: Annotated[tuple[CheapVerdict, ...], Flag("run", "bench step", nothing="none")] = CHEAP_VERDICTS
    """Rules that may judge an action without the model, with commas; `none` turns all off (docs/verdicts.md).

    In the environment a list as JSON: `["unchanged"]`.
    """
    skip_planner: bool = False
    """Let the reflector tell whether a subgoal is reached, and skip the planner until then; not with `paper_exact`."""
    reflector_sees_elements: Literal["before", "after"] = "before"
    """`after` also waits for the new screen's elements before the verdict."""
    captions: bool = False
    """Ask the model of the role `caption` what unnamed icons are, once for the whole fleet (docs/perception.md)."""
    caption_wait_s: float = Field(default=0.0, ge=0, le=60)
    """Seconds that a screen waits for captions; those that come later appear on later screens."""
    settle: SettleSpec = SettleSpec()
    """When a screen counts as at rest (docs/settling.md)."""
    deadlines: dict[StageName, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    """Seconds for a call of a stage, by its name, instead of those that its profile gives it (docs/profiles.md)."""
    lease_s: float = Field(default=30.0, gt=1)
    """Seconds that a phone stays with a host that does not renew its lease."""
    no_model_s: float = Field(default=900.0, gt=0)
    """Seconds without an answer of any server of a role before tasks, running or waiting, end as `no_model`.

    docs/monitoring.md describes what happens meanwhile.
    """

    @property
    def cheap(self) -> tuple[CheapVerdict, ...]:
        """Return the rules that are in use: none with ``paper_exact``."""
        return () if self.paper_exact else self.cheap_verdicts

    @model_validator(mode="after")
    def _as_the_paper_does(self) -> Self:
        if self.paper_exact and self.schedule == "speculate":
            raise ValueError("paper_exact: the paper's roles wait for verdict and plan; choose serial or overlap")
        if self.paper_exact and self.skip_planner:
            raise ValueError("paper_exact: the paper's planner is asked in every step; leave out skip_planner")
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


class EpisodeOrder(Message):
    """Order one attempt at one task on one phone."""

    run: str
    episode: str
    attempt: int = Field(ge=1)
    task: TaskSpec
    lease: Lease
    memory: LongTermMemory
    settings: EpisodeSettings


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
    answer: str | None = None
    started_at: float
    ended_at: float


class EpisodeProgress(Message):
    """Report where a running episode stands, for the live display."""

    episode: str
    task: str
    serial: str
    step: int
    doing: str
    """The subgoal or the stage, one short line."""


class RunWait(Message):
    """Name something that a run waits for."""

    what: str
    """A few words, the same for as long as it is waited for: ``phone 10.0.0.7:5555``, ``the model``."""
    since: float
    """Unix seconds."""
    reason: str


class RunProgress(Message):
    """Report where a run stands."""

    total: int
    waiting: int
    running: tuple[EpisodeProgress, ...]
    done: tuple[EpisodeResult, ...]
    held_up: tuple[RunWait, ...] = ()
    """What is missing without which no task is handed out; tasks that run go on."""
    away: tuple[RunWait, ...] = ()
    """Phones that cannot be used now; each is tried again and again."""


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
    """The share of the input tokens; None without any."""
    errors: int = 0
    """Calls without an answer. An answer that was no reply is none of them: ``repairs`` counts those."""
    retries: int = 0
    """Attempts after the first, of all calls."""
    repairs: int = 0
    """Calls that asked again because the answer before could not be used."""
    queue_ms: Percentiles | None = None
    """Waiting in our own queue, of all calls."""
    latency_ms: Percentiles | None = None
    """From being let in to the answer, retries included, of the calls that were answered."""


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
    answer: str | None = None


class Speculation(Message):
    """Count the stages that began on assumptions, by stage."""

    kept: dict[str, int]
    """All that they assumed came true."""
    dropped: dict[str, int]
    wrong: dict[str, int]
    """Why they were dropped: the stage that ended otherwise; ``failed`` by itself; the episode ``ended`` before."""
    kept_share: float


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
    steps: int
    wall_s: float
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
    model_source: str = ""
    """What answered as the model, also if it was the rehearsed model."""
    phones_source: str = ""
    """What the phones were, also if they were virtual."""
    phones_left_out: dict[str, str] = Field(default_factory=dict)
    """Phones that adb listed and nobody named, by serial, and why they could not be used."""
    perception_source: str = ""
    """What read the screens, if it was not our own perception: also if it was modelled."""
    versions: dict[str, str] = Field(default_factory=dict)
    settings: dict[str, Any] = Field(default_factory=dict)
