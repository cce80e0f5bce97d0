"""Put into words what stages found that only their profile knows: names and values, without empty ones."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from manyhands.evaluation.episode_view import StepView
from manyhands.protocol.reports.episode_report import StageFinding


def stage_findings(step: StepView) -> tuple[StageFinding, ...]:
    """Return what the stages of a step found that have no record of their own."""
    return tuple(
        StageFinding(stage=one.stage, text=describe_data(one.data, "; "), is_problem=bool(one.data.get("problem")))
        for one in step.results
    )


def describe_data(value: JsonValue, between: str = ", ") -> str:
    """Return JSON in words: ``kind: text; found: 2; complete: no``."""
    if isinstance(value, dict):
        parts = [f"{name}: {describe_data(one)}" for name, one in value.items() if one is not None and one != ""]
        return between.join(parts)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return between.join(map(describe_data, value))
    return "" if value is None else str(value)
