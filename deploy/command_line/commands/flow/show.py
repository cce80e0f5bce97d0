"""``manyhands flow show``: list the steps of a flow."""

from __future__ import annotations

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.flow.options import FlowFile, SetValues, parse_flows, parse_values
from manyhands.deploy.command_line.output import say_json, table, text_console
from manyhands.protocol.tasks.flow import Signpost
from manyhands.protocol.utilities.yaml_document import read_yaml

EXAMPLE = "Example: manyhands flow show note.yaml. Exit codes: 0 it is a flow, 2 bad input."


def command(flow: FlowFile, set_: SetValues = None, as_json: options.AsJson = False) -> None:
    """List the steps of a flow, and what the screen must show before each."""
    tasks = parse_flows(read_yaml(flow), parse_values(set_ or []))
    if as_json:
        say_json([task.model_dump(mode="json", by_alias=True, include={"id", "goal", "flow"}) for task in tasks])
        return
    console = text_console()
    for task in tasks:
        assert task.flow is not None, "parse_flows refuses tasks without a flow"
        rows = [
            (str(number), _words(step.before), step.words, ", ".join(step.effects))
            for number, step in enumerate(task.flow.steps, 1)
        ]
        rows.append(("end", _words(task.flow.end), "", ""))
        state = "checked" if task.flow.is_checked else "not checked by a second run"
        console.print(table(f"{task.id}: {task.goal} ({state})", ("step", "before", "action", "effects"), rows))


def _words(signpost: Signpost) -> str:
    texts = (*signpost.shows, *(("the keyboard",) if signpost.keyboard else ()))
    return " / ".join(filter(None, (signpost.app, ", ".join(texts))))
