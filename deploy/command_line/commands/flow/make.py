"""``manyhands flow make``: make a flow of a verified episode, and check it by a second run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.flow.check import check_flow
from manyhands.deploy.command_line.commands.flow.options import SetValues, flow_settings, parse_flows, parse_values
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities.yaml_document import parse_yaml

EXAMPLE = (
    'Example: manyhands flow make runs/20260102-101500_night note -o note.yaml --set "text=Buy milk" '
    "--phones virtual:1 --mllm-url rehearsed. Exit codes: 0 stored, 1 the second run was not verified, 2 bad input."
)


@options.with_settings("run", without=("profile", "out"))
@options.reads_runs
def command(
    read_settings: options.ReadGiven,
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.", show_default=False)],
    task: Annotated[str, typer.Argument(help="The id of a verified task of this run.", show_default=False)],
    out: Annotated[Path, typer.Option("-o", "--output", help="Where the flow is stored.", show_default=False)],
    set_: SetValues = None,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Store it without a second run; the file says so.")
    ] = False,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Make a flow of a verified episode. It is stored once a second run of it was verified.

    The second run has the next seed on virtual phones. --set names what may change: name=Anna makes each "Anna" of
    goal, steps and check the variable name. Typed texts that stand in the goal become variables anyway.
    """
    from manyhands.deploy.flow_draft import draft_flow  # heavy imports stay inside: help must be fast
    from manyhands.evaluation.episodes import episode_of
    from manyhands.evaluation.run_folder import RunFolder

    if not out.parent.is_dir():
        raise BadInput(f"--output {out}: there is no folder {out.parent}")
    run = RunFolder(folder)
    episodes = [one for scan in run.journals_of([task]).values() if (one := episode_of(scan.records)) is not None]
    passed = [one for one in episodes if one.started.task.id == task and one.has_passed]
    if not passed:
        task_ids = ", ".join(dict.fromkeys(str(one["id"]) for one in run.asked.get("tasks") or ()))
        raise BadInput(f"{folder}: no episode of {task!r} was verified; the run's tasks are {task_ids}")
    draft = draft_flow(passed[-1], f"{run.asked.get('run_id', folder.name)}, {task}", parse_values(set_ or []))
    console, text = text_console(stderr=True), draft.yaml()
    for warning in draft.warnings:
        console.print(warning, soft_wrap=True, markup=False)
    if unchecked:
        out.write_text(text, encoding="utf-8")
        _tell(out, len(draft.flow.steps), list(draft.variables), as_json)
        return
    document, settings = parse_yaml(text, str(out)), flow_settings(read_settings(), config)
    tasks = parse_flows(document, {})
    carry_out(lambda: check_flow(document.data, tasks, out, settings, as_json), as_json)


def _tell(out: Path, steps: int, variables: list[str], as_json: bool) -> None:
    if as_json:
        say_json({"flow": str(out), "steps": steps, "variables": variables, "is_checked": False})
        return
    text_console().print(f"{out}: {steps} steps, not checked by a second run", soft_wrap=True, markup=False)
