"""Convert actions between a model's coordinates and pixels, and describe Qwen's phone tool to models that call it.

Two tools of our own stand beside Qwen's, for actions that it lacks.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

from manyhands.actors.memory.shortcuts import ShortcutAction, coordinate_arguments, expand_shortcut
from manyhands.actors.mllm.request.dialects import Dialect, OutsideScreen, to_model, to_pixel
from manyhands.actors.mllm.vocabulary import (
    BUTTONS,
    RUN_SHORTCUT,
    TOOL,
    added_arguments,
    tool_arguments,
    tool_words,
)
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.roles.field_description import ReplyField, describe_fields
from manyhands.protocol.roles.memory import Shortcut
from manyhands.protocol.roles.replies import (
    OUR_ACTIONS,
    ActingReply,
    ActionReply,
    ActionSet,
    AtomicActionReply,
    ScrollReply,
    ShortcutReply,
    TapElementReply,
)
from manyhands.protocol.screens.actions import ACTION, WRITTEN, Action, RunShortcut, Swipe, Tap, points_of
from manyhands.protocol.screens.argument_types import (
    AxisArgument,
    Point,
    SecondsArgument,
    TextArgument,
    parameters,
    point_parameters,
)
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element

_LINE = 118
_TEXTS = {"text": "for", "label": "the app's name for"}
"""The meaning of the argument ``text``, by the kind of action."""
_TRAVEL = 0.4
"""How far a swipe by its direction goes, as a share of the screen's shorter side (MobileWorld, for MAI-UI)."""


def phone_tool(reply: type[ActingReply], extent: Size) -> str:
    """Return the instruction for writing an action as a call. ``extent``: the largest x and y of a coordinate."""
    actions = reply.actions
    words = {name: word for word, name in tool_words(actions.specs).items() if name}
    tools = "\n".join(json.dumps({"type": "function", "function": tool}) for tool in _tools(actions, words, extent))
    before = "; ".join(
        f'a line "{"Action" if field.name == "expectation" else field.heading}: " with {_description(field)}'
        for field in describe_fields(reply)
        if field.name != "action"
    )
    head = textwrap.fill(f"Write, in this order: {before}; and one call, with nothing behind it:", _LINE)
    return f"""\
You may call these functions:
<tools>
{tools}
</tools>
{head}
<tool_call>
{json.dumps({"name": TOOL, "arguments": _example(actions, words)})}
</tool_call>
The actions are called so: {", ".join(_tool_names(actions, words))}."""


def _description(field: ReplyField) -> str:
    """Return what to write as a field: one of its choices, or a text."""
    return ", ".join(filter(None, (_and([str(one) for one in field.choices], "or"), field.text)))


def _tool_names(actions: ActionSet, words: Mapping[str, str]) -> Iterator[str]:
    """Yield the tool's names of those of our actions that it names differently."""
    yield from (f"{name} is {words[name]}" for name in _ours(words) if words[name] != name.lower())
    same = [name for name in _ours(words) if words[name] == name.lower()]
    if same:
        yield f"{_and(same)} bear their own\nnames in small letters"
    buttons = {button: name for button, name in BUTTONS.items() if name in actions.specs}
    called_so = [name for button, name in buttons.items() if button == name]
    if called_so:
        yield f"{_and(called_so)} {'is' if len(called_so) == 1 else 'are'} system_button"
    yield from (f"{name} is system_button with {button}" for button, name in buttons.items() if button != name)
    if "Stop" in actions.specs:
        yield "Stop is\nterminate with success"
    if "Tap_Element" in actions.specs:
        yield "Tap_Element is tap_element"
    if actions.shortcuts:
        yield f"a shortcut is {RUN_SHORTCUT}"


def _ours(words: Mapping[str, str]) -> list[str]:
    """Return the actions that have words, in the order of their declarations."""
    return [name for name in WRITTEN if name in words]


