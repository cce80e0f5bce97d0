"""``manyhands flow mend``: put what the agent did into a flow, show the difference, and check it by a second run."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.flow.options import (
    FlowFile,
    Run,
    SetValues,
    Unchecked,
    VerifiedTask,
    find_verified,
    flow_settings,
    parse_flows,
    parse_values,
    refuse_lost_folder,
)
from manyhands.deploy.command_line.commands.flow.second_run import check_flow, store_unchecked, warn
from manyhands.deploy.command_line.output import carry_out, text_console
from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities.yaml_document import read_yaml

EXAMPLE = (
    "Example: manyhands flow mend runs/20260102-101500_note note note.yaml --phones virtual:1 --mllm-url rehearsed. "
    "Exit codes: 0 stored, 1 the second run was not verified, 2 bad input."
)
_STYLES = {"+": "green", "-": "red", "@": "cyan"}
"""The colours of a difference's lines, by their first characters."""


@options.with_settings("run", without=("profile", "out"))
@options.reads_runs
def command(
    read_settings: options.ReadGiven,
    folder: Run,
    task: VerifiedTask,
    flow: FlowFile,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where it is stored; FLOW by default.", show_default=False)
    ] = None,
    set_: SetValues = None,
    unchecked: Unchecked = False,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Put into a flow what the agent did in a verified run of it, and show the difference.

    Steps that the flow did itself stay as they are. The agent's take the place of those that it did in another way. It
    is stored once a second run of it was verified. --set gives the values of the run if they are not the file's.
    """
    from manyhands.deploy.flows.draft import dump_flows  # heavy imports stay inside: help must be fast
    from manyhands.deploy.flows.repair import mend_flow

    target = out or flow
    refuse_lost_folder(target)
    document, values = read_yaml(flow), parse_values(set_ or [])
    tasks = parse_flows(document, values)
    name, episode = find_verified(folder, task)
    task_ids = [one.id for one in tasks]
    base_id = episode.started.task.base_id
    if base_id not in task_ids:
        raise BadInput(f"{flow}: it has no task {base_id}, which this run carried out; it has {', '.join(task_ids)}")
    place = task_ids.index(base_id)
    mended = mend_flow(document.data[place], tasks[place], values, episode, name)
    entries = [mended.entry if at == place else entry for at, entry in enumerate(document.data)]
    old, new = dump_flows(document.data).splitlines(), dump_flows(entries).splitlines()
    lines = list(difflib.unified_diff(old, new, str(flow), str(target), lineterm=""))
    if not as_json:
        _print(lines)
    warn(mended.warnings)
    difference = {"difference": "\n".join(lines)}
    if unchecked:
        store_unchecked(entries, target, mended.steps, as_json, difference)
        return
    checked, settings = parse_flows(replace(document, data=entries), values), flow_settings(read_settings(), config)
    carry_out(lambda: check_flow(entries, checked, target, settings, as_json, difference), as_json)


def _print(lines: Iterable[str]) -> None:
    """Print a difference, in colours on a terminal."""
    console = text_console()
    for line in lines:
        console.print(Text(line, _STYLES.get(line[:1], "")), soft_wrap=True)
