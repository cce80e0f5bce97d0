"""Make the simplest valid reply of any type, for roles that a stand-in cannot answer otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from manyhands.protocol.base import Reply

R = TypeVar("R", bound=Reply)
_PLAIN: Mapping[str, Any] = {"boolean": False, "null": None}


def plain_reply(reply: type[R]) -> R:
    """Return a reply with the first of each choice, the smallest numbers, and the fewest characters and items."""
    schema = reply.model_json_schema()
    return reply.model_validate(_plain(schema, schema.get("$defs", {})))


def _plain(node: Mapping[str, Any], named: Mapping[str, Any]) -> Any:
    if "$ref" in node:
        return _plain(named[node["$ref"].rsplit("/", 1)[1]], named)
    if "const" in node:
        return node["const"]
    for choices in ("enum", "anyOf", "oneOf"):
        if choices in node:
            first = node[choices][0]
            if choices != "enum" and "$ref" in first and {"type": "null"} in node[choices]:
                return None  # nothing is known about the object that may stand here
            return first if choices == "enum" else _plain(first, named)
    if node["type"] == "object":
        return {name: _plain(field, named) for name, field in node.get("properties", {}).items()}
    if node["type"] == "array":
        return [_plain(node["items"], named) for _ in range(node.get("minItems", 0))]
    if node["type"] == "string":
        return "-" * node.get("minLength", 0)
    return _PLAIN[node["type"]] if node["type"] in _PLAIN else node.get("minimum", 0)
