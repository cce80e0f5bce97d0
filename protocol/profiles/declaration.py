"""Define what a profile declares: its name and paper, replies, settings and comparison sheets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from manyhands.protocol.base import Reply
from manyhands.protocol.roles.role import Role

AS_PAPERS_CAPTION: Mapping[str, Any] = {"captions": True, "caption_all": True, "caption_wait_s": 60.0}
"""Settings with which a model captions every icon before any role sees it, as in Mobile-Agent-v2 and -E."""
CAPTIONS = frozenset(AS_PAPERS_CAPTION)
"""Settings that concern a loop only if it perceives screens."""
ELEMENTS = frozenset({"elements", "elements_wait_s"})
"""The same: they say where the elements of a screen come from."""
VERDICTS = frozenset({"cheap_verdicts"})
"""Settings that concern a loop only if it judges actions."""


@dataclass(frozen=True, slots=True)
class ComparisonSheet:
    """Declare a table of ``suite compare``: its columns, levels of instructions, and published figures to show."""

    title: str
    columns: str | tuple[str, ...]
    """The word that metrics use to declare a column here (``evaluation/metrics/table.py``), or names of metrics."""
    levels: tuple[str, ...]
    tables: tuple[tuple[str, int], ...]
    """The published tables to show beside it: a paper's profile and the number (``evaluation/published.yaml``)."""
    knowledge: bool = False
    """Whether the table has rows "+ Know."."""
    suite: str = ""
    """The set of instructions whose parts, such as apps, have rows. Without ``levels`` these are the only rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileDeclaration:
    """Declare the loop of one paper to the other parts: models, stand-ins, settings, comparisons."""

    name: str
    paper: str
    loop: str
    """A reference, ``module:name``, to the loop's ``Profile`` (``actors.episode.profile``)."""
    replies: Mapping[Role, tuple[type[Reply], ...]] = field(default_factory=dict)
    """Replies of models in this loop, in addition to the replies that each role has in all loops
    (``RoleSpec.replies``). The name of a reply's type is the name of its JSON schema, so two profiles must not use the
    same name."""
    uses: frozenset[str] = frozenset()
    """Settings of an episode that this loop uses but not every loop does."""
    variants: Mapping[str, str] = field(default_factory=dict)
    """Settings of an episode that turn this profile into another system. Each comes with the words that are added to
    the system's name. Other profiles refuse these settings."""
    has_family_form: bool = False
    """Whether the operator is asked in the form of its model's family, with the family's sampling and pictures."""
    finds_icons_by_words: bool = False
    """Whether the paper compares icons with a description by CLIP."""
    sheets: tuple[ComparisonSheet, ...] = ()
    """The paper's tables in ``suite compare``."""
    rehearsal: str = ""
    """A reference to the ``Rehearsal`` with which the rehearsed model answers (``simulator.rehearsal.rehearsals``).
    Without a ``Rehearsal``, the rehearsed model answers properly only for the replies that each role has. For other
    replies it gives the plainest valid one."""
    needed_by_rehearsed: tuple[str, ...] = ()
    """Parts without which the rehearsed model completes no task."""
