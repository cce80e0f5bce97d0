"""``manyhands flow make``: make a flow of a verified episode, and check it by a second run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.flow.options import (
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
from manyhands.deploy.command_line.output import carry_out
from manyhands.protocol.utilities.yaml_document import parse_yaml

EXAMPLE = (
    'Example: manyhands flow make runs/20260102-101500_night note -o note.yaml --set "text=Buy milk" '
    "--phones virtual:1 --mllm-url rehearsed. Exit codes: 0 stored, 1 the second run was not verified, 2 bad input."
)


@options.with_settings("run", without=("profile", "out"))
@options.reads_runs
def command(
    read_settings: options.ReadGiven,
    folder: Run,
    task: VerifiedTask,
    out: Annotated[Path, typer.Option("-o", "--output", help="Where the flow is stored.", show_default=False)],
    set_: SetValues = None,
    also: Annotated[
        list[str] | None,
        typer.Option("--also", help="Another verified task of the run, done the same way; repeatable."),
    ] = None,
    unchecked: Unchecked = False,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Make a flow of a verified episode. It is stored once a second run of it was verified.

    The second run has the next seed on virtual phones. --set names what may change: name=Anna makes each "Anna" of
    goal, steps and check the variable name. Typed texts that stand in the goal become variables anyway. With --also,
    the flow is what both episodes did and showed.
    """
    from manyhands.deploy.flows.common import FlowSource, make_common_flow  # heavy imports stay inside
    from manyhands.deploy.flows.draft import dump_flows

    refuse_lost_folder(out)
    values, verified = parse_values(set_ or []), [find_verified(folder, one) for one in (task, *(also or ()))]
    common = make_common_flow([FlowSource(episode, name, values) for name, episode in verified])
    draft, document = common.draft, parse_yaml(dump_flows([common.entry]), str(out))
    warn(draft.warnings)
    if unchecked:
        variables = {"variables": list(draft.variables)}
        store_unchecked(document.data, out, len(draft.flow.steps), as_json, variables)
        return
    tasks, settings = parse_flows(document, {}), flow_settings(read_settings(), config)
    carry_out(lambda: check_flow(document.data, tasks, out, settings, as_json), as_json)
