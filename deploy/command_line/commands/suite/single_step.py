"""``manyhands suite single-step``: ask for one decision on each labelled screen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, table, text_console
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.evaluation.single_step import Labels, SingleSteps, read_labels

EXAMPLE = (
    "Example: manyhands suite single-step labelled/steps.json --mllm-url http://127.0.0.1:8000/v1. How labels are made "
    "and what counts as right: docs/metrics.md."
)


@options.with_settings("suite single-step")
def command(
    read_settings: options.ReadGiven,
    labels: Annotated[Path, typer.Argument(help="A file of labelled steps.", show_default=False)],
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Ask a profile for one decision on each labelled screen and count the right ones (Mobile-Agent-v2, table 3)."""
    from manyhands.deploy.command_line.display import tell_unused

    read = read_labels(labels)
    settings = load_settings(read_settings(), config)
    tell_unused(settings)
    carry_out(lambda: _decide(settings, read, labels.parent, as_json), as_json)


async def _decide(settings: FleetSettings, labels: Labels, folder: Path, as_json: bool) -> int:
    from manyhands.deploy.command_line.display import counting_bar
    from manyhands.deploy.single_step import decide_each

    console = text_console(stderr=as_json)
    with counting_bar("screens", console, transient=True) as progress:
        bar = progress.add_task("screens", total=sum(len(task.steps) for task in labels.tasks))
        report = await decide_each(settings, labels, folder, lambda _: progress.advance(bar))
    if as_json:
        say_json(report.model_dump(mode="json"))
    else:
        _tell(report)
    return 0


def _tell(report: SingleSteps) -> None:
    from manyhands.evaluation.comparison.cells import PAPER, format_value
    from manyhands.evaluation.published import OF_OTHERS, published

    console = text_console()
    for what, source in (("model", report.model_source), ("screens", report.screens_source)):
        console.print(Text(f"{what}: {source}", style="dim"))
    groups = {"all": report.accuracy, **report.by_operation, **report.by_tag}
    rows = [
        (f"{report.profile}, {name}", f"{one.amount:.0f} of {one.of:.0f}", format_value(one.value, "share"))
        for name, one in groups.items()
    ]
    for row in published().table("v2", 3).read():
        name = f"{PAPER}{row.system}, {row.model}, {row.level} (Mobile-Agent-v2, table 3)"
        rows.append((name, "-", format_value(row.figures["DA"], "share")))
    console.print(table(None, ("single steps", "right", "DA, %"), rows))
    wrong = [one for one in report.answers if not one.right]
    if wrong:
        decided = [(one, one.problem if one.action is None else str(one.action)) for one in wrong]
        lines = [(one.task, str(one.step), one.operation, judgement) for one, judgement in decided]
        console.print(table("\nNot the labelled action", ("task", "step", "operation", "decided"), lines))
    console.print(Text(f"\nRows that begin with '{PAPER.strip()}' are {OF_OTHERS}."))
