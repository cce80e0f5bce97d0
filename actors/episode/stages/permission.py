"""Judge an atom before it is sent, and ask a person where the policy wants one (docs/policy.md).

The question is on disk before an answer counts, and the answer before the atom is sent. An answer holds for what was
shown: if that has changed meanwhile, the person is asked again.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from manyhands.actors.episode.profile import CAPTURE
from manyhands.actors.episode.recent_pictures import CapturedScreen
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.perceive import PERCEIVE_STAGE, capture_now
from manyhands.actors.episode.stages.person_question import put_question
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.frames import Frame
from manyhands.actors.interfaces import Ref
from manyhands.actors.perception.view_tree import complete
from manyhands.actors.policy.effects import find_touched, only_confirms
from manyhands.actors.policy.judgement import PolicyInput, judge, judges_phone
from manyhands.actors.redaction.redacted_texts import STRUCK
from manyhands.protocol.errors import CallError, CaptureFailed, NotPermitted, PerceptionError, StateUnavailable
from manyhands.protocol.journals.records import ActionJudged
from manyhands.protocol.messages import CallContext
from manyhands.protocol.policy import ConsentQuestion, Grant, Verdict, allow
from manyhands.protocol.screens.actions import AtomicAction, Enter, LongPress, OpenApp, Swipe, Tap, Type
from manyhands.protocol.screens.screen import Screen, Screenshot
from manyhands.protocol.secrets import placeholder, secret_names
from manyhands.protocol.tasks.state_tests import PHONE

MOST_QUESTIONS = 3
"""How often a person is asked about one atom whose target keeps changing."""
FRONT = f"{PHONE}state/app"
"""The address at which a phone tells the app in front."""
STRICTNESS = ("allow", "ask", "refuse")
"""The decisions of verdicts, the strictest last."""
TITLE = (0.03, 0.16)
"""Where a page's title and the recipient of a message stand, as shares of the screen's height: below the clock."""
REGION = 0.12
"""Half the side of the region around a touch that must stay the same, as a share of the screen's width."""


@dataclass(frozen=True, slots=True)
class _Look:
    """Hold the screen that an atom would touch: its picture, and what it shows; None if nobody can read it."""

    screenshot: Screenshot
    frame: Ref[Frame] | None
    screen: Screen | None
    by_pixels: Screen | None = None
    """What pixels alone show, where views tell something else of the window below: the stricter verdict counts."""


async def require_verdict(context: StageContext, atom: AtomicAction, latest: CapturedScreen | None) -> Verdict:
    """Return the verdict that allows an atom; ask a person if the policy wants one.

    ``latest``: the screen since the step's screenshot; None if nothing was sent since. Raises NotPermitted, PhoneLost,
    LeaseLost, CallError, StoreError, and CancelledError once a person takes the episode over.
    """
    runtime = context.runtime
    if unnamed := find_unnamed_secrets(context.state, atom):
        raise NotPermitted(unnamed)
    if runtime.collaborators.redactions is not None and isinstance(atom, Type) and STRUCK in atom.text:
        raise NotPermitted("an interruption has lost the text, because the run does not store it; decide anew")
    policy = runtime.settings.policy
    if not judges_phone(policy, context.state.phone):
        return allow(atom, "the policy judges no actions on this phone")
    grants = tuple(map(Grant.parse, runtime.settings.allow))
    granted: tuple[ConsentQuestion, str] | None = None
    """What a person has allowed, on an earlier look, and who."""
    for count in range(MOST_QUESTIONS + 1):
        look = await _look(context, atom, latest)
        screens = (look.screen,) if look.by_pixels is None else (look.screen, look.by_pixels)
        facts = [describe_input(context.state, grants, look.screenshot, screen) for screen in screens]
        verdict = max((judge(policy, atom, one) for one in facts), key=lambda one: STRICTNESS.index(one.decision))
        if verdict.decision == "allow":
            await _require_same_app(context, atom, look.screenshot)
            return verdict
        if verdict.decision == "refuse":
            await runtime.journal.write(ActionJudged(at=runtime.clock.now(), step=context.step, verdict=verdict))
            raise NotPermitted(f"{verdict.reason}; the policy refuses that")
        question = ConsentQuestion(
            verdict=verdict,
            app=look.screenshot.app_label or look.screenshot.app or "",
            target_digest=await _digest(context, atom, look),
            about=hashlib.blake2b(
                "\n".join((verdict.target, *facts[0].typed_texts)).encode(), digest_size=8
            ).hexdigest(),
            screen=look.screenshot.content_id,
            **_place(atom, look.screenshot),
        )
        if granted is not None and granted[0].asks_same(question):
            return allow(atom, "a person allows it", granted[1], verdict.effect, verdict.target)
        if count < MOST_QUESTIONS:
            granted = question, await _ask(context, question)
            latest = await capture_now(StageContext(runtime, CAPTURE, context.step))
    raise NotPermitted(f"{verdict.reason}; what it touches changed {MOST_QUESTIONS} times while a person was asked")


