"""Render a profile's templates into prompts (docs/prompts.md). All roles share these parts.

The parts that change least come first, so that servers find them in their caches. A prompt begins with one system text
for all roles and episodes. Then come the texts that stay the same during an episode, then each picture followed by its
elements, then the role's own part. docs/prompts.md compares this order with others, measured on a real engine.

No text in a part can open a section of a prompt or close a fence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import Any

import jinja2

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Prompt
from manyhands.actors.mllm.formats import OutputFormat, action_lines, format_body
from manyhands.actors.mllm.request.actions import write_action
from manyhands.actors.mllm.request.dialects import Dialect, to_model
from manyhands.protocol.base import Reply
from manyhands.protocol.phones import PhoneDescription, describe_time
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles import sections
from manyhands.protocol.roles.memory import Shortcut
from manyhands.protocol.roles.replies import OUR_ACTIONS, ActingReply, ActionSet
from manyhands.protocol.roles.requests import Brief, PastAction, Request
from manyhands.protocol.roles.role import USUAL_REPLIES
from manyhands.protocol.roles.sections import (
    FENCE_CLOSE,
    FENCE_OPEN,
    NONE_YET,
    HistoryLine,
    ListedElement,
    ListedScreen,
    Section,
    fenced_name,
    harmless,
    history_line,
    keyboard_body,
    one_line,
    screen_body,
    short_name,
)
from manyhands.protocol.screens.actions import Action
from manyhands.protocol.screens.element_rows import control_facts, group_elements, grouped_body, is_listed
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element, Keyboard, Screen, Screenshot

Parts = Mapping[str, str | bool | tuple[str, ...] | None]

_KEYBOARD: dict[Keyboard, str] = {
    "shown": "A field has the focus, and Type works.",
    "hidden": "No field has the focus. Tap a field before Type.",
    "unknown": "The phone does not say; look at the picture. Type works only while the keyboard is up.",
}
_UNLISTED = "That it lists nothing does not mean that it is empty."
_FACTS = "Behind a place stands what the phone tells of the control there."


def brief_parts(brief: Brief) -> Parts:
    """Return the parts of the text that begins every prompt of an episode."""
    return {
        "goal": harmless(brief.goal),
        "hints": or_none_yet(brief.hints, "None"),
        "phone": None if brief.phone is None else _phone(brief.phone),
        "tips": _tips(brief.tips),
        "shortcuts": _shortcuts(brief.shortcuts),
        "told": brief.told,
    }


def _screen_parts(
    screen: Screen | None, screenshot: Screenshot, dialect: Dialect, *, paper_exact: bool = False
) -> Parts:
    """Return the parts of the text after a picture, the same for all roles. If ``screen`` is None, list no elements."""
    keyboard = screenshot.keyboard if screen is None else screen.keyboard
    app = app_in_front(screenshot)
    return {
        "screen": None if screen is None else screen_text(screen, dialect, paper_exact=paper_exact, app=app),
        "keyboard": keyboard_body(keyboard, _KEYBOARD[keyboard]),
    }


def or_none_yet(text: str, otherwise: str = NONE_YET) -> str:
    """Return a text as the body of a section, or return ``otherwise`` if the text is empty."""
    return harmless(text.strip()) or otherwise


def or_left_out(text: str | None) -> str | None:
    """Return a text as the body of a section, or None if the section is to be left out."""
    return None if text is None else or_none_yet(text)


def app_in_front(screenshot: Screenshot) -> str:
    """Return the name of the app in front as data, or its package if it has no name; empty if neither is known."""
    name = one_line(screenshot.app_label) or one_line(screenshot.app or "")
    return fenced_name(name) if name else ""


def _phone(phone: PhoneDescription) -> str | None:
    """Return what a phone told of itself in sentences; None if it told nothing."""
    time, apps = one_line(describe_time(phone)), ", ".join(filter(None, map(short_name, phone.apps)))
    listed = f"Installed apps: {FENCE_OPEN}{apps}{FENCE_CLOSE}" if apps else ""
    lines = (f"When the task began, it was {time}." if time else "", listed)
    return "\n".join(filter(None, lines)) or None


def _shortcuts(shortcuts: Sequence[Shortcut]) -> str:
    lines = [
        f"{one.name}({', '.join(map(one_line, one.arguments))}): {one_line(one.description)} "
        f"Precondition: {one_line(one.precondition) or 'none'}"
        for one in shortcuts
    ]
    return "\n".join(lines) or "None"


def _tips(tips: Sequence[str]) -> str:
    return "\n".join(f"{number}. {one_line(tip)}" for number, tip in enumerate(tips, start=1)) or "None"


def history(
    past: Sequence[PastAction],
    dialect: Dialect,
    size: Size,
    shortcuts: Sequence[Shortcut],
    offered: ActionSet,
    *,
    paper_exact: bool,
    whole: bool,
) -> str:
    """Return past actions, one on each line, with coordinates in the model's space.

    Unless ``paper_exact``, a line names what was touched. Unless ``whole``, it leaves out what says nothing: the
    expectation of an action that went as expected, and an empty error.
    """
    lines = [
        HistoryLine(
            step=one.step,
            action=write_action(one.action, dialect, size, shortcuts, offered) if one.action else None,
            expectation=one.expectation,
            touched="" if paper_exact else one.touched,
            outcome=one.outcome,
            error=one.error,
        )
        for one in past
    ]
    return "\n".join(history_line(line, short=not whole) for line in lines)


def screen_text(screen: Screen, dialect: Dialect, *, paper_exact: bool = False, app: str = "") -> str:
    """Return a screen's extent, remarks about it, and its elements.

    Elements have the numbers that they have in ``screen``. Those of the status bar, and icons without a name, are left
    out; with ``paper_exact`` all are listed, without the facts about their controls and without the app in front.
    ``app``: the name of the app in front, if it is known.
    """
    extent = dialect.extent(screen.size)
    listed = [
        (_listed(number, element, screen.size, dialect, () if paper_exact else control_facts(element)), element)
        for number, element in enumerate(screen.elements, start=1)
        if paper_exact or is_listed(element, screen.size)
    ]
    whole = ListedScreen(
        width=extent.width,
        height=extent.height,
        elements=tuple(one for one, _ in listed),
        remarks=tuple(_remarks(screen, dialect)),
    )
    if paper_exact:
        return screen_body(whole)
    app_remarks = (f"The app in front is {app}.",) if app else ()
    of_controls = (_FACTS,) if any(one.facts for one, _ in listed) else ()
    whole = whole.model_copy(update={"remarks": (*app_remarks, *whole.remarks, *of_controls)})
    return grouped_body(whole, group_elements(listed))


def _listed(number: int, element: Element, size: Size, dialect: Dialect, facts: tuple[str, ...]) -> ListedElement:
    x, y = to_model(dialect, *element.centre, size)
    return ListedElement(number=number, kind=element.kind, x=x, y=y, content=element.content, facts=facts)


def _remarks(screen: Screen, dialect: Dialect) -> Iterator[str]:
    """Yield remarks about what the elements do not show, one sentence each."""
    if screen.black is not None:
        is_told = any(element.source == "accessibility" for element in screen.elements)
        yield (
            "The page is black in the picture: it forbids screenshots, has not been drawn yet, or the display is off. "
            + ("The phone itself tells what is on it." if is_told else _UNLISTED)
        )
    if screen.dialog is not None:
        box = screen.dialog
        x1, y1 = to_model(dialect, box.x1, box.y1, screen.size)
        x2, y2 = to_model(dialect, box.x2 - 1, box.y2 - 1, screen.size)
        yield f"A dialog seems to lie over the page, from ({x1}, {y1}) to ({x2}, {y2}); what is beside it is dimmed."


class Prompts:
    """Hold the prompts of one profile, for models of one dialect and one output format."""

    def __init__(
        self,
        dialect: Dialect,
        output: OutputFormat = "json",
        package: str = "manyhands.actors.profiles.e",
        replies: Sequence[type[Reply]] = USUAL_REPLIES,
        *,
        paper_exact: bool = False,
        shows_pictures: bool = True,
    ) -> None:
        """Load the templates.

        ``package``: the profile's package, with templates in its folder ``prompts``. Templates of roles that are the
        same in all profiles are in the folder ``shared`` of this package. ``replies``: the types of the replies that
        the profile's roles write. ``paper_exact``: whether templates in the folder ``prompts/paper_exact`` of the
        package come before those of the same name. ``shows_pictures``: whether roles see pictures.
        """
        self.dialect = dialect
        self.output: OutputFormat = output
        self._package = package
        self._replies = replies
        self.paper_exact = paper_exact
        self.shows_pictures = shows_pictures
        self._systems: dict[Size, str] = {}

    def of_step(self, request: Request[Any], *parts: str | ModelImage, own: Parts) -> Prompt:
        """Return the prompt of a step's role: the brief, its ``parts``, then the text of the role's template."""
        first = self.text("brief", brief_parts(request.brief))
        system = self.system(request.reply_context.size)
        own = {**own, "shortcuts": "shortcuts" in request.brief.told, "circling": request.circling}
        return Prompt(system=system, content=(first, *parts, self.text(request.role.value, own)))

    def of_text(self, request: Request[Any], own: Parts) -> Prompt:
        """Return the prompt of a role that sees no screen: the brief of the task, then the role's own part.

        The prompt shares nothing with the prompts of a step.
        """
        return Prompt("", (self.text("brief", brief_parts(request.brief)), self.text(request.role.value, own)))

    def format(self, reply: type[Reply], size: Size) -> str:
        """Return how to write a reply that the system text does not explain, for screenshots of one size."""
        return format_body(reply, self.output, self.dialect.extent(size))

    @property
    def action_list(self) -> str:
        """Return descriptions of the actions of shortcuts, one on each line: no later screen has the same elements."""
        return action_lines(self.actions if self.paper_exact else self.actions.less(("Tap_Element",)))

    def listed(self, screen: Screen | None, screenshot: Screenshot) -> str:
        """Return the text after a picture: its elements, if they are listed, and the state of the keyboard."""
        return self.text("screen", _screen_parts(screen, screenshot, self.dialect, paper_exact=self.paper_exact))

    def screen_text(self, screen: Screen, screenshot: Screenshot) -> str:
        """Return a screen's extent, remarks about it, and its elements. ``screenshot`` tells the app in front."""
        app = app_in_front(screenshot)
        return screen_text(screen, self.dialect, paper_exact=self.paper_exact, app=app)

    def app_in_front(self, screenshot: Screenshot) -> str:
        """Return the app in front as ``parts`` does; empty with ``paper_exact``."""
        return "" if self.paper_exact else app_in_front(screenshot)

    def history(
        self, past: Sequence[PastAction], size: Size, shortcuts: Sequence[Shortcut], whole: bool = False
    ) -> str:
        """Return past actions, one on each line. ``size``: the size of the screens that they were sent on.

        ``whole``: with what was expected also of actions that went as expected, as always with ``paper_exact``.
        """
        exact = self.paper_exact
        return history(past, self.dialect, size, shortcuts, self.actions, paper_exact=exact, whole=whole or exact)

    def action(self, action: Action, size: Size, shortcuts: Sequence[Shortcut] = ()) -> dict[str, Any]:
        """Return the JSON object by which the operator would write an action, for screenshots of one size."""
        return write_action(action, self.dialect, size, shortcuts, self.actions)

    def text(self, name: str, parts: Parts) -> str:
        """Return a template with its parts filled in."""
        return self._environment.get_template(f"{name}.jinja").render(parts).strip()

    def system(self, screenshot: Size) -> str:
        """Return the system text, the same for all roles and episodes, for screenshots of one size."""
        extent = self.dialect.extent(screenshot)
        if extent not in self._systems:
            writers = {reply: registered_profiles().writer_of(reply) for reply in self._replies}
            formats = {role.spec.agent: format_body(reply, self.output, extent) for reply, role in writers.items()}
            template = self._environment.get_template("system.jinja")
            self._systems[extent] = template.render(
                coordinates=self.dialect.explanation,
                actions=action_lines(self.actions),
                formats=formats,
                shortcuts=self.actions.shortcuts,
                shows_pictures=self.shows_pictures,
            ).strip()
        return self._systems[extent]

    @cached_property
    def actions(self) -> ActionSet:
        """Return the actions that the profile's operator may choose."""
        return next((reply.actions for reply in self._replies if issubclass(reply, ActingReply)), OUR_ACTIONS)

    @cached_property
    def _environment(self) -> jinja2.Environment:
        environment = jinja2.Environment(
            loader=jinja2.ChoiceLoader(
                [
                    *(self._paper_templates() if self.paper_exact else ()),
                    jinja2.PackageLoader(self._package, package_path="prompts"),
                    jinja2.PackageLoader("manyhands.actors.prompts", package_path="shared"),
                ]
            ),
            undefined=jinja2.StrictUndefined,
            autoescape=False,
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.globals.update(
            heading={section.name: sections.heading(section) for section in Section},
            stuck_name=Section.STUCK.value,
            answer_name=Section.ANSWER.value,
            screen_name=Section.SCREEN.value,
            statement_name=Section.STATEMENT.value,
            FENCE_OPEN=sections.FENCE_OPEN,
            FENCE_CLOSE=sections.FENCE_CLOSE,
        )
        return environment

    def _paper_templates(self) -> tuple[jinja2.BaseLoader, ...]:
        """Return the loader of the profile's templates for ``paper_exact``, if it has any."""
        folder = "prompts/paper_exact"
        return (jinja2.PackageLoader(self._package, folder),) if files(self._package).joinpath(folder).is_dir() else ()
