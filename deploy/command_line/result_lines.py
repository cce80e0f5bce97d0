"""Say in a line how a task ended, and in a word whether it is done."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from manyhands.deploy.command_line.cells import Glyphs, cut, flatten, pad
from manyhands.protocol.base import Ending, VerifiedBy
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.utilities.terminal_text import count_noun

_REASON = 1000
"""A reason on a line of its own is cut to so many cells."""
_WIDE = 60
"""A narrower terminal shows no steps."""


def one_line(result: EpisodeResult) -> Text:
    """Describe in one line how a task ended."""
    mark, style = verdict(result.ending, result.verified, result.has_check, result.verified_by)
    why = cut(why_not(result), _REASON)
    how = f"{result.ending.value}, {count_noun(result.steps, 'step')}"
    return Text.assemble((f"{mark:<12}", style), f" {flatten(result.task):<26} {how}{'  ' if why else ''}{why}")


def draw_results(results: Sequence[EpisodeResult], width: int, glyphs: Glyphs) -> list[Text]:
    """Return an aligned line for each result, cut to ``width`` cells."""
    marks = [verdict(one.ending, one.verified, one.has_check, one.verified_by) for one in results]
    of_mark = max((len(mark) for mark, _ in marks), default=0)
    of_task = min(max((cell_len(flatten(one.task)) for one in results), default=0), max(8, width // 4))
    of_steps = max((len(count_noun(one.steps, "step")) for one in results), default=0)
    lines = []
    for one, (mark, style) in zip(results, marks, strict=True):
        line = Text.assemble((pad(mark, of_mark), style), "  ", pad(cut(one.task, of_task, glyphs), of_task), "  ")
        if width >= _WIDE:
            line.append(f"{count_noun(one.steps, 'step'):>{of_steps}}  ", "dim")
        why = why_not(one)
        ending = "" if one.ending is Ending.FINISHED else one.ending.value.replace("_", " ")
        line.append(cut(": ".join(filter(None, (ending, why))), max(0, width - cell_len(line.plain)), glyphs))
        line.truncate(width)
        line.rstrip()
        lines.append(line)
    return lines


def verdict(ending: Ending, verified: bool | None, has_check: bool, by: VerifiedBy | None) -> tuple[str, str]:
    """Return a word and a style for how a task ended. Its check counts, not the agent's claim.

    ``by``: whose word decided the check.
    """
    if verified is not None and by == "judge":
        return ("judged done", "cyan") if verified else ("judged not done", "red")
    if verified:
        return "verified", "green"
    if ending is Ending.CANCELLED:
        return "cancelled", "yellow"
    if verified is None and ending is Ending.FINISHED:
        return "undecided" if has_check else "no check", "yellow"
    return "failed", "red"


def why_not(result: EpisodeResult) -> str:
    """Return why a task is not done, as far as anybody knows; empty if there is nothing to say."""
    is_open = result.verified is None and result.has_check
    reasons = [result.reason] if result.reason and (is_open or result.ending is not Ending.FINISHED) else []
    if result.verified is False and result.unmet:
        reasons.append(_first_of(list(map(str, result.unmet))))
    if result.unexpected_changes:
        reasons.append(f"unexpected change: {_first_of(list(map(str, result.unexpected_changes)))}")
    return "; ".join(reasons)


def _first_of(reasons: Sequence[str]) -> str:
    return f"{reasons[0]} (and {len(reasons) - 1} more)" if len(reasons) > 1 else reasons[0]
