"""What a fleet learns, as messages: tips and shortcuts with where they come from (Mobile-Agent-E, sections 3.2, 5.3).

A scope says who reads a lesson: the tasks of one run that have no scope (``run:RUN``), those of a scenario
(``task:SCOPE``) or of an app (``app:NAME``), or all (``fleet``, and ``user`` for what people alone write).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from manyhands.protocol.base import Message
from manyhands.protocol.geometry import Size
from manyhands.protocol.memory import LONGEST_TIP, LongTermMemory, SeenOn, Shortcut

Scope = Annotated[str, Field(pattern=r"^(fleet|user|(run|task|app):[^\x00-\x1f]{1,200})$")]
FLEET: Scope = "fleet"
USER: Scope = "user"
"""Preferences. No model writes into it."""


def run_scope(run: str) -> Scope:
    """Return the scope of the tasks of a run that have none of their own."""
    return f"run:{run}"


def task_scope(name: str) -> Scope:
    """Return the scope of a scenario, by the ``memory_scope`` of its tasks."""
    return f"task:{name}"


def app_scope(name: str) -> Scope:
    """Return the scope of an app, by its name as tasks and phones say it."""
    return f"app:{name.strip().casefold()}"


class LearnedFrom(Message):
    """Say where a lesson comes from."""

    episode: str
    """Empty for what people wrote, or brought from a file."""
    serial: str = ""
    size: Size | None = None
    """Of the screen that it was learned on."""
    app: str = ""
    """The package that was in front before its first action."""
    app_version: str = ""


class KnownTip(Message):
    """Hold a tip as the memory service has it."""

    id: str
    scope: Scope
    text: str = Field(min_length=1, max_length=LONGEST_TIP)
    version: int = Field(ge=1)
    """Counts its wordings."""
    taught_by: tuple[str, ...] = ()
    """Episodes, the oldest first."""
    initial: bool = False
    """It is the paper's: nobody removes it."""


class KnownShortcut(Message):
    """Hold a shortcut in its newest version as the memory service has it."""

    id: str
    scope: Scope
    shortcut: Shortcut
    version: int = Field(ge=1)
    learned_from: LearnedFrom
    taught_by: tuple[str, ...] = ()
    initial: bool = False
    put_aside: str = ""
    """Why it is offered to nobody; empty where it is."""
    texts_seen: tuple[str, ...] = ()
    """Texts that stood on the screen before its first action in every success so far."""

    @property
    def seen_on(self) -> SeenOn:
        """Return what an episode holds against the screen before it uses the shortcut."""
        learned = self.learned_from
        return SeenOn(size=learned.size, app=learned.app, app_version=learned.app_version, texts=self.texts_seen)


class MemorySnapshot(Message):
    """Hold what some scopes know, all of one version: no lesson is in it in part."""

    version: int = Field(ge=0)
    """Counts the transactions of the memory."""
    tips: tuple[KnownTip, ...] = ()
    shortcuts: tuple[KnownShortcut, ...] = ()
    """Without what is put aside."""

    def for_episode(self) -> LongTermMemory:
        """Return it as an episode is told it."""
        return LongTermMemory(
            tips=tuple(tip.text for tip in self.tips),
            shortcuts=tuple(one.shortcut for one in self.shortcuts),
            version=self.version,
            tip_ids=tuple(tip.id for tip in self.tips),
            shortcut_ids=tuple(f"{one.id}@{one.version}" for one in self.shortcuts),
            seen_on=tuple(one.seen_on for one in self.shortcuts),
        )


class TaughtTips(Message):
    """Hold the whole list that a learner answered, and the list that it was shown."""

    shown: tuple[str, ...]
    """Ids, in the order in which they were numbered."""
    tips: tuple[str, ...]


class Refusal(Message):
    """Say what of a lesson was not taken, and why."""

    what: str
    """The tip's beginning, or the shortcut's name."""
    reason: str
    kind: Literal["tip", "shortcut"] | None = None
    """None where it is neither, and in journals of before it was said."""


