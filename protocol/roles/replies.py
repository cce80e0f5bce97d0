"""Define how a model writes an action or a task's answer, and the schemas for vLLM's constrained decoding.

Coordinates are integers in the model's own space (``actors.mllm.request.dialects``). Extra fields are refused. Every
string, list and number is bounded, so that a constrained decoder always comes to an end. The reply for an atomic action
is made from its declaration in ``protocol.screens.actions``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeVar, Union, cast

from pydantic import Field, PrivateAttr, WithJsonSchema, create_model

from manyhands.protocol.base import Outcome, Reply
from manyhands.protocol.roles.field_description import FieldDescription
from manyhands.protocol.screens.actions import (
    ATOMS,
    AskPerson,
    Back,
    BaseAction,
    Enter,
    Home,
    OpenApp,
    Stop,
    Swipe,
    SwitchApp,
    Tap,
    Type,
    Wait,
)
from manyhands.protocol.screens.argument_types import LONGEST, Coordinate, NumberArgument, Parameter, parameters

Json = Any
_LONGEST_LIST = 200
"""The most items of a list for which the schema names no limit."""
_LARGEST = 10**12
"""The largest number where the schema names no limit."""


class AnswerReply(Reply):
    """Be the reply with the answer of a task. ``answer_reply`` returns it for a schema."""

    answer: Annotated[
        Any,
        WithJsonSchema({"type": "string", "maxLength": LONGEST}),
        FieldDescription("Answer", "the answer, as JSON that fits the schema"),
    ]


def answer_reply(schema: Mapping[str, Json]) -> type[AnswerReply]:
    """Return the reply whose ``answer`` has this schema.

    The returned type keeps the name ``AnswerReply``, by which replies are recognised.
    """
    return _answer_reply(json.dumps(schema))


@lru_cache(maxsize=256)
def _answer_reply(schema: str) -> type[AnswerReply]:
    field = Annotated[
        Any,
        WithJsonSchema(_bounded(json.loads(schema))),
        *(mark for mark in AnswerReply.model_fields["answer"].metadata if isinstance(mark, FieldDescription)),
    ]
    return create_model(AnswerReply.__name__, __base__=AnswerReply, __module__=__name__, answer=(field, ...))


def _bounded(schema: Mapping[str, Json]) -> dict[str, Json]:
    """Return the schema with limits where it has none, so that a constrained decoder always comes to an end."""
    types = schema.get("type")
    if isinstance(types, list):
        return {"anyOf": [_bounded({**schema, "type": one}) for one in types]}
    bounded = dict(schema)
    if "anyOf" in schema:
        bounded["anyOf"] = [_bounded(one) for one in schema["anyOf"]]
    if "enum" in schema or "const" in schema:
        return bounded
    match types:
        case "object":
            properties = schema.get("properties", {})
            bounded |= {
                "properties": {name: _bounded(one) for name, one in properties.items()},
                "additionalProperties": False,
            }
        case "array":
            bounded |= {"items": _bounded(schema["items"]), "maxItems": schema.get("maxItems", _LONGEST_LIST)}
        case "string":
            bounded["maxLength"] = schema.get("maxLength", LONGEST)
        case "number" | "integer":
            if "exclusiveMinimum" not in schema:
                bounded.setdefault("minimum", -_LARGEST)
            if "exclusiveMaximum" not in schema:
                bounded.setdefault("maximum", _LARGEST)
    return bounded


Place = Annotated[int, Field(ge=1, le=9999)]
Short = Annotated[str, Field(max_length=200)]
Medium = Annotated[str, Field(max_length=800)]
Long = Annotated[str, Field(max_length=LONGEST)]


# ---------------------------------------------------------------------------- actions
class AtomicActionReply(Reply):
    """Hold an atomic action as a model writes it: coordinates in the model's space, times in whole seconds."""

    name: Short


class TapElementReply(Reply):
    """A tap at the centre of an element of the list that the prompt shows; the first one has number 1."""

    name: Literal["Tap_Element"]
    number: Annotated[Place, NumberArgument()]

    description: ClassVar[str] = "tap the centre of the element with that number in the list."


class ShortcutArgument(Reply):
    name: Short
    value: Long


class ShortcutReply(Reply):
    name: Literal["Shortcut"]
    shortcut: Short
    arguments: Annotated[list[ShortcutArgument], Field(max_length=8)]


