"""Write the tables of docs/scaling.md that depend on the model: its part of a step, what fleets need, our own parts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from manyhands.deploy.benchmarks.scaling.costs import (
    MEMORY_MIB,
    OWN_CPU_MS,
    PARTS,
    PERCEPTION_MS,
    SCREENSHOT_KB,
    SHARED_MIB,
    CostFigure,
    ModelCosts,
)
from manyhands.evaluation.markup import escaped, table
from manyhands.protocol.errors import BadInput

FLEETS = (100, 1_000, 10_000)
BUSY_SHARE = 0.5
"""The share of time that an actor may be busy."""
_PLACE = re.compile(r"(<!-- scaling (model|fleets|parts) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FleetNeed:
    """Hold what a fleet needs of something, as a function of its phones and its steps a second."""

    name: str
    amount: Callable[[float, float], float]
    unit: str = ""
    is_whole: bool = False
    """Whether a part of one counts as one."""

    def told(self, phones: int, steps_s: float) -> str:
        """Return the amount with its unit, to two digits."""
        amount = self.amount(phones, steps_s)
        number = f"{math.ceil(amount - 1e-9):,}" if self.is_whole else two_digits(amount)
        return f"{number} {self.unit}".strip()


def fill_page(text: str, costs: ModelCosts, fleets: Sequence[int] = FLEETS) -> str:
    """Return a page with new tables between its marks. Raises BadInput if the page has none of the marks."""
    made = {"model": model_table(costs), "fleets": fleet_table(costs, fleets), "parts": part_table(costs)}
    if _PLACE.search(text) is None:
        raise BadInput("the page has no mark such as <!-- scaling fleets --> ... <!-- end -->")
    return _PLACE.sub(lambda found: found[1] + "\n".join(made[found[2]]) + "\n" + found[3], text)


def model_table(costs: ModelCosts) -> Iterator[str]:
    """Yield the lines of the table of the model's part of a step."""
    rows: tuple[tuple[str, CostFigure, str], ...] = (
        ("time of a step", costs.step_s, f"{two_digits(costs.step_s.value)} s"),
        ("calls of the model", costs.calls, f"{costs.calls.value:.1f}"),
        ("time of a call", costs.call_s, f"{two_digits(costs.call_s.value)} s"),
        ("input tokens", costs.input_tokens, f"{costs.input_tokens.value:,.0f}"),
        ("input tokens that are in no cache", costs.uncached_tokens, f"{costs.uncached_tokens.value:,.0f}"),
        ("output tokens", costs.output_tokens, f"{costs.output_tokens.value:,.0f}"),
        ("a server's steps a second", costs.server_steps_s, two_digits(costs.server_steps_s.value)),
    )
    yield from _answered_by(costs)
    yield from table(
        ("figure", "value", "", "where from"), ((name, told, one.kind, one.source) for name, one, told in rows)
    )


def fleet_table(costs: ModelCosts, fleets: Sequence[int] = FLEETS) -> Iterator[str]:
    """Yield the lines of the table of what fleets of some numbers of phones need."""
    step_s = costs.step_s.value
    yield from _answered_by(costs)
    yield f"Steps a second are phones / {two_digits(step_s)}. Each other figure is the number of phones, or of steps a"
    yield "second, times a figure above; the number of servers is the steps a second / those of one server.\n"
    yield from table(
        ("", *(f"{phones:,} phones" for phones in fleets)),
        ((need.name, *(need.told(phones, phones / step_s) for phones in fleets)) for need in fleet_needs(costs)),
    )


def fleet_needs(costs: ModelCosts) -> Sequence[FleetNeed]:
    """Return what a fleet needs."""
    calls, uncached = costs.calls.value, costs.uncached_tokens.value
    call_s, server = costs.call_s.value, costs.server_steps_s.value
    return (
        FleetNeed("steps a second", lambda phones, steps: steps),
        FleetNeed(
            f"cores: our own processes, adb and Ray ({OWN_CPU_MS:.0f} ms)",
            lambda phones, steps: steps * OWN_CPU_MS / 1000,
        ),
        FleetNeed(f"cores: perception ({PERCEPTION_MS:.0f} ms)", lambda phones, steps: steps * PERCEPTION_MS / 1000),
        FleetNeed("shared memory of screenshots", lambda phones, steps: phones * SHARED_MIB / 1024, "GiB"),
        FleetNeed(
            "memory of all processes, readers not counted", lambda phones, steps: phones * MEMORY_MIB / 1024, "GiB"
        ),
        FleetNeed("requests a second to the model", lambda phones, steps: steps * calls),
        FleetNeed("input tokens a second that no cache has", lambda phones, steps: steps * uncached),
        FleetNeed("tokens a second that the model writes", lambda phones, steps: steps * costs.output_tokens.value),
        FleetNeed(
            f"requests at a time, if a call takes {two_digits(call_s)} s", lambda phones, steps: steps * calls * call_s
        ),
        FleetNeed(
            f"servers of the model, of {two_digits(server)} steps a second each",
            lambda phones, steps: steps / server,
            is_whole=True,
        ),
        FleetNeed("screenshots from sites", lambda phones, steps: steps * SCREENSHOT_KB / 1000, "MB/s"),
    )


def _answered_by(costs: ModelCosts) -> Iterator[str]:
    if costs.answered_by:
        yield f"What answered: {escaped(costs.answered_by)}.\n"


def part_table(costs: ModelCosts) -> Iterator[str]:
    """Yield the lines of the table of how many phones one of our own parts carries."""
    step_s = costs.step_s.value
    yield from table(
        ("one of it carries", "phones", "can there be more"),
        (
            (
                f"{part.name} ({part.cpu_ms:g} ms)",
                two_digits(1000 / part.cpu_ms * step_s * BUSY_SHARE),
                part.more,
            )
            for part in PARTS
        ),
    )


def two_digits(value: float) -> str:
    """Return a figure to two digits that count, with commas."""
    if value <= 0:
        return "0"
    digits = 1 - math.floor(math.log10(value))
    rounded = round(value, digits)
    digits = 1 - math.floor(math.log10(rounded))
    return f"{rounded:,.{max(0, digits)}f}"
