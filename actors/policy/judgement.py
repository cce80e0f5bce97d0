"""Judge an action before it is sent: by its effects, the grants of people, and the texts of its screen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from manyhands.actors.policy.amounts import find_greatest, is_greatest, read_amount
from manyhands.actors.policy.effects import Touch, dials, find_touched, recognise_effects, recognise_link
from manyhands.actors.policy.letters import fold, normalise
from manyhands.actors.policy.orders import find_orders
from manyhands.protocol.phones import PhoneDescription
from manyhands.protocol.policy import ANY_APP, Effect, Grant, Policy, Verdict, allow, digest_action
from manyhands.protocol.screens.actions import (
    Back,
    Enter,
    Home,
    LongPress,
    OpenApp,
    OpenLink,
    PhoneAction,
    Swipe,
    SwitchApp,
    Tap,
    Type,
)
from manyhands.protocol.screens.screen import Screen
from manyhands.protocol.secrets import secret_names
from manyhands.protocol.tasks.task import TaskSpec

KNOWN = (Tap, LongPress, Swipe, Type, Enter, OpenApp, OpenLink, Back, Home, SwitchApp)
"""The actions of which the policy knows what they touch. Any other one is asked about."""


@dataclass(frozen=True, slots=True)
class PolicyInput:
    """Hold what is known when an action is about to be sent."""

    goal: str
    apps: tuple[str, ...] = ()
    """The apps that the task names; empty if it names none, and then any app will do."""
    grants: tuple[Grant, ...] = ()
    """What people allow: for the run, and for the task."""
    screen: Screen | None = None
    """What the screen shows; None if nobody can tell."""
    package: str = ""
    """The app in front; empty if it is unknown."""
    app_label: str = ""
    typed_texts: tuple[str, ...] = ()
    """What the agent has typed in this episode: part of what would be sent."""

    @property
    def contents(self) -> tuple[str, ...]:
        """Return the texts of the screen."""
        return () if self.screen is None else tuple(one.content for one in self.screen.elements)


def judge(policy: Policy, action: PhoneAction, facts: PolicyInput) -> Verdict:
    """Return whether an action may be sent. The function is pure, and asks nobody.

    What the model says of an action is no input. A text of the screen can make a verdict only stricter.
    """
    if not action.touches:
        return allow(action, "it touches nothing")
    touch = Touch(is_known=False) if facts.screen is None else find_touched(action, facts.screen)
    effects = (*_effects(policy, action, touch, facts), *_left(action, facts))
    refused = next((one for one in effects if one in policy.refuse), None)
    ungranted = next((one for one in effects if one in policy.ask and _granting(one, facts) is None), None)
    effect, target = refused or ungranted, _target(action, touch)
    if effect is not None:
        decision: Literal["refuse", "ask"] = "ask" if refused is None else "refuse"
        reason = _reason(effect, touch, action, facts)
        return Verdict(id=digest_action(action), decision=decision, effect=effect, target=target, reason=reason)
    granted = next((one for one in effects if one in policy.ask), None)
    if granted is not None:
        return allow(action, "a grant allows it", f"allow {granted}", granted, target)
    return allow(action, "no effect is known of it", target=target)


def judge_for_author(policy: Policy, action: PhoneAction, text: str, author: str) -> Verdict:
    """Return whether an action may be sent that a person has written down: what a check opens, a trial of doctor.

    Their word counts as a grant of all that the policy asks about. What it refuses stays refused. ``text``: what they
    wrote.
    """
    verdict = judge(policy.model_copy(update={"ask": ()}), action, PolicyInput(goal=text))
    return allow(action, "a person has asked for it", author) if verdict.decision == "allow" else verdict


def find_refused_reset(policy: Policy, task: TaskSpec) -> str:
    """Return why a phone may not be reset for a task; else an empty text.

    Whoever writes ``reset_seed`` into a task asks for the reset, which deletes what the phone holds. A task's build may
    install, delete and grant. Else a reset only closes apps.
    """
    effects: list[tuple[str, Effect]] = []
    if task.reset_seed is not None:
        effects.append((f"a reset for the task's seed {task.reset_seed}", Effect.DELETE))
    if (build := task.build) is not None:
        effects += [("'install'", Effect.INSTALL)] if build.install else []
        effects += [("'uninstall_after'", Effect.INSTALL)] if build.uninstall_after else []
        effects += [("'clear'", Effect.DELETE)] if build.clear else []
        effects += [("'grant'", Effect.GRANT)] if build.grant else []
    refused = [
        f"{what} may {effect.verb}; the policy refuses that" for what, effect in effects if effect in policy.refuse
    ]
    return refused[0] if refused else ""


def judges_phone(policy: Policy, phone: PhoneDescription | None) -> bool:
    """Return whether a policy judges actions on a phone; a phone that tells nothing of itself counts as a real one."""
    is_stand_in = phone is not None and phone.is_stand_in
    return policy.phones == "all" or (policy.phones == "real" and not is_stand_in)


def _effects(policy: Policy, action: PhoneAction, touch: Touch, facts: PolicyInput) -> tuple[Effect, ...]:
    """Return the effects that an action may have where it is sent; UNKNOWN if nobody can tell."""
    screen = facts.screen
    if not isinstance(action, KNOWN):
        return (Effect.UNKNOWN,)
    if screen is None:
        effects = _blind_effects(policy, action)
    else:
        effects = recognise_effects(action, touch, screen, facts.package, policy.signs)
    if _carries_data(action, facts) and Effect.SEND not in effects:
        effects = (*effects, Effect.SEND)
    if screen is None:
        return effects
    is_dark = (not touch.is_known or isinstance(action, Enter)) and _is_black(action, screen)
    if not effects and (is_dark or _follows_orders(action, touch, screen, facts.goal)):
        return (Effect.UNKNOWN,)
    return effects


def _blind_effects(policy: Policy, action: PhoneAction) -> tuple[Effect, ...]:
    """Return the effects that an action may have on a screen that nobody can read."""
    if isinstance(action, OpenLink):
        return recognise_link(action.link, policy.signs)
    if isinstance(action, Type) and secret_names(action.text):
        return (Effect.SECRET,)
    is_blind = isinstance(action, Tap | LongPress | Swipe | Enter) or _sends_or_dials(action)
    return (Effect.UNKNOWN,) if is_blind else ()


_DATA = re.compile(r"(?:https?://|\b[\w-]+(?:\.[\w-]+)+(?::\d+)?[/?])\S*?[?=]\S+", re.IGNORECASE)
"""An address with data for whoever serves it."""


def _carries_data(action: PhoneAction, facts: PolicyInput) -> bool:
    """Return whether an action opens or types an address with data that the goal does not name, also in two parts."""
    texts: tuple[str, ...] = ()
    if isinstance(action, OpenLink):
        texts = (action.link,)
    elif isinstance(action, Type):
        texts = (action.text, "".join((*facts.typed_texts[-1:], action.text)))
    return any(address not in facts.goal for text in texts for address in _DATA.findall(text))


def _sends_or_dials(action: PhoneAction) -> bool:
    """Return whether a text presses Enter, or is a code that a phone's dialler carries out by itself."""
    return isinstance(action, Type) and (action.text.splitlines() != [action.text] or dials(action.text))


