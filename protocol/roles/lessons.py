"""Define the messages of what a fleet learns: tips and shortcuts, and where they come from (Mobile-Agent-E, 3.2, 5.3).

A scope says who reads a lesson: ``run:RUN``, the tasks of one run that have no scope; ``task:SCOPE``, the tasks of a
scenario; ``app:NAME``, the tasks of an app; ``fleet``, all tasks; ``user``, all tasks, but only people write into it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from manyhands.protocol.base import Message
from manyhands.protocol.roles.memory import LONGEST_TIP, LongTermMemory, SeenOn, Shortcut
from manyhands.protocol.screens.geometry import Size

Scope = Annotated[str, Field(pattern=r"^(fleet|user|(run|task|app):[^\x00-\x1f]{1,200})$")]
FLEET: Scope = "fleet"
USER: Scope = "user"
"""The scope of the user's preferences. No model writes into it."""


def run_scope(run: str) -> Scope:
    """Return the scope of a run's tasks that have no scope of their own."""
    return f"run:{run}"


def task_scope(name: str) -> Scope:
    """Return the scope of a scenario from the ``memory_scope`` of its tasks."""
    return f"task:{name}"


def app_scope(name: str) -> Scope:
    """Return the scope of an app from its name in tasks and on phones."""
    return f"app:{name.strip().casefold()}"


class LearnedFrom(Message):
    """Record where a lesson comes from."""

    episode: str
    """Empty for what people wrote or imported from a file."""
    serial: str = ""
    size: Size | None = None
    """The size of the screen on which it was learned."""
    app: str = ""
    """The package in front before the shortcut's first action."""
    app_version: str = ""


class KnownTip(Message):
    """Hold a tip as the memory service stores it."""

    id: str
    scope: Scope
    text: str = Field(min_length=1, max_length=LONGEST_TIP)
    version: int = Field(ge=1)
    """Increases with each new text of the tip."""
    taught_by: tuple[str, ...] = ()
    """The episodes that taught it, oldest first."""
    initial: bool = False
    """Whether the tip is one of the paper's; such a tip is never removed."""


class KnownShortcut(Message):
    """Hold a shortcut in its newest version, as the memory service stores it."""

    id: str
    scope: Scope
    shortcut: Shortcut
    version: int = Field(ge=1)
    learned_from: LearnedFrom
    taught_by: tuple[str, ...] = ()
    initial: bool = False
    put_aside: str = ""
    """Why the shortcut is quarantined; empty if it is offered."""
    texts_seen: tuple[str, ...] = ()
    """Texts that were on the screen before the shortcut's first action in every successful use so far."""

    @property
    def seen_on(self) -> SeenOn:
        """Return what an episode compares with the screen before it uses the shortcut."""
        learned = self.learned_from
        return SeenOn(size=learned.size, app=learned.app, app_version=learned.app_version, texts=self.texts_seen)


class MemorySnapshot(Message):
    """Hold the tips and shortcuts of some scopes at one version of the memory.

    Each lesson is in the snapshot as a whole, or not at all.
    """

    version: int = Field(ge=0)
    """The number of the memory's last transaction."""
    tips: tuple[KnownTip, ...] = ()
    shortcuts: tuple[KnownShortcut, ...] = ()
    """Without quarantined shortcuts."""

    def for_episode(self) -> LongTermMemory:
        """Return the snapshot in the form in which an episode gets it."""
        return LongTermMemory(
            tips=tuple(tip.text for tip in self.tips),
            shortcuts=tuple(one.shortcut for one in self.shortcuts),
            version=self.version,
            tip_ids=tuple(tip.id for tip in self.tips),
            shortcut_ids=tuple(f"{one.id}@{one.version}" for one in self.shortcuts),
            seen_on=tuple(one.seen_on for one in self.shortcuts),
        )


class TaughtTips(Message):
    """Hold the whole list of tips that a learner answered, and the list that it had been shown."""

    shown: tuple[str, ...]
    """The ids of the tips shown, in the order of their numbers."""
    tips: tuple[str, ...]


