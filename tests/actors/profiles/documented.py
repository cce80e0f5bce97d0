"""What docs/profiles.md says of a profile: its tables, read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from manyhands.protocol.roles.sections import Section

DOCS = Path(__file__).parents[3] / "docs" / "profiles.md"


@dataclass(frozen=True)
class Inputs:
    """What a role is shown, as a row of the table says."""

    pictures: tuple[str, ...]
    sections: tuple[Section, ...]
    exactly_without: frozenset[Section]
    exactly_with: frozenset[Section]

    def shown(self, exact: bool, gone: frozenset[Section]) -> set[Section]:
        """All sections of the role's prompts with these settings."""
        changed = (set(self.sections) - self.exactly_without) | self.exactly_with if exact else set(self.sections)
        return changed - gone


def chapter(profile: str) -> str:
    """The text about a profile."""
    _, _, rest = DOCS.read_text().partition(f"## `{profile}`: ")
    return rest.partition("\n## ")[0]


def table(text: str, first: str) -> list[list[str]]:
    """The rows of the table whose first column has this heading."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith(f"| {first} |"):
            next(lines)
            break
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    assert rows, f"no table of {first}"
    return rows


def inputs(profile: str) -> Mapping[str, Inputs]:
    """What each role is shown."""
    return {
        role: Inputs(tuple(_listed(pictures)), _sections(shown), frozenset(_sections(less)), frozenset(_sections(more)))
        for role, _, pictures, shown, less, more in table(chapter(profile), "role")
    }


def parts(profile: str) -> Mapping[str, tuple[str, frozenset[Section]]]:
    """What happens without each part, and which sections go with it."""
    return {part: (what, frozenset(_sections(gone))) for part, what, gone in table(chapter(profile), "part")}


def _listed(cell: str) -> Sequence[str]:
    return [one.strip() for one in cell.split(", ") if one.strip()]


def _sections(cell: str) -> tuple[Section, ...]:
    return tuple(Section(one) for one in _listed(cell))
