"""Build the steps of a flow from steps of an episode: describe the actions, leave out the detours."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest

from manyhands.actors.profiles.flow.targets import describe_target, is_touchable, match_target, plain
from manyhands.actors.touch_target import find_nearest
from manyhands.deploy.policy_check import judge_records
from manyhands.evaluation.episode_view import StepView, view_episode
from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import ActionSent
from manyhands.protocol.policy import Effect, Policy
from manyhands.protocol.screens.actions import (
    Answer,
    AtomicAction,
    Back,
    LongPress,
    OpenApp,
    RunShortcut,
    Stop,
    Swipe,
    Tap,
    Type,
    Wait,
    points_of,
)
from manyhands.protocol.screens.screen import Element, Screen, Screenshot
from manyhands.protocol.tasks.flow import MOST_SHOWN, FlowAction, FlowStep, Signpost, direction_of

SHOWN = 4
"""The most texts of a signpost that a draft notes."""
LONGEST_SHOWN = 40
"""The most characters of such a text."""
FILLS = 0.5
"""The share of the screen from which on a text belongs to the whole page."""
LASTING = frozenset({Effect.PAY, Effect.SEND, Effect.PUBLISH, Effect.DELETE, Effect.INSTALL, Effect.CALL})
"""Effects that cannot be undone."""
IDLE = (Wait, Answer, Stop)
"""Actions that leave the phone as it is."""
LONGEST_READ = 500
"""The most characters of a text that told what to type."""
_STATUS_BAR = 0.05
"""The share of a screen's height at its top whose texts change by themselves."""
_FIGURE = re.compile(r"\d[\d.,:/-]*\d|\d")


def _lasting_effects(episode: RecordedEpisode) -> Mapping[tuple[int, str], Effect]:
    """Return the effects that the policy of real phones sees, by the step and the name of the action."""
    judged = {one.key: one.verdict.effect for one in judge_records(episode.records, (), Policy(), judges_later=True)}
    sent = [record for record in episode.records if isinstance(record, ActionSent)]
    effects = [(record, judged.get(record.key)) for record in sent]
    return {(record.step, record.action.name): effect for record, effect in effects if effect in LASTING}


class StepBuilder:
    """Build the steps of a flow from one episode."""

    def __init__(self, episode: RecordedEpisode, values: Mapping[str, str]) -> None:
        """Begin. ``values``: what another run may change; texts that they or the goal hold were read on no screen."""
        self.page = view_episode(episode)
        self.warnings: list[str] = []
        self._known = plain(" ".join((episode.started.task.goal, *values.values())))
        self._effects = _lasting_effects(episode)

    def versions(self, apps: Collection[str]) -> dict[str, str]:
        """Return the version codes of those of ``apps`` that the episode showed, by package."""
        shots = [step.screenshot for step in self.page.steps if step.screenshot is not None]
        return {shot.app: shot.app_version for shot in shots if shot.app and shot.app in apps and shot.app_version}

    def steps(self, views: Sequence[StepView], *, has_all: bool = False) -> Iterator[FlowStep]:
        """Yield the steps that views of the episode come to. Swipes before a target become a search for it.

        ``has_all``: whether actions that changed nothing on the screen are steps, too. Raises BadInput.
        """
        scrolled: list[FlowStep] = []
        typed = ""
        for view in _without_detours(views, has_all):
            for index, atom in enumerate(view.atoms):
                if isinstance(atom, IDLE):
                    continue
                step = self._step(view, atom, typed, is_first=index == 0)
                typed = atom.text if isinstance(atom, Type) else ""
                if isinstance(atom, Swipe):
                    scrolled.append(step)
                elif scrolled and step.action.target is not None:
                    yield step.model_copy(update={"search": scrolled[-1].action.direction})
                    scrolled = []
                else:
                    yield from scrolled
                    yield step
                    scrolled = []
        yield from scrolled

    def end(self) -> Signpost:
        """Return the signpost of the last screen."""
        last = self.page.steps[-1]
        return Signpost() if last.screenshot is None else signpost(last.screenshot, last.screen, None)

    def _step(self, view: StepView, atom: AtomicAction, typed: str, *, is_first: bool) -> FlowStep:
        where = f"step {view.number + 1} of the episode"
        if view.screenshot is None:
            raise BadInput(f"{where}: its screen was lost; make the flow from another episode")
        element = self._touched(view, atom, where, is_first=is_first) if points_of(atom) else None
        action = self._action(view, atom, element, where)
        before = Signpost()
        if not isinstance(atom, OpenApp):
            before = self._before(view, element, typed, is_first=is_first)
        if isinstance(atom, Type):
            before = before.model_copy(update={"keyboard": True})
        effect = self._effects.get((view.number, atom.name))
        reads = self._reads(view, atom.text) if isinstance(atom, Type) else ()
        return FlowStep(before=before, action=action, reads=reads, effects=() if effect is None else (effect,))

    def _before(self, view: StepView, touched: Element | None, typed: str, *, is_first: bool) -> Signpost:
        """Return the signpost of an action. It begins with what was typed right before, if its screen shows that.

        Nobody recorded the screens between the actions of one step: what is shown before and after them stays.
        """
        assert view.screenshot is not None, "a step without a screen is refused before"
        later = (step for step in self.page.steps if step.number == view.number + 1)
        seen = view if is_first else next(later, StepView(view.number + 1))
        shown = _texts(seen.screen)
        before = signpost(view.screenshot, view.screen, touched, among=shown)
        if seen.screenshot is None or seen.screenshot.app != view.screenshot.app:
            before = before.model_copy(update={"app": ""})
        if not 0 < len(typed) <= LONGEST_READ or plain(typed) not in shown:
            return before
        others = [text for text in before.shows if plain(text) != plain(typed)]
        return before.model_copy(update={"shows": (typed, *others)[:SHOWN]})

    def _reads(self, view: StepView, typed: str) -> tuple[str, ...]:
        """Return the texts of earlier screens that told what is typed, where the goal does not.

        That is one that holds all of it, or else one for each figure.
        """
        earlier = [step for step in self.page.steps if step.number < view.number]
        shown = [text for step in reversed(earlier) for text in _page_texts(step)]
        if plain(typed) in self._known:
            return ()
        whole = next((text for text in shown if plain(typed) in plain(text)), None)
        if whole is not None:
            return (whole,)
        figures = [one for one in dict.fromkeys(_FIGURE.findall(typed)) if one not in _FIGURE.findall(self._known)]
        sources = (next((text for text in shown if one in _FIGURE.findall(text)), None) for one in figures)
        return tuple(dict.fromkeys(text for text in sources if text is not None))[:MOST_SHOWN]

    def _touched(self, view: StepView, atom: AtomicAction, where: str, *, is_first: bool) -> Element | None:
        """Return what a tap touches; None for a swipe."""
        if isinstance(atom, Swipe):
            return None
        if view.screen is None:
            raise BadInput(f"{where}: nobody read its screen; run the task with --elements accessibility")
        action = None if view.decision is None else view.decision.action
        if isinstance(action, RunShortcut) and not is_first:
            raise BadInput(f"{where}: a shortcut touched a later screen; run the task with --without shortcuts")
        (x, y), *_ = points_of(atom)
        named = [one for one in view.screen.elements if one.content or one.control is not None]
        named = [one for one in named if is_touchable(one, view.screen)]
        element = find_nearest(x, y, named, view.screen.size)
        if element is None:
            raise BadInput(f"{where}: nobody can tell what it touches at ({x}, {y})")
        return element

    def _action(self, view: StepView, atom: AtomicAction, element: Element | None, where: str) -> FlowAction:
        match atom:
            case Tap() | LongPress():
                assert element is not None
                assert view.screen is not None
                target = describe_target(element, view.screen)
                problem = match_target(target, view.screen).problem
                if problem:
                    self.warnings.append(f"{where}: {problem}, so an agent must do this step")
                return FlowAction(name=atom.name, target=target, **({"ms": atom.ms} if atom.name != "Tap" else {}))
            case Swipe():
                return FlowAction(name="Swipe", direction=direction_of(atom))
            case Type():
                return FlowAction(name="Type", text=atom.text, clear=atom.clear)
            case OpenApp():
                return FlowAction(name="Open_App", app=atom.app)
        return FlowAction.model_validate({"name": atom.name})


