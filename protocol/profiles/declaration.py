"""What a profile declares of itself to everybody: its name and paper, replies, settings and sheets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from manyhands.protocol.base import Reply
from manyhands.protocol.roles import Role

AS_PAPERS_CAPTION: Mapping[str, Any] = {"captions": True, "caption_all": True, "caption_wait_s": 60.0}
"""Settings by which a model captions every icon before anybody is shown it, as Mobile-Agent-v2 and -E do."""
CAPTIONS = frozenset(AS_PAPERS_CAPTION)
"""Settings that a loop follows which perceives screens."""
VERDICTS = frozenset({"cheap_verdicts"})
"""Settings that a loop follows which judges actions."""


@dataclass(frozen=True, slots=True)
class ComparisonSheet:
    """Declare a table of ``suite compare``: its columns, its levels of instructions, what was published beside it."""

    title: str
    columns: str | tuple[str, ...]
    """The word by which metrics declare a column in it (``evaluation/metrics/table.py``), or the metrics' names."""
    levels: tuple[str, ...]
    tables: tuple[tuple[str, int], ...]
    """Whose published tables stand beside it, and their numbers (``evaluation/published.yaml``)."""
    knowledge: bool = False
    """Whether it has rows "+ Know."."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileDeclaration:
    """Declare the loop of one paper to all that is not a loop: models, stand-ins, settings, comparisons."""

    name: str
    paper: str
    loop: str
    """A reference, ``module:name``, to its ``Profile`` (``actors.episode.profile``)."""
    replies: Mapping[Role, tuple[type[Reply], ...]] = field(default_factory=dict)
    """What models write for it beside the replies that each role has (``RoleSpec.replies``). Names of types of replies
    are those of JSON schemas, so no two profiles may have the same."""
    uses: frozenset[str] = frozenset()
    """Settings of an episode that not every loop follows, and this one does."""
    variants: Mapping[str, str] = field(default_factory=dict)
    """Settings of an episode that make another system of this profile and are refused with any other, with the words
    that tell it in the system's name."""
    finds_icons_by_words: bool = False
    """Whether its paper compares icons with a description by CLIP."""
    sheets: tuple[ComparisonSheet, ...] = ()
    """Tables of its paper in ``suite compare``."""
    rehearsal: str = ""
    """A reference to the ``Rehearsal`` by which the rehearsed model answers (``simulator.rehearsal.rehearsals``).
    Without one it answers the replies that each role has, and others by the plainest valid reply."""
    needed_by_rehearsed: tuple[str, ...] = ()
    """Parts without which the rehearsed model ends no task."""
