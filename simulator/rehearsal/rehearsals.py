"""How the rehearsed model answers the prompts of one profile."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from manyhands.protocol.base import Reply
from manyhands.protocol.profiles import ProfileUnusable, import_object, registered_profiles
from manyhands.protocol.roles import Role
from manyhands.simulator.rehearsal.pages import Page
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.request import Said
from manyhands.simulator.rehearsal.script import Scripts


@dataclass(frozen=True, slots=True)
class Question:
    """Hold a prompt of a role, with what the model knows to answer it."""

    role: Role
    wanted: type[Reply] | None
    """The type of the reply whose schema the request has; None without one."""
    reading: Reading
    conversation: Sequence[Said]
    scripts: Scripts
    pages: Sequence[Page] = ()
    """What it sees on the pictures, in their order."""


class Rehearsal(ABC):
    """Answer as the models of a profile do whose replies are its own. Keep nothing between questions."""

    writes: ClassVar[tuple[type[Reply], ...]]
    """What it knows how to write."""

    @abstractmethod
    def is_asked(self, question: Question) -> bool:
        """Return whether a question, whose pictures nobody has looked at yet, is one of the profile's."""

    @abstractmethod
    def reply(self, question: Question) -> Reply:
        """Return what the model writes."""

    def mistaken(self, verdict: Reply, draw: int) -> Reply:
        """Return another verdict than the one that was due, of two by ``draw``; other replies as they are."""
        return verdict


def declared_rehearsals() -> Iterator[Rehearsal]:
    """Return the rehearsals of the profiles that declare one. Raises ProfileUnusable."""
    for declaration in registered_profiles().declarations.values():
        if declaration.rehearsal:
            kind = import_object(declaration.rehearsal, type)
            if not issubclass(kind, Rehearsal):
                raise ProfileUnusable(f"profile {declaration.name!r}: {declaration.rehearsal!r} is no Rehearsal")
            yield kind()
