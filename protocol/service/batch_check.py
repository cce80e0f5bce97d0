"""Define what a service says of a batch before it is submitted."""

from __future__ import annotations

from manyhands.protocol.service.access import ServiceAnswer


class BatchMistake(ServiceAnswer):
    """Name a mistake in a batch."""

    line: int | None
    """The line of the YAML, from 1; None for JSON, and for a mistake that has no line."""
    text: str
    """What is wrong."""


class UnmatchedSelector(ServiceAnswer):
    """Name a selector that no phone of the fleet fits now. Tasks with it wait until such a phone comes."""

    task: str | None
    """The first task with this selector; None for the selector of the whole batch."""
    phones: str
    """The selector."""


class BatchCheck(ServiceAnswer):
    """Say what a submission would be answered. Nothing was stored."""

    tasks: int
    """How many tasks the batch has; 0 if it has mistakes."""
    deadline_warning: str | None = None
    """Why the deadline probably cannot be met; None if it can, or if there is none."""
    mistakes: tuple[BatchMistake, ...] = ()
    """What is wrong with the batch. Without mistakes it would be accepted."""
    unmatched: tuple[UnmatchedSelector, ...] = ()
    """Selectors that no phone fits now; at most 20."""
