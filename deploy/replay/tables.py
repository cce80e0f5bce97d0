"""Print a replay's report as tables and lines, at most 100 columns wide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.text import Text

from manyhands.deploy.command_line.output import table
from manyhands.evaluation.replay_report import (
    DecisionAgreement,
    Matrix,
    NotesAgreement,
    PlanAgreement,
    ReflectionAgreement,
    ReplayReport,
    RoleReport,
)
from manyhands.protocol.base import Outcome
from manyhands.protocol.runs.run_summary import Percentiles

NOTHING = "-"


def report_tables(report: ReplayReport) -> Iterator[RenderableType]:
    """Yield what is to be printed, from top to bottom."""
    stopped = "" if report.replayed == report.requests else "; stopped before the end"
    yield Text(f"\nthen: {report.recorded_model}")
    if report.recorded_source not in (report.recorded_model, ""):
        yield Text(f"      {report.recorded_source}", style="dim")
    yield Text(f"now:  {report.model}, at {report.server}")
    if report.source:
        yield Text(f"      {report.source}", style="dim")
    yield Text(
        f"{report.replayed} of {report.requests} requests replayed, coordinates read as {report.dialect}{stopped}\n"
    )
    if not report.roles:
        return
    yield _replies(report.roles)
    yield Text()
    yield _costs(report.roles)
    for role, figures in report.roles.items():
        yield Text(f"\n{role}", style="bold")
        for line in _agreement(figures):
            yield Text(f"  {line}")


def _replies(roles: Mapping[str, RoleReport]) -> RenderableType:
    rows = [
        (
            role,
            str(one.requests),
            _of(one.answered, one.requests),
            _of(one.recorded_parsed, one.requests),
            _of(one.parsed, one.requests),
            _of(one.identical, one.answered_twice),
            _of(one.repeats_identical, one.repeats),
            ", ".join(f"{count} {code}" for code, count in one.failures.items()) or NOTHING,
        )
        for role, one in roles.items()
    ]
    columns = ("role", "requests", "answered", "parsed then", "parsed now", "identical", "repeats id.", "failures now")
    return table(None, columns, rows)


def _costs(roles: Mapping[str, RoleReport]) -> RenderableType:
    rows = []
    for role, one in roles.items():
        before, now = one.recorded_tokens, one.tokens
        rows.append(
            (
                role,
                f"{_seconds(one.recorded_latency_ms)} > {_seconds(one.latency_ms)}",
                f"{before.input:,} > {now.input:,}",
                f"{before.cached:,} > {now.cached:,}",
                f"{before.output:,} > {now.output:,}",
            )
        )
    columns = ("role", "s p50/p95, then > now", "input tokens", "cached", "output")
    return table(None, columns, rows)


def _agreement(figures: RoleReport) -> Iterator[str]:
    match figures.agreement:
        case DecisionAgreement() as decisions:
            yield from _decisions(decisions)
        case ReflectionAgreement() as verdicts:
            yield f"same outcome {_of(verdicts.same_outcome, verdicts.compared)}"
            yield from _outcomes(verdicts.outcomes)
        case PlanAgreement() as plans:
            yield f"same change {_of(plans.same_change, plans.compared)}{_differing(plans.changes)}"
            yield f"same status {_of(plans.same_status, plans.compared)}{_differing(plans.statuses)}"
        case NotesAgreement() as notes:
            yield f"same words {_of(notes.same_words, notes.compared)}"
            if notes.shared_words is not None:
                yield f"words shared: median {notes.shared_words.p50:.0%}, mean {notes.shared_words.mean:.0%}"


def _decisions(decisions: DecisionAgreement) -> Iterator[str]:
    yield f"same kind of action {_of(decisions.same_kind, decisions.compared)}{_differing(decisions.kinds)}"
    yield f"same arguments too {_of(decisions.same_action, decisions.compared)}"
    apart, share = decisions.distance_px, decisions.distance_share
    if apart is not None and share is not None:
        yield (
            f"points apart ({decisions.points} pairs): median {apart.p50:.0f} px ({share.p50:.1%} of the diagonal), "
            f"p95 {apart.p95:.0f} px ({share.p95:.1%})"
        )
    if decisions.on_element:
        yield f"on the same element {_of(decisions.same_element, decisions.on_element)}"


def _outcomes(matrix: Matrix) -> Iterator[str]:
    """Yield lines with recorded outcomes as rows and new outcomes as columns."""
    letters = [outcome.value for outcome in Outcome]
    yield "then\\now " + "".join(f"{letter:>5}" for letter in letters)
    for letter in letters:
        yield f"{letter:<9}" + "".join(f"{matrix.get(letter, {}).get(now, 0):>5}" for now in letters)


def _differing(matrix: Matrix) -> str:
    pairs = sorted(
        ((count, before, now) for before, row in matrix.items() for now, count in row.items() if before != now),
        key=lambda row: -row[0],
    )
    if not pairs:
        return ""
    more = f", {len(pairs) - 4} more" if len(pairs) > 4 else ""
    return "; " + ", ".join(f"{before} > {now} {count}" for count, before, now in pairs[:4]) + more


def _of(part: int, whole: int) -> str:
    """Format ``5/6 83%``; a dash if ``whole`` is 0."""
    return f"{part}/{whole} {part / whole:.0%}" if whole else NOTHING


def _seconds(latency: Percentiles | None) -> str:
    return f"{latency.p50 / 1000:.2f}/{latency.p95 / 1000:.2f}" if latency else NOTHING
