"""Print how well labelled screens were read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from manyhands.deploy.command_line.output import table
from manyhands.evaluation.perception.report import PerceptionReport, ScreenRow, Shares
from manyhands.evaluation.perception.scoring import Tally
from manyhands.evaluation.provenance import Machine
from manyhands.protocol.runs.run_summary import Percentiles

SHOWN = 100
"""Lines of the list of misses on the terminal; the JSON has all."""
COLUMNS = (
    "screen", "texts", "exact", ">=0.9", "precision",
    "icons", "recall", "at IoU", "precision", "at IoU", "named", "right", "s", "cpu s",
)  # fmt: skip


def tell_report(console: Console, report: PerceptionReport, machine: Machine) -> None:
    """Print a row for each screen and one for all, then box errors, time by stage, and misses."""
    rows = [_row(row.score.file, row.score.tally, row.shares, row.total_ms, row.cpu_ms) for row in report.screens]
    totals = [report.stages_ms[name].p50 if name in report.stages_ms else None for name in ("total", "cpu")]
    rows.append(_row("all (times: median)", report.total, report.shares, *totals))
    console.print(table(None, COLUMNS, rows))
    console.print()
    for line in _beside(report, machine):
        console.print(line, markup=False, soft_wrap=True)
    missed = [line for row in report.screens for line in _missed(row)]
    if missed:
        console.print()
        console.print(table("Missed and wrong", ("screen", "what", "label", "found"), missed[:SHOWN]))
    if len(missed) > SHOWN:
        console.print(f"and {len(missed) - SHOWN} more, all of them with --json")


def _row(name: str, tally: Tally, shares: Shares, total_ms: float | None, cpu_ms: float | None) -> tuple[str, ...]:
    return (
        name,
        str(tally.texts),
        _percent(shares.text_exact),
        _percent(shares.text_similar),
        _percent(shares.text_precision),
        str(tally.icons),
        _percent(shares.icon_recall),
        _percent(shares.icon_recall_iou),
        _percent(shares.icon_precision),
        _percent(shares.icon_precision_iou),
        _percent(shares.named),
        _percent(shares.named_right),
        _seconds(total_ms),
        _seconds(cpu_ms),
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def _seconds(ms: float | None) -> str:
    return "-" if ms is None else f"{ms / 1000:.2f}"


def _beside(report: PerceptionReport, machine: Machine) -> Iterator[str]:
    total, shares = report.total, report.shares
    yield (
        f"minor labels included: {total.all_texts} texts, exact {_percent(shares.all_text_exact)}, >=0.9 "
        f"{_percent(shares.all_text_similar)}; {total.all_icons} icons, recall {_percent(shares.all_icon_recall)}, "
        f"at IoU {_percent(shares.all_icon_recall_iou)}"
    )
    yield (
        f"texts found: {total.text_right} right, {total.text_wrong} wrong, {total.text_unlabelled} unlabelled; "
        f"within longer ones: {_percent(shares.text_contained)}"
    )
    yield (
        f"icons found: {total.icon_right} right ({total.icon_repeated} repeated), {total.icon_false} false, "
        f"{total.icon_on_text} on texts, {total.icon_ignored} to be ignored; precision with these as false: "
        f"{_percent(shares.icon_precision_strict)}"
    )
    if report.box_errors_px:
        yield "boxes off by (px, median and p95): " + _spreads(report.box_errors_px, ".1f")
    if report.stages_ms:
        yield "time (ms, median and p95): " + _spreads(report.stages_ms, ".0f")
    if report.memory_mb is not None:
        yield f"memory: {report.memory_mb:.0f} MB at most"
    yield f"machine: {machine.summary_line()}"


def _spreads(spreads: dict[str, Percentiles], form: str) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {spread.p50:{form}} and {spread.p95:{form}}" for name, spread in spreads.items()
    )


def _missed(row: ScreenRow) -> Iterator[tuple[str, str, str, str]]:
    score = row.score
    if row.error is not None:
        yield score.file, "not read", row.error, ""
        return
    for text in score.missed_texts:
        yield score.file, "text", text.text, " / ".join(text.found)
    for wrong in score.wrong_texts:
        yield score.file, "wrong text", "", wrong
    for icon in score.missed_icons:
        yield score.file, "icon", f"{icon.name} at {_box(icon.box)}", ""
    for box in score.false_icons:
        yield score.file, "false icon", "", f"at {_box(box)}"
    for name in score.wrong_names:
        yield score.file, "name", name.name, name.found


def _box(box: Sequence[float]) -> str:
    return ",".join(f"{side:g}" for side in box)
