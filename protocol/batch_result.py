"""Define what carrying out a batch returns: the results, which notebooks show as a table."""

from __future__ import annotations

from html import escape

from manyhands.protocol.runs import EpisodeResult

_COLUMNS = ("task", "check", "ending", "steps", "phone", "reason")


class BatchResult(tuple[EpisodeResult, ...]):
    """Hold the deciding result of each task, in the order of the tasks."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return a table for notebooks: a row for each task."""
        head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(map(_row, self))}</tbody></table>"


def _row(result: EpisodeResult) -> str:
    checked = {True: "holds", False: "does not hold", None: "not checked"}[result.verified]
    reason = "; ".join([result.reason, *map(str, result.unmet)]).removeprefix("; ")
    cells = (result.task, checked, result.ending.value, str(result.steps), result.serial, reason)
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
