"""The text form of operations in prompts."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.mllm import Dialect
from manyhands.actors.mllm.request.actions import write_action
from manyhands.actors.profiles.v2.requests import Operation
from manyhands.protocol.geometry import Size
from manyhands.protocol.sections import NONE_YET, OperationLine, operation_line


def operations_text(operations: Sequence[Operation], dialect: Dialect, size: Size) -> str:
    """Return operations, one per line, in the coordinates of the model."""
    lines = [
        OperationLine(
            step=one.step,
            action=write_action(one.action, dialect, size, ()),
            expectation=one.expectation,
            thought=one.thought,
        )
        for one in operations
    ]
    return "\n".join(map(operation_line, lines)) or NONE_YET
