"""``manyhands prune``: remove old run folders."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import say_json, text_console
from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.protocol.utilities.terminal_text import count_noun

EXAMPLE = (
    "Example: manyhands prune runs --older-than 30d --max-size 50GB --dry-run. "
    "Exit codes: 0 done, 1 a run could not be removed or too much is left, 2 bad input."
)


def command(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER...", help="Run folders, or folders of them.", show_default=False)
    ],
    older_than: Annotated[
        str | None,
        typer.Option("--older-than", help="Runs into which nothing was written for so long: 30d, 12h."),
    ] = None,
    max_size: Annotated[
        str | None,
        typer.Option("--max-size", help="The oldest runs, until the rest takes no more of the disk: 50GB, 20GiB."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Remove run folders by age and size, the oldest first; a run that goes on stays, and links are not followed."""
    from manyhands.deploy.command_line.moments import read_duration  # heavy imports stay inside: help must be fast
    from manyhands.deploy.fleet.run_files.run_removal import choose_runs, find_runs, remove_run
    from manyhands.deploy.serving.hardware import parse_size

    if older_than is None and max_size is None:
        raise BadInput("say which runs to remove: --older-than 30d, --max-size 50GB, or both")
    age_s = None if older_than is None else read_duration(older_than, "--older-than")
    most = None if max_size is None else parse_size(max_size)
    runs = find_runs(folders)
    choice = list(choose_runs(runs, HOST_CLOCK.now(), age_s, most))
    outcomes = choice if dry_run else [remove_run(run) for run in choice]
    problems = [run for run in outcomes if run.problem]
    removals = [run for run in outcomes if not run.problem]
    size = sum(run.size for run in removals)
    rest = sum(run.size for run in runs) - size
    is_too_much = most is not None and rest > most
    if as_json:
        say_json(
            {
                "dry_run": dry_run,
                "removed": [{"run": str(run.path), "bytes": run.size} for run in removals],
                "bytes": size,
                "left_bytes": rest,
                "problems": [run.problem for run in problems],
            }
        )
    else:
        console = text_console()
        for run in outcomes:
            text = run.problem or f"{'would remove' if dry_run else 'removed'} {run.path} ({_show_size(run.size)})"
            console.print(text, soft_wrap=True)
        total = (
            f"{count_noun(len(removals), 'run')}, {_show_size(size)}; {_show_size(rest)} {'would be ' * dry_run}left"
        )
        console.print(f"{total}, more than {max_size}: runs that go on stay" if is_too_much else total)
    raise typer.Exit(1 if any(run.fate == "failed" for run in problems) or is_too_much else 0)


def _show_size(size: int) -> str:
    return f"{size / 10**9:.1f} GB" if size >= 10**8 else f"{size / 10**6:.1f} MB"