class Change(Message):
    """Say what a lesson did with a tip or a shortcut, so that people see what it said before and says now."""

    id: str
    before: Shortcut | str | None = None
    """None for what was added."""
    after: Shortcut | str | None = None
    """None for what was removed."""

    @property
    def kind(self) -> Literal["tip", "shortcut"]:
        return "shortcut" if isinstance(self.before or self.after, Shortcut) else "tip"


class Lesson(Message):
    """Hold what one task taught: one transaction. Sent again with the same id, it counts once."""

    id: str
    scope: Scope
    made_from: int
    """The version of the memory that the learners were shown."""
    source: LearnedFrom
    tips: TaughtTips | None = None
    """None where nothing was learned of them."""
    shortcuts: tuple[Shortcut, ...] = ()
    """New ones, and new versions of those whose names are known in the scope; they have passed the dry run."""
    sources: tuple[LearnedFrom, ...] = ()
    """Where each of these shortcuts was learned; empty where ``source`` says so of all."""
    replace_whole: bool = False
    """As the paper: the list of tips is replaced, shortcuts are added and never revised."""
    refused: tuple[Refusal, ...] = ()
    """What was refused before it came to the memory service; the history keeps it."""
    private: tuple[str, ...] = ()
    """Texts that were typed, and notes: what holds one of them is known to no scope wider than a run."""


class LessonTaken(Message):
    """Say what became of a lesson: ids that it added, worded anew and removed."""

    version: int
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    changes: tuple[Change, ...] = ()
    """The same with what was said; empty in journals of before it was kept."""
    again: bool = False
    """It had been taken before; this is what became of it then."""


UseOutcome = Literal["worked", "refused", "surprised", "failed"]


class ShortcutUse(Message):
    """Report one use of a shortcut. Sent again, with the same episode and step, it counts once."""

    shortcut: str
    """``ID@VERSION``, as the episode was told it."""
    episode: str
    step: int
    outcome: UseOutcome
    """``refused``: its precondition did not hold, and nothing was sent; ``surprised``: it was not carried out to its
    end; ``failed``: it was, with outcome B or C."""
    reason: str = ""
    size: Size | None = None
    app_version: str = ""
    texts: tuple[str, ...] = ()
    """Texts on the screen before its first action, where it worked."""


class UseCount(Message):
    """Count the uses of a version of a shortcut that went alike, on apps of one version and screens of one size."""

    version: int
    app_version: str
    size: str
    """As ``540x1200``; empty where nobody knows."""
    outcome: UseOutcome
    count: int = Field(ge=1)


PermittedBy = Literal["put_aside", "size", "app", "version", "keyboard", "texts", "model", "nobody"]


class Permission(Message):
    """Say whether a step may use a shortcut: the data of the stage ``permit``, which only a shortcut has.

    A no comes from the rule that is named first, from the model where no rule has refused, or from ``nobody``, where
    the memory does not say whether the shortcut is put aside, and it has not worked yet.
    """

    shortcut: str
    """``ID@VERSION``, as the episode was told it."""
    permitted: bool
    by: PermittedBy
    reason: str = ""


class ShortcutUseReport(Message):
    """Say how a use went, and whether the memory service took it in: the data of the stage ``watch``."""

    use: ShortcutUse
    taken_in: bool
    """False where nobody answered; who reads the journal may report it again."""
    put_aside: str = ""
    """Why the shortcut is put aside since; empty where it is not, or nobody says."""


class MemoryEvent(Message):
    """Hold one line of a memory's history."""

    version: int
    at: float
    scope: Scope
    kind: Literal["added", "changed", "removed", "refused", "merged", "promoted", "put_aside", "forgotten", "imported"]
    id: str
    text: str
    """What it says now, or why."""
    source: LearnedFrom
