"""What docs/suites.md has from the data: counts, kinds of apps, and every instruction with what plays it.

``make suites`` writes it anew; a test compares it with what is there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from manyhands.evaluation.markdown import table
from manyhands.evaluation.suites.instructions import Instruction, InstructionSet
from manyhands.evaluation.suites.playing import counts, fate, kind_name
from manyhands.evaluation.suites.reading import papers_sets

_MADE = re.compile(r"(<!-- suites -->\n).*(<!-- end -->)", re.DOTALL)


def page(text: str, sets: Sequence[InstructionSet]) -> str:
    """Return the page with what is between its marks made anew."""
    return _MADE.sub(lambda found: found[1] + "\n".join(_made(sets)) + "\n" + found[2], text)


def _made(sets: Sequence[InstructionSet]) -> Iterator[str]:
    everything = [one for printed in sets for one in printed.instructions]
    yield from table(
        ("suite", "instructions", "from", "played as they stand", "played with more content", "wait for apps"),
        (
            *(
                (f"`{printed.name}`", *_counted(printed.instructions, f"{printed.title}: {printed.source}"))
                for printed in sets
            ),
            ("all", *_counted(everything, "")),
        ),
    )
    yield ""
    waiting = Counter(kind for one in everything for kind in one.waits_for)
    several = sum(len(one.waits_for) > 1 for one in everything)
    yield from table(
        ("kind of app", "instructions that wait for it"),
        ((kind_name(kind), str(count)) for kind, count in waiting.most_common()),
    )
    yield f"\n{several} instructions wait for two kinds."
    for printed in sets:
        yield f"\n## {printed.title}\n\n{printed.source}.\n"
        yield from table(
            ("id", "level", "instruction", "on virtual phones"),
            ((f"`{one.id}`", one.level.replace("_", " "), one.printed, _played(one)) for one in printed.instructions),
        )


def _counted(instructions: Sequence[Instruction], source: str) -> tuple[str, ...]:
    found = counts(instructions)
    return (str(len(instructions)), source, *(str(found[name]) for name in ("as_it_stands", "content", "waits")))


def _played(one: Instruction) -> str:
    if one.waits_for:
        return fate(one)
    where = " on web pages" if one.instead else ""
    needed = f", with {one.content}" if one.content else ""
    return (f"`{one.task}`" if one.task else "has no task yet") + where + needed


def write(path: Path) -> None:
    """Write a checkout's page anew."""
    path.write_text(page(path.read_text(encoding="utf-8"), papers_sets()), encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).resolve().parents[2] / "docs" / "suites.md")
