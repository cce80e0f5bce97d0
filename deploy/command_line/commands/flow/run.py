"""``manyhands flow run``: carry out a flow on phones."""

from __future__ import annotations

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands import run
from manyhands.deploy.command_line.commands.flow.options import (
    FlowFile,
    SetValues,
    flow_settings,
    parse_flows,
    parse_values,
)
from manyhands.deploy.command_line.output import carry_out, text_console
from manyhands.protocol.tasks.repeats import repeat_tasks
from manyhands.protocol.utilities.yaml_document import read_yaml

EXAMPLE = (
    "Example: manyhands flow run note.yaml --set text=Bread --phones virtual:2 --mllm-url rehearsed. "
    "Exit codes: 0 all tasks done, 1 some not, 2 bad input, 130 stopped."
)


@options.with_settings("run", without=("profile",))
def command(
    read_settings: options.ReadGiven,
    flow: FlowFile,
    set_: SetValues = None,
    repeat: options.Repeat = None,
    junit: options.Junit = None,
    report: options.Report = False,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Carry out a flow, without a model where the screens are those of the flow.

    Else the agent goes on; with --without agent the task ends as diverged. 'manyhands run --profile flow' does the
    same for any file of tasks.
    """
    tasks = parse_flows(read_yaml(flow), parse_values(set_ or []))
    settings = run.name_run(flow_settings(read_settings(), config), flow.stem)
    for task in tasks:
        if task.flow is not None and not task.flow.is_checked and not as_json:
            text_console(stderr=True).print(f"{task.id}: no second run has verified this flow", markup=False)
    runs = run.run_and_report if report else run.run_tasks
    carry_out(lambda: runs(settings, repeat_tasks(tasks, repeat), as_json, run.telling(junit, report), None), as_json)