def _is_black(action: PhoneAction, screen: Screen) -> bool:
    """Return whether a touch or Enter is on a page that forbids screenshots, or has drawn nothing."""
    if screen.black is not None and isinstance(action, Enter):
        return not screen.elements
    if screen.black is None or not isinstance(action, Tap | LongPress):
        return False
    box = screen.black
    return box.x1 <= action.x < box.x2 and box.y1 <= action.y < box.y2


def _follows_orders(action: PhoneAction, touch: Touch, screen: Screen, goal: str) -> bool:
    """Return whether a touch may follow an order of the screen: one gives orders, and the goal names no such thing."""
    if isinstance(action, Swipe | Back | Home | SwitchApp) or not find_orders(screen.elements):
        return False
    words = touch.words or touch.icons
    if isinstance(action, Type | OpenApp):
        words = (action.text if isinstance(action, Type) else action.app,)
    wish = f" {normalise(goal)} "
    return not words or not all(text and f" {text} " in wish for text in map(normalise, words))


def _left(action: PhoneAction, facts: PolicyInput) -> tuple[Effect, ...]:
    """Return LEAVE if an action opens an app that the task does not name, or touches one."""
    if not facts.apps:
        return ()
    if isinstance(action, OpenApp):
        return () if _is_among(facts.apps, action.app) else (Effect.LEAVE,)
    if isinstance(action, OpenLink):
        return (Effect.LEAVE,)
    if not facts.package or _is_of_system(facts.package) or not isinstance(action, _TOUCHES):
        return ()
    names = (facts.package, facts.app_label)
    return () if any(name and _is_among(facts.apps, name) for name in names) else (Effect.LEAVE,)


