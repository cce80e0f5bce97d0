"""Declare what a model must write of an action, in its own coordinate space, and the schemas that vLLM is given.

Extra fields are refused; every string, list and number is bounded, so that a constrained decoder
always ends. Coordinates are integers of the model's convention (``actors.mllm.request.dialects``).
What is written of an atom is made from its declaration in ``protocol.actions``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Union

from annotated_types import MaxLen
from pydantic import Field, create_model

from manyhands.protocol.actions import ATOMS, Axis, BaseAtom, Flag, Number, Parameter, Seconds, Tap, Text, parameters
from manyhands.protocol.base import Reply

Coordinate = Annotated[int, Field(ge=0, le=9999)]
Place = Annotated[int, Field(ge=1, le=9999)]
Short = Annotated[str, Field(max_length=200)]
Medium = Annotated[str, Field(max_length=800)]
LONGEST = 2000
"""Characters of the longest text of a reply."""
Long = Annotated[str, Field(max_length=LONGEST)]


# ---------------------------------------------------------------------------- actions
class AtomReply(Reply):
    """Hold an atom as a model writes it: coordinates in its own space, times in whole seconds."""

    name: Short


class TapElementReply(Reply):
    """A tap at the centre of an element of the list that the prompt shows; the first one has number 1."""

    name: Literal["Tap_Element"]
    number: Annotated[Place, Number()]

    description: ClassVar[str] = "tap the centre of the element with that number in the list."


class ShortcutArgument(Reply):
    name: Short
    value: Long


class ShortcutReply(Reply):
    name: Literal["Shortcut"]
    shortcut: Short
    arguments: Annotated[list[ShortcutArgument], Field(max_length=8)]


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """Describe how a model writes an action by its own name: every action but the call of a shortcut."""

    parameters: tuple[Parameter, ...]
    description: str
    """What it does, as prompts say it."""
    reply: type[Reply]

    @property
    def required(self) -> tuple[str, ...]:
        """Return the names of the arguments that it needs, in order."""
        return tuple(one.name for one in self.parameters if one.required)


def _field(kind: type[BaseAtom], parameter: Parameter) -> tuple[Any, Any]:
    """Return the type and the default of an argument in a reply."""
    field = kind.model_fields[parameter.field]
    default = ... if parameter.required else field.default
    match parameter.mark:
        case Axis():
            return Coordinate, default
        case Number():
            return Place, default
        case Flag():
            return bool, default
        case Text():
            longest = min(bound.max_length for bound in (*field.metadata, MaxLen(LONGEST)) if isinstance(bound, MaxLen))
            return Annotated[str, Field(max_length=longest)], default
        case Seconds(least=least, most=most):  # whole ones: a constrained decoder could write a fraction without end
            return Annotated[int | None, Field(ge=least, le=most)], None


def _action_specs() -> dict[str, ActionSpec]:
    """Return how each action is written, by name, in the order in which prompts list them."""
    plain = [name for name, kind in ATOMS.items() if not parameters(kind)]
    plain_reply = _reply("PlainReply", plain, {}, "An action without arguments.")
    specs: dict[str, ActionSpec] = {}
    for name, kind in ATOMS.items():
        written = parameters(kind)
        fields = {one.name: _field(kind, one) for one in written}
        reply = _reply(f"{kind.__name__}Reply", [name], fields) if written else plain_reply
        specs[name] = ActionSpec(written, kind.description, reply)
        if kind is Tap:
            specs["Tap_Element"] = ActionSpec(parameters(TapElementReply), TapElementReply.description, TapElementReply)
    return specs


def _reply(name: str, actions: list[str], fields: dict[str, Any], doc: str | None = None) -> type[AtomReply]:
    named: Any = Literal[tuple(actions)]
    return create_model(name, __base__=AtomReply, __module__=__name__, __doc__=doc, name=(named, ...), **fields)


ACTION_SPECS = _action_specs()

if TYPE_CHECKING:
    ActionReply = AtomReply | TapElementReply | ShortcutReply
else:
    _replies = dict.fromkeys([*(spec.reply for spec in ACTION_SPECS.values()), ShortcutReply])
    ActionReply = Annotated[Union[tuple(_replies)], Field(discriminator="name")]  # noqa: UP007