def find_unnamed_secrets(state: EpisodeState, atom: AtomicAction) -> str:
    """Return why an atom may not be sent that types a secret which the task does not name; else an empty text."""
    assert state.started is not None, "no action precedes the start of its episode"
    unnamed = secret_names(atom.text) - state.started.task.secrets if isinstance(atom, Type) else ()
    names = ", ".join(map(placeholder, sorted(unnamed)))
    return names and f"the task names no {names}: a secret is typed only if the task's goal or hints name it"


def describe_input(
    state: EpisodeState, grants: tuple[Grant, ...], screenshot: Screenshot | None, screen: Screen | None
) -> PolicyInput:
    """Return what is known of an episode when an action is about to be sent. ``grants``: those beside the task's."""
    assert state.started is not None, "no action precedes the start of its episode"
    task, actions = state.started.task, (record.action for at in state.steps.values() for record in at.sent)
    return PolicyInput(
        goal=task.goal,
        apps=task.apps,
        grants=(*grants, *map(Grant.parse, task.allow)),
        screen=screen,
        package="" if screenshot is None else screenshot.app or "",
        app_label="" if screenshot is None else screenshot.app_label,
        typed_texts=tuple(action.text for action in actions if isinstance(action, Type)),
    )


async def _look(context: StageContext, atom: AtomicAction, latest: CapturedScreen | None) -> _Look:
    """Return what the atom would touch. Views are asked if pixels do not tell: of a field, or of what has no text.

    So they are of what only confirms: another window may cover what it confirms.
    """
    runtime, at = context.runtime, context.state.step(context.step)
    if latest is None:
        assert at.screenshot is not None, "an atom is decided on a screen"
        frame = runtime.picture(context.step).frame if runtime.pictures.holds(context.step) else None
        screenshot, screen = at.screenshot, at.screen
    else:
        screenshot, frame, screen = latest.screenshot, latest.picture.frame, None
    if not isinstance(atom, Tap | LongPress | Swipe | Type | Enter | OpenApp):
        return _Look(screenshot, frame, screen)  # nothing that is shown matters
    asking = StageContext(runtime, PERCEIVE_STAGE.name, context.step)
    if screen is None and frame is not None:
        try:
            perception, pixels = runtime.collaborators.perception, frame
            screen = (await asking.call(lambda call: perception.perceive(screenshot, pixels, call))).value
        except (PerceptionError, CallError):
            screen = None  # the views may tell
    touch = None if screen is None else find_touched(atom, screen)
    by_pixels = screen if touch is not None and touch.is_known and only_confirms(touch) else None
    if touch is None or not touch.is_known or by_pixels is not None or isinstance(atom, Type | Enter):

        async def read(call: CallContext) -> Screen | None:
            views = await runtime.views.read(runtime.lease, screenshot, call)
            if views.tree is None:
                return screen
            elements = () if screen is None else screen.elements
            return Screen(
                content_id=screenshot.content_id,
                size=screenshot.size,
                elements=complete(views.tree, elements),
                keyboard=screenshot.keyboard,
            )

        screen = (await asking.call(read)).value
    return _Look(screenshot, frame, screen, by_pixels)


