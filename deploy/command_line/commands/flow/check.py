"""``manyhands flow check``: run a flow once more, and note in its file that this run was verified."""

from __future__ import annotations

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.flow.options import (
    FlowFile,
    SetValues,
    flow_settings,
    parse_flows,
    parse_values,
)
from manyhands.deploy.command_line.commands.flow.second_run import check_flow
from manyhands.deploy.command_line.output import carry_out
from manyhands.protocol.utilities.yaml_document import read_yaml

EXAMPLE = (
    "Example: manyhands flow check note.yaml --phones virtual:1 --mllm-url rehearsed. "
    "Exit codes: 0 verified, 1 not, 2 bad input."
)


@options.with_settings("run", without=("profile",))
def command(
    read_settings: options.ReadGiven,
    flow: FlowFile,
    set_: SetValues = None,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Run a flow once more, on virtual phones with the next seed. If it is verified, its file says so from then on.

    Texts of its signposts that the second run's screens did not show are dropped.
    """
    document = read_yaml(flow)
    tasks = parse_flows(document, parse_values(set_ or []))
    settings = flow_settings(read_settings(), config)
    carry_out(lambda: check_flow(document.data, tasks, flow, settings, as_json), as_json)
