"""Define what a settings field declares beside its type.

Flags, help and reference pages are made from these declarations.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo


class Flag:
    """Offer a setting as an option of commands. The first paragraph of the field's docstring is the option's help."""

    def __init__(
        self, *commands: str, name: str = "", nothing: str = "", panel: str = "", is_common: bool = False
    ) -> None:
        """Store the commands, such as ``run`` or ``bench step``.

        ``name``: the option's name; if empty, the field's name with dashes. ``nothing``: a word for an empty list.
        ``panel``: the group of options in the help; if empty, that of the field's class (its ``panel``).
        ``is_common``: show it in the short help of commands with many options.
        """
        self.commands = commands
        self.name = name
        self.nothing = nothing
        self.panel = panel
        self.is_common = is_common


@dataclass(frozen=True, slots=True)
class Default:
    """Describe the effect of leaving a setting out, where the default value does not show it."""

    text: str


def describe_default(field: FieldInfo) -> str:
    """Describe the effect of leaving a setting out, with values in backticks; empty if it has no default."""
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