class ScrollReply(Reply):
    """A swipe by its direction alone, as MAI-UI and UI-TARS write it. Our own formats do not offer it.

    Coordinates are those where the finger goes down; without them it goes down in the middle of the screen.
    """

    name: Literal["Scroll"]
    direction: Literal["up", "down", "left", "right"]
    """Where the finger moves."""
    x: Coordinate | None = None
    y: Coordinate | None = None


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """Describe how a model writes an action by its own name: any action but the call of a shortcut."""

    parameters: tuple[Parameter, ...]
    description: str
    """What the action does, in the words of prompts."""
    reply: type[Reply]

    @property
    def required(self) -> tuple[str, ...]:
        """Return the names of the required arguments, in order."""
        return tuple(one.name for one in self.parameters if one.required)


@dataclass(frozen=True)
class ActionSet:
    """Hold the actions that a model may choose from, by name, in the order in which prompts list them."""

    specs: Mapping[str, ActionSpec]
    shortcuts: bool = True
    """Whether the model may call shortcuts."""
    scrolls: bool = False
    """Whether a swipe may be written by its direction alone."""

    @classmethod
    def of(
        cls,
        kinds: Iterable[type[BaseAction]],
        *,
        elements: bool = True,
        shortcuts: bool = True,
        descriptions: Mapping[str, str] | None = None,
        without: Mapping[str, Sequence[str]] | None = None,
    ) -> ActionSet:
        """Return the set of these kinds of actions.

        ``elements``: whether a tap may name an element of the list. ``descriptions``: texts that replace the actions'
        own, by action. ``without``: arguments that are not offered, by action.
        """
        texts, left_out = descriptions or {}, without or {}
        specs: dict[str, ActionSpec] = {}
        for kind in kinds:
            name = kind.model_fields["name"].default
            offered = tuple(one for one in parameters(kind) if one.name not in left_out.get(name, ()))
            fields = {one.name: one.in_reply for one in offered}
            reply = _reply(f"{kind.__name__}Reply", [name], fields)
            specs[name] = ActionSpec(offered, texts.get(name, kind.description), reply)
            if kind is Tap and elements:
                specs["Tap_Element"] = ActionSpec(
                    parameters(TapElementReply), TapElementReply.description, TapElementReply
                )
        if unknown := (texts.keys() | left_out.keys()) - specs.keys():
            raise TypeError(f"the set has no action {', '.join(sorted(unknown))}")
        return cls(_plain_as_one(specs), shortcuts)

    def less(self, names: Collection[str]) -> ActionSet:
        """Return the set without the actions of these names. The name ``Shortcut`` means the call of a shortcut."""
        specs = {name: spec for name, spec in self.specs.items() if name not in names}
        return ActionSet(_plain_as_one(specs), self.shortcuts and "Shortcut" not in names, self.scrolls)

    @cached_property
    def reply(self) -> Any:
        """Return the type of a reply with one of these actions: a union that ``name`` discriminates."""
        kinds = [spec.reply for spec in self.specs.values()]
        further = [*([ShortcutReply] if self.shortcuts else []), *([ScrollReply] if self.scrolls else [])]
        replies = dict.fromkeys([*kinds, *further])
        return Annotated[Union[tuple(replies)], Field(discriminator="name")]  # noqa: UP007


def _plain_as_one(specs: Mapping[str, ActionSpec]) -> Mapping[str, ActionSpec]:
    """Return the specs with one type of reply for all actions without arguments, to shorten the schema of calls."""
    plain = [name for name, spec in specs.items() if not spec.parameters]
    if not plain:
        return specs
    reply = _reply("PlainReply", plain, {}, "An action without arguments.")
    return {name: spec if spec.parameters else replace(spec, reply=reply) for name, spec in specs.items()}


def _reply(name: str, actions: list[str], fields: dict[str, Any], doc: str | None = None) -> type[AtomicActionReply]:
    named: Any = Literal[tuple(actions)]
    return create_model(name, __base__=AtomicActionReply, __module__=__name__, __doc__=doc, name=(named, ...), **fields)


OUR_ACTIONS = ActionSet.of((*ATOMS.values(), AskPerson))
"""All atomic actions, the tap on a listed element, the question to a person, and the call of a shortcut."""