def _without_detours(steps: Sequence[StepView], has_all: bool) -> Iterator[StepView]:
    """Yield the steps that led on: not those that went astray and came back.

    ``has_all``: whether those that changed nothing on the screen are among them.
    """
    acting = [step for step in steps if step.atoms and (step.problem is None or step.person)]
    skipped = False
    for step, following in zip_longest(acting, acting[1:]):
        outcome = Outcome.A if step.reflection is None else step.reflection.outcome
        goes_back = following is not None and all(isinstance(atom, Back) for atom in following.atoms)
        if skipped:
            skipped = False
        elif (outcome is Outcome.C and not has_all) or step.restored is not None:
            continue
        elif outcome is Outcome.B and goes_back:
            skipped = True
        else:
            yield step


def _texts(screen: Screen | None) -> frozenset[str]:
    """Return the texts of a screen as they are compared."""
    return frozenset(plain(element.content) for element in ([] if screen is None else screen.elements))


def _page_texts(view: StepView) -> Iterator[str]:
    """Yield the texts of a step's screen below its status bar that a flow can hold."""
    if view.screenshot is None or view.screen is None:
        return
    top = _STATUS_BAR * view.screenshot.size.height
    for element in view.screen.elements:
        if element.kind == "text" and 0 < len(element.content) <= LONGEST_READ and element.box.y2 > top:
            yield element.content


def signpost(
    screenshot: Screenshot, screen: Screen | None, touched: Element | None, among: frozenset[str] | None = None
) -> Signpost:
    """Return what tells a screen: the app, and texts that stay. Texts with digits tell times, counts and prices.

    ``among``: the texts that count, as they are compared; None for all.
    The text of what fills the screen, such as the title of a web page, comes first.
    """
    shown: list[str] = []
    most = FILLS * screenshot.size.width * screenshot.size.height
    for element in () if screen is None else sorted(screen.elements, key=lambda one: one.box.area < most):
        text = element.content
        is_plain = element.kind == "text" and 2 <= len(text) <= LONGEST_SHOWN and not any(map(str.isdigit, text))
        is_new = plain(text) not in map(plain, shown) and (touched is None or plain(text) != plain(touched.content))
        is_new = is_new and (among is None or plain(text) in among)
        if is_plain and is_new and element.box.y2 > _STATUS_BAR * screenshot.size.height:
            shown.append(text)
    return Signpost(app=screenshot.app or "", shows=tuple(shown[:SHOWN]))