class Refusal(Message):
    """Say which part of a lesson was refused, and why."""

    what: str
    """The beginning of the tip, or the name of the shortcut."""
    reason: str
    kind: Literal["tip", "shortcut"] | None = None
    """None if it is neither a tip nor a shortcut."""


class Change(Message):
    """Show people how a lesson changed a tip or a shortcut: the content before and after."""

    id: str
    before: Shortcut | str | None = None
    """None if it was added."""
    after: Shortcut | str | None = None
    """None if it was removed."""

    @property
    def kind(self) -> Literal["tip", "shortcut"]:
        return "shortcut" if isinstance(self.before or self.after, Shortcut) else "tip"

    @property
    def way(self) -> Literal["added", "changed", "removed"]:
        return "added" if self.before is None else "removed" if self.after is None else "changed"


class Lesson(Message):
    """Hold what one task taught, as one transaction. A lesson that is sent again with the same id counts once."""

    id: str
    scope: Scope
    made_from: int
    """The version of the memory that the learners saw."""
    source: LearnedFrom
    tips: TaughtTips | None = None
    """None if no tips were learned."""
    shortcuts: tuple[Shortcut, ...] = ()
    """New shortcuts, and new versions of shortcuts whose names the scope knows. All have passed the dry run."""
    sources: tuple[LearnedFrom, ...] = ()
    """Where each of these shortcuts was learned; empty if ``source`` applies to all of them."""
    replace_whole: bool = False
    """Whether to store as in the paper: the list of tips is replaced; shortcuts are added and never revised."""
    refused: tuple[Refusal, ...] = ()
    """What was refused before the lesson reached the memory service. The history records it."""
    private: tuple[str, ...] = ()
    """Typed texts and notes. A tip or shortcut that contains one of these goes into no scope wider than a run."""


class LessonTaken(Message):
    """Report what became of a lesson: the ids that it added, changed and removed."""

    version: int
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    changes: tuple[Change, ...] = ()
    """The same changes with their contents."""
    again: bool = False
    """Whether the lesson had been stored before. Then this message repeats the first report."""


UseOutcome = Literal["worked", "refused", "surprised", "failed"]


class ShortcutUse(Message):
    """Report one use of a shortcut. A report that is sent again for the same episode and step counts once."""

    shortcut: str
    """``ID@VERSION``, as the episode got it."""
    episode: str
    step: int
    outcome: UseOutcome
    """``refused``: the precondition did not hold, and nothing was sent. ``surprised``: the shortcut was not performed
    to its end. ``failed``: it was performed to its end, and the verdict was B or C."""
    reason: str = ""
    size: Size | None = None
    app_version: str = ""
    texts: tuple[str, ...] = ()
    """Texts on the screen before the first action, if the use worked."""


class UseCount(Message):
    """Count uses of one version of a shortcut with the same outcome, the same app version and the same screen size."""

    version: int
    app_version: str
    size: str
    """Such as ``540x1200``; empty if it is unknown."""
    outcome: UseOutcome
    count: int = Field(ge=1)


PermittedBy = Literal["put_aside", "size", "app", "version", "keyboard", "texts", "model", "nobody"]


class Permission(Message):
    """Say whether a step may use a shortcut: the data of the stage ``permit``, which runs only for a shortcut.

    ``by`` names who decided. That is the first rule that refused or, if no rule refused, the model. It is ``nobody`` if
    the memory service did not say whether the shortcut is quarantined, and the shortcut has not worked yet.
    """

    shortcut: str
    """``ID@VERSION``, as the episode got it."""
    permitted: bool
    by: PermittedBy
    reason: str = ""


class ShortcutUseReport(Message):
    """Report the outcome of a use, and whether the memory service recorded it: the data of the stage ``watch``."""

    use: ShortcutUse
    taken_in: bool
    """False if the memory service did not answer. A reader of the journal may report the use again."""
    put_aside: str = ""
    """Why the shortcut is quarantined after this use; empty if it is not, or if the service did not say."""


class MemoryEvent(Message):
    """Be one line of a memory's history."""

    version: int
    at: float
    scope: Scope
    kind: Literal["added", "changed", "removed", "refused", "merged", "promoted", "put_aside", "forgotten", "imported"]
    id: str
    text: str
    """The new content, or the reason."""
    source: LearnedFrom
