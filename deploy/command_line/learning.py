"""What a run learned, in lines for people."""

from __future__ import annotations

from collections.abc import Iterator

from manyhands.protocol.learning_figures import Asker, LearningFigures, TaughtCounts, UseCounts
from manyhands.protocol.usage import RoleUsage
from manyhands.protocol.wording import counted

_ASKERS: dict[Asker, str] = {
    "steps": "of steps",
    "verifier": "of the verifier of preconditions",
    "retriever": "of the retriever",
    "learners": "of the learners",
}


def learning_lines(learning: LearningFigures) -> Iterator[str]:
    """Yield what was learned, what became of the uses of shortcuts, and what that took beside the steps."""
    failed = f", {learning.failed} failed" if learning.failed else ""
    took = f", {learning.lesson_ms.p50 / 1000:.2f} s each (median)" if learning.lesson_ms else ""
    tips, shortcuts = taught_line(learning.tips), taught_line(learning.shortcuts)
    yield f"{counted(learning.lessons, 'lesson')} taught{failed}{took}; tips: {tips}; shortcuts: {shortcuts}"
    used = (f"{known} {uses_line(uses)}" for known, uses in learning.used.items() if uses.total)
    yield f"shortcuts used: {'; '.join(used) or 'none'}"
    if learning.put_aside:
        yield f"put aside: {', '.join(learning.put_aside)}"
    yield f"model calls {'; '.join(_calls(asker, usage) for asker, usage in learning.model.items())}"


def taught_line(counts: TaughtCounts) -> str:
    """Write ``2 added, 1 refused``."""
    said = [f"{count} {way}" for way, count in counts.model_dump().items() if count]
    return ", ".join(said) or "none"


def uses_line(counts: UseCounts) -> str:
    """Write ``3 (2 worked, 1 put aside)``."""
    said = (f"{count} {fate.replace('_', ' ')}" for fate, count in counts.model_dump().items() if count)
    return f"{counts.total} ({', '.join(said)})"


def _calls(asker: Asker, usage: RoleUsage) -> str:
    tokens = f" ({usage.input_tokens:,} tokens in, {usage.output_tokens:,} out)" if usage.calls else ""
    return f"{_ASKERS[asker]} {usage.calls}{tokens}"
