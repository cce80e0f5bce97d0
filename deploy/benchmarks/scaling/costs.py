"""Hold what a step costs: our own parts, as measured, and the model's part, as long as nobody has measured it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CostKind = Literal["measured", "computed", "assumed"]


@dataclass(frozen=True, slots=True)
class CostFigure:
    """Hold a figure and where it is from."""

    value: float
    kind: CostKind
    source: str
    """In Markdown, for the last column of a table."""


@dataclass(frozen=True, slots=True)
class ModelCosts:
    """Hold the model's part of a step."""

    step_s: CostFigure
    """Seconds of a step, the phone's own time included."""
    calls: CostFigure
    call_s: CostFigure
    """Seconds of one call."""
    input_tokens: CostFigure
    uncached_tokens: CostFigure
    output_tokens: CostFigure
    server_steps_s: CostFigure
    """Steps a second of one server, at the load at which it is to work."""
    answered_by: str = ""
    """What answered when the figures were measured; empty if they were not measured."""
    profile: str = ""
    """The profile whose prompts were measured."""
    others: tuple[str, ...] = ()
    """Other profiles that were measured with it."""


@dataclass(frozen=True, slots=True)
class OwnPart:
    """Hold a part of ours of which a fleet may need several."""

    name: str
    cpu_ms: float
    """Processor time of a step."""
    more: str
    """Whether there can be more of it, in Markdown."""


OWN_CPU_MS = 81 + 2.4 + 1.5
"""Our own processes, the adb server, Ray's daemons."""
PERCEPTION_MS = 286.0
SHARED_MIB = 39.0
"""Shared memory of a phone's screenshots."""
MEMORY_MIB = 42.0
"""Memory of all processes of a phone but the phone itself."""
SCREENSHOT_KB = 172.0
PARTS = (
    OwnPart("phone gateway", 10.2, "one for each site, or each node labelled `phones=yes`"),
    OwnPart("store of a run", 4.1, "one for each run"),
    OwnPart("host of episodes", 8.4, "`hosts`"),
    OwnPart("role", 2.5, "`role_actors`"),
    OwnPart("reader of perception", PERCEPTION_MS, "`perception_threads`, `perception_actors`"),
    OwnPart("adb server", 2.4, "one for each machine with phones; USB gives out long before"),
)

_UNCACHED = 3552.0
_SERVER_TOKENS_S = 20_000.0
ASSUMED = ModelCosts(
    step_s=CostFigure(
        12.0,
        "assumed",
        "a model that takes 2 to 3 s a call, with `overlap` ([8 to 9 s](measurements/fleet.md) with the canned model), "
        "and a phone's own time",
    ),
    calls=CostFigure(
        3.8,
        "measured",
        "22 tasks, rehearsed model: `manyhands run simulator/suites/everyday.yaml --phones virtual:6 --mllm-url "
        "rehearsed --seed 1`, then `manyhands prompt-stats RUN` "
        "([prompts](prompts.md#what-a-step-costs))",
    ),
    call_s=CostFigure(2.5, "assumed", "a model that takes 2 to 3 s a call"),
    input_tokens=CostFigure(
        15_324.0,
        "measured",
        "the same calls, counted by a tiny model's tokenizer, a screenshot as 987 tokens: `python -m "
        "tests.vllm.token_counts RUN` ([prompts](prompts.md#what-a-step-costs))",
    ),
    uncached_tokens=CostFigure(_UNCACHED, "computed", "the same, with a simulated cache of blocks of 128 tokens"),
    output_tokens=CostFigure(300.0, "assumed", "four short JSON replies"),
    server_steps_s=CostFigure(
        _SERVER_TOKENS_S / _UNCACHED,
        "computed",
        f"{_SERVER_TOKENS_S:,.0f} new input tokens a second (assumed: no GPU was measured) / {_UNCACHED:,.0f}",
    ),
)
"""The figures of docs/scaling.md as long as no server with a GPU was measured."""
