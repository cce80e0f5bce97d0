"""Define what a policy says of an action: its effects, the grants of people, the verdict, and the policy's settings.

An action that pays, sends or deletes cannot be undone. So people allow such effects, and never a model or a screen.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field

from manyhands.protocol.base import Message
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.screens.actions import PhoneAction


class Effect(StrEnum):
    """List the effects that an action may have beyond the phone's screen."""

    PAY = "pay"
    """Pay, order or bid."""
    SEND = "send"
    """Send something to other people."""
    PUBLISH = "publish"
    """Post something that many can read."""
    DELETE = "delete"
    """Delete or reset something."""
    INSTALL = "install"
    """Install, update or remove an app."""
    GRANT = "grant"
    """Give an app a permission."""
    ACCOUNT = "account"
    """Change an account or a security setting."""
    CALL = "call"
    """Make or answer a call."""
    LEAVE = "leave"
    """Go to an app that the task does not name."""
    SECRET = "secret"
    """Type a secret, or into a password's field."""
    UNKNOWN = "unknown"
    """Nobody can tell what the action touches, or the screen gives the agent orders."""

    @property
    def verb(self) -> str:
        """Return what an action with this effect does, for people."""
        return _VERBS.get(self, str(self))


_VERBS = {
    Effect.SEND: "send something to others",
    Effect.PUBLISH: "publish something",
    Effect.DELETE: "delete something",
    Effect.INSTALL: "install or remove an app",
    Effect.GRANT: "give an app a permission",
    Effect.ACCOUNT: "change an account or a security setting",
    Effect.LEAVE: "leave the apps of the task",
    Effect.SECRET: "type a secret",
}

ANY_APP = "*"
_GRANT = re.compile(r"(?P<effect>[a-z]+)(?::(?P<app>[^:]+)(?::(?P<about>.+))?)?")


@dataclass(frozen=True, slots=True)
class Grant:
    """Allow an effect, in one app or in all, for one recipient, amount or thing or for all."""

    effect: Effect
    app: str = ANY_APP
    about: str = ""
    """What the screen or the typed text must contain, such as a name or an amount; empty for anything."""

    @classmethod
    def parse(cls, text: str) -> Grant:
        """Read ``EFFECT[:APP[:ABOUT]]``, such as ``send:Messages:Anna``. Raises ValueError."""
        match = _GRANT.fullmatch(text.strip())
        if match is None or match["effect"] not in set(Effect):
            raise ValueError(f"{text!r}: write EFFECT:APP:ABOUT, such as send:Messages:Anna, with an effect of {_ALL}")
        return cls(Effect(match["effect"]), (match["app"] or ANY_APP).strip(), (match["about"] or "").strip())


_ALL = ", ".join(Effect)


def _check_grant(text: str) -> str:
    Grant.parse(text)
    return text


GrantText = Annotated[str, AfterValidator(_check_grant)]
"""A grant as people write it: ``EFFECT``, ``EFFECT:APP`` or ``EFFECT:APP:ABOUT``."""


class Signs(PublicInput):
    """Tell by what an effect is recognised. Case and punctuation do not matter. Words are compared as whole words."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    controls: tuple[str, ...] = ()
    """Words on the control that is touched, such as `Pay`."""
    labels: tuple[str, ...] = ()
    """Words that are all that stands on the control, such as `Like`."""
    pages: tuple[str, ...] = ()
    """Words on the page or dialog around a control that only confirms, such as `OK`."""
    icons: tuple[str, ...] = ()
    """Names of icons, such as `send`."""
    packages: tuple[str, ...] = ()
    """Packages in which each touch has the effect, except on a control that declines."""
    links: tuple[str, ...] = ()
    """Beginnings of links, such as `tel:`."""


class Policy(PublicInput):
    """Configure which actions need a person's word (docs/policy.md)."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    phones: Literal["real", "all", "none"] = "real"
    """The phones whose actions are judged; others may do all. Virtual phones are not `real`."""
    ask: tuple[Effect, ...] = tuple(Effect)
    """The effects for which a person is asked, unless a grant allows them."""
    refuse: tuple[Effect, ...] = ()
    """The effects that are refused without a question, also where a grant allows them."""
    signs: dict[Effect, Signs] = Field(default_factory=dict)
    """More signs of effects, by effect. They are added to ours."""


class Verdict(Message):
    """Say whether an action may be sent, and why."""

    id: str = Field(pattern=r"^[0-9a-f]{16}$")
    """The digest of the action. A gateway carries out no action without the verdict of this very action."""
    decision: Literal["allow", "ask", "refuse"]
    effect: Effect | None = None
    """None if no effect was recognised."""
    target: str = ""
    """What the action touches, by its words; data of a screen."""
    reason: str
    by: str = ""
    """The person who allowed it, or the grant; empty if nobody had to."""


class ConsentQuestion(Message):
    """Ask a person whether an action may be sent."""

    verdict: Verdict
    app: str
    """The app in front, by its name, or else by its package."""
    target_digest: str
    """The digest of what the action touches, of the page's title and of the app in front.

    If it changes, the question is put again.
    """
    screen: str
    """The content id of the screenshot that the question is about."""
    about: str = ""
    """The digest of all that was typed in the episode, and of the target: what a shortened reason may leave out."""
    x: float | None = None
    """Where the action touches the screen, as a share of its width; None if it touches nothing."""
    y: float | None = None
    """The same, as a share of its height."""

    @property
    def id(self) -> str:
        """Return the id of the question: what a person sees and allows. An answer for another one allows nothing."""
        contents = "\n".join((*self._subject, self.app, self.screen))
        return hashlib.blake2b(contents.encode(), digest_size=8).hexdigest()

    def asks_same(self, other: ConsentQuestion) -> bool:
        """Return whether another question is about the same action, for the same reason, on the same target."""
        return self._subject == other._subject

    @property
    def _subject(self) -> tuple[str, ...]:
        return (self.verdict.id, self.verdict.reason, self.target_digest, self.about)


def digest_action(action: PhoneAction) -> str:
    """Return the digest of an action: the id of its verdict."""
    return hashlib.blake2b(action.model_dump_json().encode(), digest_size=8).hexdigest()


def allow(action: PhoneAction, reason: str, by: str = "", effect: Effect | None = None, target: str = "") -> Verdict:
    """Return the verdict that an action may be sent."""
    return Verdict(id=digest_action(action), decision="allow", reason=reason, by=by, effect=effect, target=target)