_TOUCHES = (Tap, LongPress, Type, Enter)


def _is_of_system(package: str) -> bool:
    """Return whether a package is a part of Android that every task meets: its home screen, dialogs and keyboards."""
    return package == "android" or any(part in package.lower() for part in _SYSTEM)


_SYSTEM = ("launcher", "systemui", "inputmethod", "permissioncontroller", "packageinstaller", "adbkeyboard", "resolver")


def _is_among(apps: Sequence[str], name: str) -> bool:
    return normalise(name) in {normalise(app) for app in apps}


def _granting(effect: Effect, facts: PolicyInput) -> Grant | None:
    """Return the grant that allows an effect here; None if there is none."""
    for grant in facts.grants:
        fits_app = grant.app == ANY_APP or _is_among((facts.package, facts.app_label), grant.app)
        if grant.effect is effect and fits_app and (not grant.about or _stands(grant, facts)):
            return grant
    return None


_TO = re.compile(r"\s*(?:to|recipients?|收件人|发送给|发给)\s*:\s*\S")
"""A line that names to whom a page sends."""


def _stands(grant: Grant, facts: PolicyInput) -> bool:
    """Return whether the screen shows what a grant is about, or the agent has typed it.

    An amount to pay must be the greatest that is shown. To type it is not enough. Where a page names to whom it sends,
    as in "To: Anna", no other text of the page counts.
    """
    contents = facts.contents
    amount = read_amount(grant.about) if grant.effect is Effect.PAY else None
    if amount is not None:
        return is_greatest(amount, contents)
    about = f" {normalise(grant.about)} "
    to = [text for text in contents if _TO.match(fold(text))] if grant.effect is Effect.SEND else []
    return any(about in f" {normalise(text)} " for text in (*(to or contents), " ".join(facts.typed_texts)))


def _target(action: PhoneAction, touch: Touch) -> str:
    match action:
        case OpenApp(app=app):
            return app
        case OpenLink(link=link):
            return link[:200]
    return touch.name


def _reason(effect: Effect, touch: Touch, action: PhoneAction, facts: PolicyInput) -> str:
    app = facts.app_label or facts.package or "the app in front"
    target = _target(action, touch)
    if effect is Effect.UNKNOWN:
        orders = () if facts.screen is None else find_orders(facts.screen.elements)
        why = f"the screen gives the agent orders: {orders[0][:120]!r}" if orders else "nobody can tell what it touches"
        return f"{action.name} in {app}: {why}"
    if effect is Effect.LEAVE:
        return f"{action.name}: the task names {', '.join(facts.apps)}, and this is {target or app}"
    what = f" {target!r}" if target else ""
    typing = f" (typed last: {facts.typed_texts[-1][:200]!r})" if facts.typed_texts and effect in _OF_TEXTS else ""
    amount = find_greatest(facts.contents) if effect is Effect.PAY else None
    paying = "" if amount is None else f" (the greatest amount shown: {amount})"
    return f"{action.name}{what} in {app} may {effect.verb}{typing}{paying}"


_OF_TEXTS = frozenset({Effect.SEND, Effect.PUBLISH})
