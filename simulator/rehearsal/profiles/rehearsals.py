"""Define how the rehearsed model answers the prompts of one profile."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from manyhands.protocol.base import Reply
from manyhands.protocol.profiles import ProfileUnusable, import_object, registered_profiles
from manyhands.protocol.roles.role import Role
from manyhands.simulator.rehearsal.pages import Page
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.request import Said
from manyhands.simulator.rehearsal.script import Scripts

Draw = Callable[[str, int], int]
"""Returns a number from 0 to the second argument - 1, for the purpose that the first one names."""


@dataclass(frozen=True, slots=True)
class Question:
    """Hold a role's prompt, and what the model knows to answer it."""

    role: Role
    wanted: type[Reply] | None
    """The type of reply whose schema is in the request; None without a schema."""
    reading: Reading
    conversation: Sequence[Said]
    scripts: Scripts
    pages: Sequence[Page] = ()
    """What the model sees on the pictures, or is told in their place, in order."""
    form: str = ""
    """The model family in whose form the reply is to be written; empty for our own."""


class Rehearsal(ABC):
    """Answer the questions of a profile that has types of replies of its own. Keep nothing between questions."""

    writes: ClassVar[tuple[type[Reply], ...]]
    """The types of replies that this rehearsal can write."""

    @abstractmethod
    def is_asked(self, question: Question) -> bool:
        """Return whether a question is one of the profile's. Its pictures have not been read yet."""

    @abstractmethod
    def reply(self, question: Question) -> Reply:
        """Return the model's reply."""

    def mistaken(self, verdict: Reply, draw: int) -> Reply:
        """Return a wrong verdict for a right one. ``draw`` chooses between two. Return other replies unchanged."""
        return verdict

    def wrong_action(self, reply: Reply, pages: Sequence[Page], draw: Draw) -> Reply | None:
        """Return the reply with another action than the right one. None: the general mistakes are made."""
        return None


def declared_rehearsals() -> Iterator[Rehearsal]:
    """Yield the rehearsals of the profiles that declare one. Raises ProfileUnusable."""
    for declaration in registered_profiles().declarations.values():
        if declaration.rehearsal:
            kind = import_object(declaration.rehearsal, type)
            if not issubclass(kind, Rehearsal):
                raise ProfileUnusable(f"profile {declaration.name!r}: {declaration.rehearsal!r} is no Rehearsal")
            yield kind()