def _example(actions: ActionSet, words: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments of an example call: of the first action with an argument, else of a button or the end."""
    for name, word in words.items():
        for argument, parameters_given in tool_arguments(name).items():
            examples = [one.example for one in parameters_given]
            return {"action": word, argument: examples if len(examples) > 1 else examples[0]}
    buttons = [button for button, name in BUTTONS.items() if name in actions.specs]
    return (
        {"action": "system_button", "button": buttons[0]} if buttons else {"action": "terminate", "status": "success"}
    )


def _tools(actions: ActionSet, words: Mapping[str, str], extent: Size) -> list[dict[str, Any]]:
    """Return the phone's tool with its arguments as Qwen-VL knows them, and functions for what the tool lacks."""
    takers, added = _takers(actions, words), added_arguments(actions.specs)
    properties: dict[str, Any] = {
        "action": {"type": "string", "enum": list(tool_words(actions.specs))},
    }
    point = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
    dragging = _and(takers["coordinate2"], "or")
    pointing = _and([word for word in takers["coordinate"] if word not in takers["coordinate2"]])
    begins = f", and where a {dragging} begins" if dragging else ""
    if takers["coordinate"]:
        properties["coordinate"] = {**point, "description": f"[x, y] for {pointing}{begins}."}
    if takers["coordinate2"]:
        properties["coordinate2"] = {**point, "description": f"[x, y] where a {dragging} ends."}
    texts = [f"{what} {_and(takers[key])}" for key, what in _TEXTS.items() if takers[key]]
    if texts:
        description = "; ".join(texts)
        properties["text"] = {"type": "string", "description": f"{description[0].upper()}{description[1:]}."}
    for name, one in added.items():
        lead = f"{one.mark.says}, for" if one.mark.says else "For"
        properties[name] = {**one.mark.schema(one.kind), "description": f"{lead} {_and(takers[name])}."}
    if takers["time"]:
        properties["time"] = {"type": "number", "description": f"Seconds, for {_and(takers['time'])}."}
    buttons = [button for button, name in BUTTONS.items() if name in actions.specs]
    if buttons:
        properties["button"] = {"type": "string", "enum": buttons, "description": "For system_button."}
    if "Stop" in actions.specs:
        ends = {"type": "string", "enum": ["success", "failure"], "description": "For terminate."}
        properties["status"] = ends
    resolution = f" The screen's resolution is {extent.width}x{extent.height}." if takers["coordinate"] else ""
    mobile_use = function_schema(TOOL, f"Operates the phone's touchscreen.{resolution}", properties, ["action"])
    return [mobile_use, *_further_tools(actions)]


def _further_tools(actions: ActionSet) -> Iterator[dict[str, Any]]:
    if "Tap_Element" in actions.specs:
        number = {"type": "integer", "description": "Its number in the list of elements."}
        yield function_schema("tap_element", "Taps the centre of a listed element.", {"number": number}, ["number"])
    if actions.shortcuts:
        yield shortcut_tool()


def shortcut_tool() -> dict[str, Any]:
    """Return the schema of our function that runs a shortcut."""
    shortcut = {
        "shortcut": {"type": "string", "description": "Its name."},
        "arguments": {"type": "object", "description": "Every argument of the shortcut by its name."},
    }
    return function_schema(RUN_SHORTCUT, "Runs a shortcut.", shortcut, list(shortcut))


def _takers(actions: ActionSet, words: Mapping[str, str]) -> Mapping[str, list[str]]:
    """Return which of the tool's actions take each argument. The key of a text that names an app is ``label``."""
    takers: defaultdict[str, list[str]] = defaultdict(list)
    for name, word in words.items():
        for argument, (first, *_) in tool_arguments(name).items():
            if first in actions.specs[name].parameters:
                key = "label" if first.mark == TextArgument(label=True) else argument
                takers[key].append(
                    f"{word} (at most {first.mark.most})" if isinstance(first.mark, SecondsArgument) else word
                )
    return takers


def _and(words: list[str], last: str = "and") -> str:
    """Return words as a list within a sentence: ``a, b and c``."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def function_schema(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """Return the schema of a function in the form of OpenAI's tools."""
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": description, "parameters": parameters}


class NotAnAction(ManyhandsError):
    """Signal an action that cannot be carried out: an empty text, an unknown shortcut, a swipe to nowhere."""

    code = "not_an_action"


_WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,6}")


def read_action(
    reply: ActionReply,
    dialect: Dialect,
    size: Size,
    shortcuts: Sequence[Shortcut],
    elements: Sequence[Element] = (),
) -> Action:
    """Return a model's action in pixels of a screenshot of ``size``. ``elements``: in the order of the prompt's list.

    Raises OutsideScreen, NotAnAction, ShortcutUnusable. Each message explains the mistake to the model.
    """
    match reply:
        case TapElementReply():
            x, y = _element(reply.number, elements).centre
            return Tap(x=min(max(x, 0), size.width - 1), y=min(max(y, 0), size.height - 1))
        case ScrollReply():
            return _read_scroll(reply, dialect, size)
        case ShortcutReply():
            return _read_shortcut(reply, dialect, size, shortcuts)
        case AtomicActionReply():
            return _read_written(reply, dialect, size)
        case _:
            assert_never(reply)


def write_action(
    action: Action, dialect: Dialect, size: Size, shortcuts: Sequence[Shortcut], offered: ActionSet = OUR_ACTIONS
) -> dict[str, Any]:
    """Return the JSON object by which a model would write ``action``, with the model's coordinates.

    ``offered``: the actions that the model may choose from. Arguments that it is not offered are left out.
    """
    if isinstance(action, RunShortcut):
        return _write_shortcut(action, dialect, size, shortcuts)
    fields: dict[str, Any] = {"name": action.name}
    coordinates = iter([at for x, y in points_of(action) for at in to_model(dialect, x, y, size)])
    spec = offered.specs.get(action.name)
    for parameter in parameters(type(action)) if spec is None else spec.parameters:
        if isinstance(parameter.mark, AxisArgument):
            fields[parameter.name] = next(coordinates)
            continue
        value = parameter.mark.write(getattr(action, parameter.field), parameter.default)
        if value is not None:
            fields[parameter.name] = value
    return fields


