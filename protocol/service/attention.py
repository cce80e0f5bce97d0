"""Define what of a service needs a person: tasks that failed, by their causes; phones and models that are away."""

from __future__ import annotations

from manyhands.protocol.base import Ending
from manyhands.protocol.service.access import ServiceAnswer
from manyhands.protocol.service.fleet import PhonePhase
from manyhands.protocol.service.instants import Instant
from manyhands.protocol.service.interventions import ConsentStatus


class OpenCause(ServiceAnswer):
    """Group failed tasks that ended in the same way, for the same reason apart from names and numbers."""

    id: str
    """The id of the cause. Later failures of the same cause have the same id."""
    ending: Ending
    """How the tasks ended."""
    verified: bool | None = None
    """Whether the check of the newest of them holds; None without a check, or if nobody could tell."""
    app: str = ""
    """The app that was in front when the newest of them ended; empty if unknown."""
    action: str = ""
    """The last action of the newest of them; empty if it had none."""
    pattern: str
    """The reason, with ``#`` in place of names, quoted texts, ids and numbers."""
    reason: str
    """The reason of the newest of them."""
    count: int
    """How many tasks failed so and were neither retried nor dismissed; at least so many if the list ``has_more``."""
    changeable: int
    """How many of them the token of this request may retry and dismiss."""
    first_at: Instant
    """When the first of them ended, in Unix seconds."""
    last_at: Instant
    """When the last of them ended, in Unix seconds."""
    tasks: tuple[str, ...]
    """The ids of the newest of them, at most ten, the newest first."""
    episodes: tuple[str | None, ...]
    """The last episode of each of these tasks; None for a task that no phone had."""


class AttentionPhone(ServiceAnswer):
    """Show a phone that gets no task."""

    serial: str
    """Its serial at adb."""
    phase: PhonePhase
    """Whether it is away, or set aside."""
    reason: str
    """Why."""
    since: Instant | None = None
    """Since when, in Unix seconds; None if unknown."""


class HeldEpisode(ServiceAnswer):
    """Show an episode that a person has paused or taken over, or whose agent asks for a person.

    A pause ends only when a person resumes the episode.
    """

    episode: str
    """The id of the episode."""
    task: str
    """The id of its task."""
    owner: str
    """Who submitted the task."""
    goal: str
    """What the task is to reach."""
    serial: str
    """The serial of its phone."""
    is_paused: bool
    """Whether it is paused. Otherwise a person has taken it over."""
    by: str
    """Who holds it."""
    question: str = ""
    """What its agent asks a person; empty if it does not ask."""
    consent: ConsentStatus | None = None
    """What the question is about, if it is whether an action may be sent."""
    since: Instant | None = None
    """Since when, in Unix seconds; None if unknown."""


class Approval(ServiceAnswer):
    """Show equal questions of agents: whether the same action may be sent for the same goal, on one phone or more.

    Another amount, app or text to send is another question.
    """

    id: str
    """The digest of the questions of these very episodes. It changes when an episode joins or leaves them."""
    goal: str
    """What the tasks are to reach."""
    question: str
    """What is asked."""
    episodes: tuple[HeldEpisode, ...]
    """The episodes that ask it, the one that has waited longest first."""


class ApprovalOutcome(ServiceAnswer):
    """Tell whether an episode took an answer."""

    episode: str
    """The id of the episode."""
    serial: str
    """The serial of its phone."""
    problem: str = ""
    """Why its agent did not take the answer, such as that it asks something else by now; empty if it did."""


class AttentionModel(ServiceAnswer):
    """Show a model that does not answer."""

    what: str
    """Which model it is, in a few words."""
    reason: str
    """Why."""
    since: Instant | None = None
    """Since when, in Unix seconds; None if unknown."""


class AttentionList(ServiceAnswer):
    """Hold all that needs a person."""

    causes: tuple[OpenCause, ...]
    """The causes of failures, that of the latest failure first."""
    phones: tuple[AttentionPhone, ...]
    """The phones that are away or set aside, in the order of their serials."""
    models: tuple[AttentionModel, ...]
    """The models that do not answer."""
    held: tuple[HeldEpisode, ...] = ()
    """The episodes that people have paused or taken over, the one that has been held longest first."""
    approvals: tuple[Approval, ...] = ()
    """The questions whether an action may be sent, the oldest first. Their episodes are in ``held``, too."""
    open: int
    """How many entries there are in all."""
    has_more: bool = False
    """Whether there are more failed tasks than are counted, which are the newest. The older ones are counted once newer
    ones were retried or dismissed."""