PAPER_ACTIONS = ActionSet.of(
    (OpenApp, Tap, Swipe, Type, Enter, SwitchApp, Back, Home, Wait, Stop),
    elements=False,
    descriptions={
        "Open_App": "open the app with this name, whose icon is on the screen that you see.",
        "Type": "type the text into the field that has the focus; tap the field first.",
        "Wait": "wait ten seconds for a page that is still loading.",
    },
    without={"Type": ["clear"], "Wait": ["seconds"]},
)
"""The nine actions of Mobile-Agent-E as table 8 has them, and Stop, for loops in which no other role ends a task."""

if TYPE_CHECKING:
    ActionReply = AtomicActionReply | TapElementReply | ShortcutReply | ScrollReply
    PaperActionReply = ActionReply
else:
    ActionReply = OUR_ACTIONS.reply
    PaperActionReply = PAPER_ACTIONS.reply


FOLLOWING = "then"
"""The field of an acting reply with the actions that follow at once, where it has one."""


class ActingReply(Reply):
    """Be the reply of a role that chooses an action: the field ``action``, and ``thought`` beside it."""

    actions: ClassVar[ActionSet] = OUR_ACTIONS
    """The actions that the model may choose from."""
    form: ClassVar[str] = ""
    """The model family in whose own form the reply is written (``in_form``); empty for our formats."""
    most_following: ClassVar[int] = 0
    """How many actions it may hold beside the first one (``with_following``)."""
    longer: ClassVar[type[ActingReply] | None] = None
    """A reply with further fields, which a model may write in place of this one. The further fields are dropped."""
    _final_words: str = PrivateAttr(default="")

    @property
    def final_words(self) -> str:
        """Return the words to the user with which the reply ends the task; empty in a form that has none."""
        return self._final_words

    def with_final_words(self, words: str) -> Self:
        """Return the reply with words to the user, which no field holds."""
        copy = self.model_copy()
        copy._final_words = words
        return copy

    @property
    def following(self) -> Sequence[ActionReply]:
        """Return the actions that are to follow the first one at once."""
        return getattr(self, FOLLOWING, ())

    if TYPE_CHECKING:
        thought: str
        action: ActionReply


class VerdictReply(Reply):
    """Be the reply of a role that judges an action: the letter in ``outcome``, and prose in other fields."""

    if TYPE_CHECKING:
        outcome: Outcome


R = TypeVar("R", bound=Reply)


def without_actions(reply: type[R], names: frozenset[str]) -> type[R]:
    """Return a reply type that does not offer these actions. It keeps the name, by which replies are recognised."""
    if not issubclass(reply, ActingReply) or not names & {*reply.actions.specs, "Shortcut"}:
        return reply
    return cast("type[R]", _without(reply, names))


def in_form(reply: type[R], form: str) -> type[R]:
    """Return a reply type as a model family writes it in its own form. It keeps its name.

    ``form``: that of the model's ``Dialect``. The type is unchanged if the reply chooses no action.
    """
    return cast("type[R]", _in_form(reply, form)) if issubclass(reply, ActingReply) else reply


def with_following(reply: type[R], most: int) -> type[R]:
    """Return a reply type that may hold ``most`` actions. It keeps its name.

    The type is unchanged if the reply chooses no action.
    """
    return cast("type[R]", _with_following(reply, most - 1)) if issubclass(reply, ActingReply) and most > 1 else reply


@cache
def _with_following(reply: type[ActingReply], most: int) -> type[ActingReply]:
    further: Any = list[reply.actions.reply]  # type: ignore[name-defined]
    fields: Any = {FOLLOWING: (further, Field(default_factory=list, max_length=most))}
    model = create_model(reply.__name__, __base__=reply, __module__=reply.__module__, **fields)
    model.most_following = most
    return model


@cache
def _in_form(reply: type[ActingReply], form: str) -> type[ActingReply]:
    model = _with_actions(reply, replace(reply.actions, scrolls="Swipe" in reply.actions.specs))
    model.form = form
    return model


@cache
def _without(reply: type[ActingReply], names: frozenset[str]) -> type[ActingReply]:
    return _with_actions(reply, reply.actions.less(names))


def _with_actions(reply: type[ActingReply], offered: ActionSet) -> type[ActingReply]:
    action: Any = Annotated[offered.reply, FieldDescription("Action", "ACTION")]
    model = create_model(reply.__name__, __base__=reply, __module__=reply.__module__, action=(action, ...))
    model.actions = offered
    return model