def _digest_of(*texts: str) -> str:
    return hashlib.blake2b("\n".join(texts).encode(), digest_size=8).hexdigest()


def _point(atom: AtomicAction) -> tuple[int, int] | None:
    """Return where an atom first touches the screen, in pixels; None if it touches nothing there."""
    match atom:
        case Tap() | LongPress():
            return (atom.x, atom.y)
        case Swipe():
            return (atom.x1, atom.y1)
    return None


def _place(atom: AtomicAction, screenshot: Screenshot) -> Mapping[str, float]:
    """Return where an atom touches the screen, for a question."""
    point = _point(atom)
    return {} if point is None else {"x": point[0] / screenshot.size.width, "y": point[1] / screenshot.size.height}


async def _require_same_app(context: StageContext, atom: AtomicAction, screenshot: Screenshot) -> None:
    """Raise NotPermitted if another app has come to the front since the screenshot: the touch would be for that one.

    An app that swaps places between the look and the touch gets all taps of agents that do not look again. Only what
    the phone told with the screenshot can be compared.
    """
    if not screenshot.app or not isinstance(atom, Tap | LongPress | Swipe | Type | Enter):
        return
    runtime = context.runtime
    try:
        state = await context.call(lambda call: runtime.collaborators.gateway.state(runtime.lease, FRONT, call))
        front = state.value["app"]["front"]
    except (StateUnavailable, KeyError, TypeError) as error:
        raise NotPermitted(f"nobody can tell which app is in front now: {error!r}") from error
    if front != screenshot.app:
        raise NotPermitted(f"{front or 'another window'} has come to the front since the screen was looked at")


async def _ask(context: StageContext, question: ConsentQuestion) -> str:
    """Return who allows it. Raises NotPermitted if a person declines or nobody answers in time."""
    reason = question.verdict.reason
    answer = await put_question(context, f"{reason}. Allow it?", question)
    if answer is None:
        await context.runtime.control.pass_gate()  # a person takes the episode over: the action is dropped
        raise NotPermitted(f"{reason}; a person took the phone instead of allowing it")
    if answer.allows and answer.by:
        return answer.by
    who = f"{answer.by} has declined" if answer.by else "no person has allowed it in time"
    raise NotPermitted(f"{reason}; {who}. Do not try it in another way")


async def _digest(context: StageContext, atom: AtomicAction, look: _Look) -> str:
    """Return the digest of what an atom touches, of the page's title and of the app in front."""
    size = look.screenshot.size
    digest = hashlib.blake2b(f"{look.screenshot.app}\n{size}".encode(), digest_size=16)
    if look.screen is not None:
        top, bottom = (share * size.height for share in TITLE)
        titles = [one.content for one in look.screen.elements if top <= one.box.centre[1] < bottom]
        digest.update("\n".join(sorted(titles)).encode())
    if look.screenshot.is_black and look.screen is not None:
        digest.update(find_touched(atom, look.screen).name.encode())
    if (point := _point(atom)) is not None and look.frame is not None:
        x, y = point
        pixels, half = look.frame, int(REGION * look.screenshot.size.width)
        frame: Frame = (await context.call(lambda _: context.runtime.collaborators.value_of(pixels))).value
        try:
            rgb = await asyncio.to_thread(frame.rgb)
        except CaptureFailed:
            return digest.hexdigest()
        digest.update(rgb[max(0, y - half) : y + half, max(0, x - half) : x + half].tobytes())
    return digest.hexdigest()
