"""Define what a profile declares, and find the profiles: those of this package, and those of other packages.

A profile of ours has a line in ``BUILT_IN``, with a reference to its declaration. A profile of another package has an
entry point of the group ``manyhands.profiles``, whose name is that of the profile::

    [project.entry-points."manyhands.profiles"]
    tiny = "tiny_paper.declaration:DECLARATION"
"""

from __future__ import annotations

import difflib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from typing import Any, TypeVar

from manyhands.protocol.base import Reply
from manyhands.protocol.roles.role import Role
from manyhands.protocol.utilities.validation_words import nearest

AS_PAPERS_CAPTION: Mapping[str, Any] = {"captions": True, "caption_all": True, "caption_wait_s": 60.0}
"""Settings with which a model captions every icon before any role sees it, as in Mobile-Agent-v2 and -E."""
CAPTIONS = frozenset(AS_PAPERS_CAPTION)
"""Settings that concern a loop only if it perceives screens."""
ELEMENTS = frozenset({"elements", "elements_wait_s"})
"""The same: they say where the elements of a screen come from."""
ASKING = frozenset({"person_wait_s"})
"""The setting of loops whose model may ask for a person."""
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
    outputs: Mapping[Role, str] = field(default_factory=dict)
    """The format of a role's replies (``actors.mllm.formats``) where settings name none. Without one: our JSON."""
    finds_icons_by_words: bool = False
    """Whether the paper compares icons with a description by CLIP."""
    sheets: tuple[ComparisonSheet, ...] = ()
    """The paper's tables in ``suite compare``."""
    rehearsal: str = ""
    """A reference to the rehearsed model's ``Rehearsal`` (``simulator.rehearsal.profiles.rehearsals``).
    Without a ``Rehearsal``, the rehearsed model answers properly only for the replies that each role has. For other
    replies it gives the plainest valid one."""
    needed_by_rehearsed: tuple[str, ...] = ()
    """Parts without which the rehearsed model completes no task."""


T = TypeVar("T")

BUILT_IN: Mapping[str, str] = {
    "v1": "manyhands.protocol.profiles.v1:DECLARATION",
    "v2": "manyhands.protocol.profiles.v2:DECLARATION",
    "e": "manyhands.protocol.profiles.e:DECLARATION",
    "e+evo": "manyhands.protocol.profiles.e:EVO_DECLARATION",
    "native": "manyhands.protocol.profiles.native:DECLARATION",
    "native+evo": "manyhands.protocol.profiles.native:EVO_DECLARATION",
    "bare": "manyhands.protocol.profiles.bare:DECLARATION",
    "flow": "manyhands.protocol.profiles.flow:DECLARATION",
}
"""References to our profiles, by name, in the form of entry points."""
GROUP = "manyhands.profiles"


class ProfileUnusable(ValueError):
    """Signal that a profile is not registered, or cannot be loaded."""


class ProfileRegistry:
    """Hold the declarations of all profiles, and which role writes each reply."""

    def __init__(self, references: Mapping[str, str]) -> None:
        """Import the declarations at ``references``, by the profile's name.

        A declaration that cannot be used is no error until somebody asks for it. Otherwise a broken package would stop
        the runs of all other profiles.
        """
        self.declarations: dict[str, ProfileDeclaration] = {}
        self.problems: dict[str, ProfileUnusable] = {}
        """Why a registered profile cannot be used, by its name."""
        self.replies: dict[Role, list[type[Reply]]] = {role: [] for role in Role}
        """The replies that models write for a role, in any profile."""
        self.reply_types: dict[str, type[Reply]] = {}
        """The types of replies by name. In requests the same names stand for their JSON schemas."""
        self.writers: dict[str, Role] = {}
        """The role that writes a reply, by the name of the reply's type."""
        for role in Role:
            for reply in role.spec.replies:
                self._add(role, reply)
        for name, reference in references.items():
            try:
                self._register(name, import_object(reference, ProfileDeclaration))
            except ProfileUnusable as error:
                self.problems[name] = ProfileUnusable(f"profile {name!r}: {error}; mend or remove its package")

    def find(self, name: str) -> ProfileDeclaration:
        """Return the declaration of a profile. Raises ProfileUnusable, which lists the known profiles."""
        if name in self.problems:
            raise self.problems[name]
        if name not in self.declarations:
            names = ", ".join(f"{one.name} ({one.paper})" for one in self.declarations.values())
            near = nearest(difflib.get_close_matches(name, self.declarations, n=1))
            raise ProfileUnusable(f"{name!r} is not a profile; profiles are {names}{near}")
        return self.declarations[name]

    def writer_of(self, reply: type[Reply]) -> Role:
        """Return the role that writes replies of a type."""
        return self.writers[reply.__name__]

    @property
    def with_family_form(self) -> tuple[str, ...]:
        """Return the names of the profiles whose operator is asked in the form of its model's family."""
        return tuple(name for name, one in self.declarations.items() if one.has_family_form)

    @property
    def variants(self) -> dict[str, tuple[str, str]]:
        """Return the settings that turn a profile into another system, each with the profile's name and the
        words for the system.
        """
        return {
            setting: (one.name, words) for one in self.declarations.values() for setting, words in one.variants.items()
        }

    def _register(self, name: str, declaration: ProfileDeclaration) -> None:
        if declaration.name != name:
            raise ProfileUnusable(f"it is registered by this name, but declares {declaration.name!r}")
        replies_by_role = [(role, reply) for role, replies in declaration.replies.items() for reply in replies]
        for _, reply in replies_by_role:
            if self.reply_types.get(reply.__name__, reply) is not reply:
                raise ProfileUnusable(f"another profile has a reply {reply.__name__}, too: name it otherwise")
        self.declarations[name] = declaration
        for role, reply in replies_by_role:
            self._add(role, reply)

    def _add(self, role: Role, reply: type[Reply]) -> None:
        if reply.__name__ in self.reply_types:
            return
        self.replies[role].append(reply)
        self.reply_types[reply.__name__] = reply
        self.writers[reply.__name__] = role


@cache
def registered_profiles() -> ProfileRegistry:
    """Return the registry of all installed profiles. Ours come first, and no other package replaces them."""
    others = {one.name: one.value for one in sorted(entry_points(group=GROUP), key=lambda one: one.name)}
    return ProfileRegistry({**BUILT_IN, **{name: value for name, value in others.items() if name not in BUILT_IN}})


def import_object(reference: str, kind: type[T]) -> T:
    """Import the object at a reference ``module:name``.

    Raises ProfileUnusable if the object is missing or is no ``kind``.
    """
    try:
        target = pkgutil.resolve_name(reference)
    except Exception as error:
        raise ProfileUnusable(f"{reference!r} cannot be imported: {type(error).__name__}: {error}") from error
    if not isinstance(target, kind):
        raise ProfileUnusable(f"{reference!r} is no {kind.__name__}")
    return target
