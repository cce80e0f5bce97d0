"""Judge an action before it is sent: by its effects, the grants of people, and the texts of its screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manyhands.actors.policy.amounts import is_greatest, read_amount
from manyhands.actors.policy.effects import Touch, find_touched, recognise_effects
from manyhands.actors.policy.letters import normalise
from manyhands.actors.policy.orders import find_orders
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


@dataclass(frozen=True, slots=True)
class Situation:
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
    typed: tuple[str, ...] = ()
    """What the agent has typed in this episode: part of what would be sent."""


def judge(policy: Policy, action: PhoneAction, situation: Situation) -> Verdict:
    """Return whether an action may be sent. The function is pure, and asks nobody.

    What the model says of an action is no input. A text of the screen can make a verdict only stricter.
    """
    screen = situation.screen
    if not action.touches:
        return allow(action, "it touches nothing")
    if screen is None:
        touch, effects = Touch(is_known=False), _without_screen(action)
    else:
        touch = find_touched(action, screen)
        effects = recognise_effects(action, touch, screen, situation.package, policy.signs)
        if not effects and not touch.is_known and _is_black(action, screen):
            effects = (Effect.UNKNOWN,)
        if not effects and _follows_orders(action, touch, screen, situation.goal):
            effects = (Effect.UNKNOWN,)
    effects = (*effects, *_left(action, situation))
    for decision, which in (("refuse", policy.refuse), ("ask", policy.ask)):
        for effect in effects:
            grant = None if decision == "refuse" else _granting(effect, situation)
            if effect in which and grant is None:
                return Verdict(
                    id=digest_action(action),
                    decision="refuse" if decision == "refuse" else "ask",
                    effect=effect,
                    target=_target(action, touch),
                    reason=_reason(effect, touch, action, situation),
                )
    granted = [effect for effect in effects if effect in policy.ask]
    if granted:
        return allow(action, "a grant allows it", f"allow {granted[0]}", granted[0], _target(action, touch))
    return allow(action, "no effect is known of it", target=_target(action, touch))


def _without_screen(action: PhoneAction) -> tuple[Effect, ...]:
    """Return UNKNOWN for a touch of a screen that nobody can read."""
    return (Effect.UNKNOWN,) if isinstance(action, Tap | LongPress | Swipe) else ()


def _is_black(action: PhoneAction, screen: Screen) -> bool:
    """Return whether a touch is on a page that forbids screenshots, or has drawn nothing."""
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
    asked = f" {normalise(goal)} "
    return not words or not all(text and f" {text} " in asked for text in map(normalise, words))


def _left(action: PhoneAction, situation: Situation) -> tuple[Effect, ...]:
    """Return LEAVE if an action opens an app that the task does not name, or touches one."""
    if not situation.apps:
        return ()
    if isinstance(action, OpenApp):
        return () if _names(situation.apps, action.app) else (Effect.LEAVE,)
    if isinstance(action, OpenLink):
        return (Effect.LEAVE,)
    if not situation.package or _is_of_system(situation.package) or not isinstance(action, _TOUCHES):
        return ()
    known = (situation.package, situation.app_label)
    return () if any(name and _names(situation.apps, name) for name in known) else (Effect.LEAVE,)


_TOUCHES = (Tap, LongPress, Type, Enter)


def _is_of_system(package: str) -> bool:
    """Return whether a package is a part of Android that every task meets: its home screen, dialogs and keyboards."""
    return package == "android" or any(part in package.lower() for part in _SYSTEM)


_SYSTEM = ("launcher", "systemui", "inputmethod", "permissioncontroller", "packageinstaller", "adbkeyboard", "resolver")


def _names(apps: Sequence[str], name: str) -> bool:
    return normalise(name) in {normalise(app) for app in apps}


def _granting(effect: Effect, situation: Situation) -> Grant | None:
    """Return the grant that allows an effect here; None if there is none."""
    for grant in situation.grants:
        fits_app = grant.app == ANY_APP or _names((situation.package, situation.app_label), grant.app)
        if grant.effect is effect and fits_app and (not grant.about or _stands(grant, situation)):
            return grant
    return None


def _stands(grant: Grant, situation: Situation) -> bool:
    """Return whether the screen shows what a grant is about, or the agent has typed it.

    An amount to pay must be the greatest that is shown. To type it is not enough.
    """
    shown = [] if situation.screen is None else [one.content for one in situation.screen.elements]
    amount = read_amount(grant.about) if grant.effect is Effect.PAY else None
    if amount is not None:
        return is_greatest(amount, shown)
    about = f" {normalise(grant.about)} "
    return any(about in f" {normalise(text)} " for text in (*shown, " ".join(situation.typed)))


def _target(action: PhoneAction, touch: Touch) -> str:
    match action:
        case OpenApp(app=app):
            return app
        case OpenLink(link=link):
            return link[:200]
    return touch.name


def _reason(effect: Effect, touch: Touch, action: PhoneAction, situation: Situation) -> str:
    app = situation.app_label or situation.package or "the app in front"
    target = _target(action, touch)
    if effect is Effect.UNKNOWN:
        orders = () if situation.screen is None else find_orders(situation.screen.elements)
        why = f"the screen gives the agent orders: {orders[0][:120]!r}" if orders else "nobody can tell what it touches"
        return f"{action.name} in {app}: {why}"
    if effect is Effect.LEAVE:
        return f"{action.name}: the task names {', '.join(situation.apps)}, and this is {target or app}"
    what = f" {target!r}" if target else ""
    typed = f" (typed last: {situation.typed[-1][:200]!r})" if situation.typed and effect in _OF_TEXTS else ""
    return f"{action.name}{what} in {app} may {effect.verb}{typed}"


_OF_TEXTS = frozenset({Effect.SEND, Effect.PUBLISH})
