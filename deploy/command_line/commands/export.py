"""``manyhands export``: write the model calls of runs as rows for trainers."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, say_json, text_console
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import BadInput, explain
from manyhands.protocol.roles.role import Role
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:
    from manyhands.rollouts.filters import Split
    from manyhands.rollouts.summary import ExportSummary

EXAMPLE = (
    "Example: manyhands export runs/20260102-101500_demo --format llamafactory --out rows --role operator --verdict A "
    "--verified phone --split train=9,test=1. The same command goes on after an interruption. Exit codes: 0 all rows "
    "are written, 1 some could not be made (each is named), 2 bad input."
)
_EPISODES, _ROWS = "Which episodes", "Which rows"


@options.reads_runs
def command(
    context: typer.Context,
    run: Annotated[list[Path], typer.Argument(help="Run folders.", show_default=False)],
    format_name: Annotated[str, typer.Option("--format", help="What reads the rows (docs/rollouts.md).")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write: a new one, or one to go on with.")],
    split: Annotated[
        str, typer.Option("--split", help="Names and shares of splits. No task is in two of them.")
    ] = "train=1",
    redact: Annotated[
        Path | None,
        typer.Option("--redact", help="A file of texts, regions and apps that no row may show (docs/rollouts.md)."),
    ] = None,
    so_far: Annotated[bool, typer.Option("--so-far", help="Also of a run that still goes on.")] = False,
    verified: Annotated[
        list[str] | None,
        typer.Option(
            "--verified", help="Done by the word of phone, judge or person; repeatable.", rich_help_panel=_EPISODES
        ),
    ] = None,
    pass_rate: Annotated[
        str | None,
        typer.Option(
            "--pass-rate", help="Tasks of which such a share passed, such as 0.1:0.9.", rich_help_panel=_EPISODES
        ),
    ] = None,
    no_loops: Annotated[
        bool, typer.Option("--no-loops", help="None with three equal actions in a row.", rich_help_panel=_EPISODES)
    ] = False,
    pick: Annotated[
        str | None,
        typer.Option("--pick", help="Of each task the shortest or the longest only.", rich_help_panel=_EPISODES),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", help="In which agent or person alone acted.", rich_help_panel=_EPISODES),
    ] = None,
    with_faults: Annotated[
        bool, typer.Option("--with-faults", help="Also those ended by a fault.", rich_help_panel=_EPISODES)
    ] = False,
    role: Annotated[list[Role] | None, options.role_option("Only this role's calls; repeatable.")] = None,
    verdict: Annotated[
        list[Outcome] | None,
        typer.Option("--verdict", help="Only steps with this verdict; repeatable.", rich_help_panel=_ROWS),
    ] = None,
    no_duplicates: Annotated[
        bool, typer.Option("--no-duplicates", help="Equal rows once.", rich_help_panel=_ROWS)
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Write the model calls of runs as rows for trainers, with the pictures as they were sent."""
    from manyhands.actors.redaction.redactions import read_redactions
    from manyhands.deploy.command_line.display import counting_bar
    from manyhands.deploy.fleet.run_files.run_folder import goes_on
    from manyhands.rollouts.export import Exporter
    from manyhands.rollouts.filters import Filters
    from manyhands.rollouts.formats import format_named
    from manyhands.rollouts.plan import plan_export

    export_format = format_named(format_name)
    try:
        filters = Filters.model_validate(
            {
                "with_faults": with_faults,
                "verified": verified or (),
                "pass_rate": None if pass_rate is None else pass_rate.split(":"),
                "no_loops": no_loops,
                "pick": pick,
                "by": by,
                "roles": role or (),
                "verdicts": verdict or (),
                "no_duplicates": no_duplicates,
            }
        )
    except ValidationError as error:
        raise BadInput(explain(error, Filters)) from error
    export_format.check(filters)
    redactions = None if redact is None else read_redactions(redact)
    for folder in run:
        if folder.is_dir() and goes_on(folder) and not so_far:
            raise BadInput(f"{folder}: its run still goes on; wait for its end, or export --so-far")
    with counting_bar("episodes", text_console(stderr=as_json), transient=True) as progress:
        task = progress.add_task("episodes", total=None)
        plan = plan_export(run, export_format, filters, _splits(split), redactions)
        progress.update(task, total=plan.episodes)
        summary = Exporter(plan, out, _command_line(context)).export(lambda: progress.advance(task))
    _say(summary, out, as_json)
    raise typer.Exit(EXIT_FAILED if summary.problems else 0)


def _splits(text: str) -> Sequence[Split]:
    """Return the splits that ``train=9,test=1`` names. Raises BadInput."""
    from manyhands.rollouts.filters import Split

    splits = []
    for part in text.split(","):
        name, _, share = part.partition("=")
        try:
            splits.append(Split.model_validate({"name": name.strip(), "share": share}))
        except ValidationError as error:
            raise BadInput(f"--split {part}: write NAME=SHARE, such as train=9,test=1") from error
    if len({one.name for one in splits}) < len(splits):
        raise BadInput(f"--split {text}: a name stands twice")
    return splits


def _command_line(context: typer.Context) -> str:
    """Return the command line for the card. The folder is called DIR, so that the card does not depend on its place."""
    words = ["manyhands", "export"]
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if (
            parameter.name in ("as_json", "so_far", "identity")
            or value == parameter.get_default(context)
            or value in (None, [])
        ):
            continue
        if parameter.param_type_name == "argument":
            words += map(str, value)
        elif value is True:
            words.append(parameter.opts[0])
        else:
            for one in value if isinstance(value, list | tuple) else [value]:
                words += [parameter.opts[0], "DIR" if parameter.name == "out" else str(one)]
    return shlex.join(words)


def _say(summary: ExportSummary, out: Path, as_json: bool) -> None:
    if as_json:
        say_json({"out": str(out), **summary.model_dump(mode="json")})
        return
    console = text_console()
    what = "row" if summary.roles else "episode"
    for split, count in summary.rows.items():
        console.print(f"{split}: {count_noun(count, what)}")
    console.print(f"from {summary.episodes} of {count_noun(summary.read, 'episode')}; {out / 'README.md'} tells more")
    for title, counts in (("episodes", summary.episodes_left_out), ("calls", summary.rows_left_out)):
        if counts:
            console.print(f"{title} left out: {', '.join(f'{count} {reason}' for reason, count in counts.items())}")
    if summary.redacted.get("texts") or summary.redacted.get("pictures"):
        console.print(f"redacted: {', '.join(f'{count} {what}' for what, count in summary.redacted.items())}")
    for problem in summary.problems:
        console.print(f"not written: {problem}")
