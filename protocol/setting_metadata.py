"""What a settings field declares beside its type, so that flags, help and reference pages are made from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo


class Flag:
    """Show a setting as an option of commands. The first paragraph of the field's docstring is its help."""

    def __init__(self, *commands: str, name: str = "", nothing: str = "") -> None:
        """Name the commands, such as ``run`` or ``bench step``.

        ``name``: empty for the field's own name with dashes. ``nothing``: a word that stands for an empty list.
        """
        self.commands = commands
        self.name = name
        self.nothing = nothing


@dataclass(frozen=True, slots=True)
class Default:
    """Describe what holds without a setting, where its default value does not show that."""

    text: str


def describe_default(field: FieldInfo) -> str:
    """Describe what holds where a setting is not given, with values in backticks; empty for nothing."""
    for item in field.metadata:
        if isinstance(item, Default):
            return item.text
    value: Any = field.get_default(call_default_factory=True)
    if value is None or isinstance(value, dict):
        return ""
    if isinstance(value, BaseModel):
        return ", ".join(f"`{name}` {describe_default(part)}" for name, part in type(value).model_fields.items())
    if isinstance(value, tuple):
        return ", ".join(f"`{item}`" for item in value)
    if isinstance(value, bool):
        return str(value).lower()
    return f"`{value}`" if isinstance(value, str | Path) else f"{value:g}"
