"""Compare the screens that two episodes of a task went through, step by step, and find where they part."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.evaluation.episode_view import view_episode
from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.protocol.base import Message

SHARED_TEXTS = 0.5
"""Two screens of one app are the same page if they share at least this part of all their texts."""
_MOST_TEXTS = 3


class VisitedScreen(Message):
    """Hold what an episode saw at a step, and what it did there."""

    step: int
    content_id: str
    app: str | None
    """The package in front, if the phone reports it."""
    texts: tuple[str, ...]
    """What perception read, in reading order; empty for profiles without perception."""
    action: str
    """What was done on it, in one line; empty for the last screen."""

    def is_same_page(self, other: VisitedScreen) -> bool:
        """Return whether two screens show the same page: the same pixels, or the same app and mostly the same texts.

        Pixels of the same page differ by a clock or a caret. Where nothing was read, the app alone decides.
        """
        if self.content_id == other.content_id:
            return True
        if None not in (self.app, other.app) and self.app != other.app:
            return False
        texts, others = set(self.texts), set(other.texts)
        return not texts | others or len(texts & others) >= SHARED_TEXTS * len(texts | others)

    def describe_beside(self, other: VisitedScreen) -> str:
        """Return the app, and the first texts that the other screen does not have."""
        own = [text for text in self.texts if text not in other.texts][:_MOST_TEXTS]
        quoted = ", ".join(f'"{text}"' for text in own)
        return f"{self.app or 'a page'}{f' ({quoted})' if own else ''}"


class Parting(Message):
    """Hold the first step at which two episodes see different pages. A screen is None if that episode ended before."""

    step: int
    before: VisitedScreen | None
    after: VisitedScreen | None
    actions: tuple[str, str] | None
    """What the two episodes did in the step before, which led to these pages; None at the first step."""

    def __str__(self) -> str:
        """Return what each run did and saw: ``step 1: Tap (1, 2) led to Clock; before, Home led to Settings``."""
        if self.before is None or self.after is None:
            ended, went_on = ("before", "after") if self.before is None else ("after", "before")
            return f"step {self.step}: the run {ended} was over, the run {went_on} was not"
        now, then = self.after.describe_beside(self.before), self.before.describe_beside(self.after)
        if self.actions is None:
            return f"step {self.step}: began on {now}; before, on {then}"
        did, does = self.actions
        return f"step {self.step}: {does} led to {now}; before, {did} led to {then}"


def screens_of(episode: RecordedEpisode) -> tuple[VisitedScreen, ...]:
    """Return the screen of each step, in order."""
    return tuple(
        VisitedScreen(
            step=step.number,
            content_id=step.screenshot.content_id,
            app=step.screenshot.app,
            texts=tuple(one.content for one in step.screen.elements if one.content) if step.screen else (),
            action=step.action,
        )
        for step in view_episode(episode).steps
        if step.screenshot is not None
    )


def find_parting(before: Sequence[VisitedScreen], after: Sequence[VisitedScreen]) -> Parting | None:
    """Return where two paths part; None if each step shows the same page in both."""
    actions: tuple[str, str] | None = None
    for one, other in zip(before, after, strict=False):
        if not one.is_same_page(other):
            return Parting(step=other.step, before=one, after=other, actions=actions)
        actions = (one.action, other.action)
    longer_rest = (*before[len(after) :], *after[len(before) :])
    if not longer_rest or not before or not after:  # an episode that saw no screen took no path
        return None
    longer = longer_rest[0]
    sides = {"before": longer, "after": None} if len(before) > len(after) else {"before": None, "after": longer}
    return Parting(step=longer.step, actions=actions, **sides)
