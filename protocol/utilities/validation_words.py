"""Reword pydantic's errors in plain words, without our classes, regular expressions or Python's types."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic_core import ErrorDetails

from manyhands.protocol.utilities.terminal_text import count_noun

_SHOWN = 40
"""The most characters of a wrong value in a message. A longer value is left out."""

_NEAR = 0.65
"""How alike two names are at least, by difflib's ratio, of which one is offered for the other."""

_WORDS = {
    "missing": "is missing",
    "missing_argument": "is missing",
    "none_required": "must be left out",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "finite_number": "must be a finite number",
    **dict.fromkeys(("int_type", "int_parsing", "int_parsing_size", "int_from_float"), "must be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "must be a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "must be true or false"),
    **dict.fromkeys(("string_type", "string_sub_type"), "must be a text"),
    **dict.fromkeys(("tuple_type", "list_type", "set_type", "frozen_set_type"), "must be a list"),
    **dict.fromkeys(
        ("dict_type", "mapping_type", "model_type", "model_attributes_type", "dataclass_type"),
        "must be a mapping of names to values",
    ),
    "path_type": "must be a path",
    "union_tag_not_found": "it has no {discriminator}",
}
"""Messages by the kind of error. Names in braces come from the error's context."""

_UNSHOWN = frozenset(("missing", "missing_argument", "union_tag_not_found"))
"""Kinds of errors that have no wrong value to show."""

_FORMS = {
    "^content://": "must be an address such as content://com.example.notes/state",
    "^[a-z][a-z0-9+.-]*://": "must be an address such as content://com.example.notes/state",
    "^(cpu|": "must be a device such as cpu or cuda:0",
    "^[a-z]+(:": "must be a device such as cpu or gpu:0",
    "^(fleet|user|": "must be fleet, user, run:ID, task:ID or app:NAME",
    "^[0-9a-f]{32}$": "must be 32 digits of a hexadecimal number",
}
"""What a text must be, by the beginning of its pattern."""

_BOUNDS = {"min_length": "least", "max_length": "most"}

_PATTERN = re.compile(
    r"^\^(?:\[(?P<first>[^\]]+)\])?\[(?P<rest>[^\]]+)\](?P<times>\*|\+|\{(?P<least>\d+),(?P<most>\d+)\})\$$"
)
"""A pattern of names: the allowed characters, perhaps others for the first one, and how many."""

_RANGES = (("A-Za-z", "letters"), ("A-Z", "capital letters"), ("a-z", "small letters"), ("0-9", "digits"))


def describe_error(error: ErrorDetails) -> str:
    """Return what is wrong with a value. The text can follow the value's name and a colon, or stand alone."""
    kind, context = error["type"], error.get("ctx", {})
    if kind in ("literal_error", "enum"):
        return _choice(context["expected"], error["input"])
    if kind == "union_tag_invalid":
        tags = context["expected_tags"].replace("'", "")
        return f"{context['tag'][:_SHOWN]!r} is none of {tags}" + suggest(context["tag"], tags.split(", "))
    if kind in ("too_short", "too_long"):
        return _length(context, "item", context.get("actual_length"))
    if kind in ("string_too_short", "string_too_long"):
        return "must not be empty" if context.get("min_length") == 1 else _length(context, "character")
    if kind == "string_pattern_mismatch":
        return _form(context["pattern"]) + _instead(error["input"])
    if kind in _WORDS:
        words = _WORDS[kind].format_map({name: _shortest(value) for name, value in context.items()})
        return words if kind in _UNSHOWN else words + _instead(error["input"])
    return _reworded(error["msg"])


def nearest(near: Sequence[str]) -> str:
    """Return a question that offers the first of ``near``, to follow an unknown name; '' if there is none."""
    return f"; did you mean {near[0]!r}?" if near else ""


def near_names(name: str, names: Iterable[str]) -> list[str]:
    """Return the known name nearest to an unknown one, if one is so near that it can be a slip of the pen."""
    return difflib.get_close_matches(name, [*names], n=1, cutoff=_NEAR)


def suggest(name: str, names: Iterable[str]) -> str:
    """Return a question that offers the known name nearest to an unknown one; '' if none is near."""
    return nearest(near_names(name, names))


_SCHEME = re.compile(r"(?P<scheme>[A-Za-z]+):/+(?P<rest>.*)")


def mend_scheme(address: str, schemes: Sequence[str]) -> str:
    """Return an address with the nearest of ``schemes``; with the first one if the address has none that is near."""
    match = _SCHEME.fullmatch(address)
    rest = address.strip("/") if match is None else match["rest"]
    near = [] if match is None else difflib.get_close_matches(match["scheme"].lower(), schemes, n=1)
    return f"{near[0] if near else schemes[0]}://{rest}"


def _choice(expected: str, value: Any) -> str:
    """Say which values are allowed. ``expected`` has the form "'a', 'b' or 'c'"."""
    near = suggest(value, re.findall(r"'([^']*)'", expected)) if isinstance(value, str) else ""
    return f"must be {expected.replace(chr(39), '')}{_instead(value)}{near}"


def _length(context: Mapping[str, Any], unit: str, there: int | None = None) -> str:
    """Say how many items or characters are required. ``there`` is the present number, if known."""
    bound, limit = next((bound, context[key]) for key, bound in _BOUNDS.items() if key in context)
    return f"must have at {bound} {count_noun(limit, unit)}" + ("" if there is None else f", not {there}")


def _form(pattern: str) -> str:
    """Say which texts match a pattern, if one line can tell it."""
    for begin, words in _FORMS.items():
        if pattern.startswith(begin):
            return words
    match = _PATTERN.match(pattern)
    if match is None:
        return "is not of the form that is needed here"
    first, rest = match["first"], _characters(match["rest"])
    more = 0 if first is None else 1
    least, most = (
        (0 if match["times"] == "*" else 1, None) if match["least"] is None else (match["least"], match["most"])
    )
    count = "" if most is None else f"{int(least) + more} to {int(most) + more} "
    return f"must be {count}{rest}" + ("" if first is None else f", and begin with {_characters(first)}")


def _characters(those: str) -> str:
    """Name the characters in a character class of a pattern."""
    names: list[str] = []
    for range_text, name in _RANGES:
        if range_text in those:
            names.append(name)
            those = those.replace(range_text, "", 1)
    names += [repr(one) for one in those.replace("\\", "")]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _instead(value: Any) -> str:
    """Return the wrong value for the message; an empty text if the value is long, or is no text, number or flag."""
    if value is None or not isinstance(value, str | int | float):
        return ""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return f", not {text}" if len(text) <= _SHOWN else ""


def _shortest(bound: Any) -> Any:
    """Return a bound such as 1.0 as 1."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound


def _reworded(message: str) -> str:
    """Return any other message, of pydantic or of our own validators, in our form."""
    message = message.removeprefix("Value error, ").removeprefix("Assertion failed, ")
    message = re.sub(r"^Invalid JSON: ", "not JSON: ", message)
    message = re.sub(r", unable to parse .*| after validation", "", message)
    return re.sub(r"^(Input|[A-Z][a-z]+) should ", "must ", message)