def _read_written(reply: AtomicActionReply, dialect: Dialect, size: Size) -> Action:
    values: dict[str, Any] = {"name": reply.name}
    points: list[Point] = []
    for x, y in point_parameters(WRITTEN[reply.name]):
        points.append(to_pixel(dialect, getattr(reply, x.name), getattr(reply, y.name), size))
        values[x.field], values[y.field] = points[-1]
    for parameter in parameters(WRITTEN[reply.name]):
        offered = parameter.name in type(reply).model_fields
        if isinstance(parameter.mark, AxisArgument) or not offered:
            continue
        try:
            value = parameter.mark.read(getattr(reply, parameter.name), parameter.name)
        except ValueError as error:
            raise NotAnAction(f"{reply.name} needs {error}") from error
        if value is not None:
            values[parameter.field] = value
    if len(set(points)) < len(points):
        raise NotAnAction(f"{reply.name} needs two different points")
    return ACTION.validate_python(values)


def _read_scroll(reply: ScrollReply, dialect: Dialect, size: Size) -> Swipe:
    """Return the swipe of a direction. It begins in the middle of the screen, unless the model gave a place."""
    if (reply.x is None) != (reply.y is None):
        raise NotAnAction("a swipe by its direction needs both x and y, or neither")
    x, y = size.width // 2, size.height // 2
    if reply.x is not None and reply.y is not None:
        x, y = to_pixel(dialect, reply.x, reply.y, size)
    across, down = _WAYS[reply.direction]
    travel = round(_TRAVEL * min(size.width, size.height))
    x2 = min(max(x + across * travel, 0), size.width - 1)
    y2 = min(max(y + down * travel, 0), size.height - 1)
    if (x, y) == (x2, y2):
        raise NotAnAction(f"a swipe {reply.direction} from there leaves the screen")
    return Swipe(x1=x, y1=y, x2=x2, y2=y2)


def _element(number: int, elements: Sequence[Element]) -> Element:
    if not 1 <= number <= len(elements):
        listed = f"the list has 1 to {len(elements)}" if elements else "no elements were listed"
        raise NotAnAction(f"there is no element {number}; {listed}")
    return elements[number - 1]


def _find(name: str, shortcuts: Sequence[Shortcut]) -> Shortcut | None:
    return next((shortcut for shortcut in shortcuts if shortcut.name == name), None)


def _read_shortcut(reply: ShortcutReply, dialect: Dialect, size: Size, shortcuts: Sequence[Shortcut]) -> RunShortcut:
    shortcut = _find(reply.shortcut, shortcuts)
    if shortcut is None:
        names = ", ".join((*(one.name for one in shortcuts), *OUR_ACTIONS.specs))
        raise NotAnAction(f"there is no action or shortcut {reply.shortcut!r}; known: {names}")
    arguments: dict[str, str | int] = {argument.name: argument.value for argument in reply.arguments}
    if len(arguments) < len(reply.arguments):
        raise NotAnAction(f"{shortcut.name} was given an argument twice")
    for name, axis in coordinate_arguments(shortcut).items():
        if name in arguments:
            arguments[name] = _coordinate(
                f"{shortcut.name}, argument {name!r}", str(arguments[name]), axis, dialect, size
            )
    for atom in expand_shortcut(shortcut, arguments, size):
        _on_screen(shortcut, atom, size)
    return RunShortcut(shortcut=shortcut.name, arguments=arguments)


def _coordinate(where: str, text: str, axis: str, dialect: Dialect, size: Size) -> int:
    if _WHOLE_NUMBER.fullmatch(text.strip()) is None:
        raise NotAnAction(f"{where}: {text[:40]!r} is not a whole number")
    value = int(text)
    x, y = to_pixel(dialect, value, 0, size) if axis == "x" else to_pixel(dialect, 0, value, size)
    return x if axis == "x" else y


def _on_screen(shortcut: Shortcut, atom: ShortcutAction, size: Size) -> None:
    if not all(size.contains(x, y) for x, y in points_of(atom)):
        raise OutsideScreen(f"{shortcut.name}: {atom.name} would be outside the screen")


def _write_shortcut(action: RunShortcut, dialect: Dialect, size: Size, shortcuts: Sequence[Shortcut]) -> dict[str, Any]:
    shortcut = _find(action.shortcut, shortcuts)
    axes = coordinate_arguments(shortcut) if shortcut else {}
    arguments: list[dict[str, str]] = []
    for name, value in action.arguments.items():
        if name in axes and isinstance(value, int):
            x, y = to_model(dialect, value, value, size)
            value = x if axes[name] == "x" else y
        arguments.append({"name": name, "value": str(value)})
    return {"name": action.name, "shortcut": action.shortcut, "arguments": arguments}
