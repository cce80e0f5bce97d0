"""Write what is made from declarations: tables of settings, roles and actions in docs/, the keywords of ``Fleet``.

``make settings`` runs this; a test compares the result with the files.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Collection
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import ATOMS
from manyhands.protocol.utilities.setting_metadata import Flag, describe_default

_TABLE = re.compile(r"(<!-- settings ?([\w.]*) -->\n).*?(<!-- end -->)", re.DOTALL)
_ROLES = re.compile(r"(<!-- roles -->).*?(<!-- end -->)", re.DOTALL)
_ACTIONS = re.compile(r"(<!-- actions -->).*?(<!-- end -->)", re.DOTALL)
_PAGE = re.compile(r"docs/([\w-]+)\.md")


def page(text: str) -> str:
    """Return a page with new tables, roles and actions between its marks.

    The mark of a table gives the name of a nested setting, such as ``episode`` or ``episode.settle``; an empty name
    means the settings of a run.
    """
    roles = ", ".join(f"`{role.value}` ({role.spec.agent})" for role in Role)
    text = _ROLES.sub(lambda match: match[1] + roles + match[2], text)
    text = _ACTIONS.sub(lambda match: match[1] + ", ".join(f"`{name}`" for name in ATOMS) + match[2], text)
    parts = {name for _, name, _ in _TABLE.findall(text)}
    return _TABLE.sub(lambda match: match[1] + _table(match[2], parts) + match[3], text)


def _model(name: str) -> type[BaseModel]:
    """Return the model of a nested setting, or of all settings for an empty name."""
    if not name:
        return FleetSettings
    within, _, last = name.rpartition(".")
    (model,) = _models(_model(within).model_fields[last])
    return model


def _table(within: str, parts: Collection[str]) -> str:
    """Return the table of the settings within one setting; ``parts``: the settings that have a table of their own."""
    rows = [("name", "flag", "default", "what it is"), ("---",) * 4]
    for name, field in _model(within).model_fields.items():
        text = _PAGE.sub(r"[\1](\1.md)", " ".join((field.description or "").split()))
        if f"{within}.{name}".removeprefix(".") in parts:
            rows.append((f"`{name}`", "", "", f"{text.removesuffix('.')}: see [below](#{name})."))
        else:
            rows.append((f"`{name}`", _flag(name, field), describe_default(field), text))
    columns = (0, 1, 2, 3) if any(flag for _, flag, *_ in rows[2:]) else (0, 2, 3)
    return "".join(f"| {' | '.join(row[column] for column in columns)} |\n" for row in rows)


def _flag(name: str, field: FieldInfo) -> str:
    flags = {f"`--{flag.name or name.replace('_', '-')}`" for flag in field.metadata if isinstance(flag, Flag)}
    return ", ".join(sorted(flags))


def keywords() -> str:
    """Return the source of the module ``keywords``."""
    fields = FleetSettings.model_fields
    lines = "\n".join(f"    {name}: {_accepted_type(field.annotation)}" for name, field in fields.items())
    imports: dict[str, set[str]] = {}
    for model in (model for field in fields.values() for model in _models(field)):
        imports.setdefault(model.__module__, set()).add(model.__name__)
    imported = "\n".join(
        f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(imports.items())
    )
    return f'''"""The keywords of ``Fleet`` for editors and type checkers. Written by ``make settings``; do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

{imported}


class FleetOptions(TypedDict, total=False):
    """Settings of a fleet. What is left out comes from the environment, or has its default.

    A part with settings of its own is given as such, or as a mapping: ``episode={{"schedule": "serial"}}``.
    """

{lines}
'''


def _models(field: FieldInfo) -> list[type[BaseModel]]:
    """Return the models among the types of a field."""
    kinds = (field.annotation, *get_args(field.annotation))
    return [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]


def _accepted_type(kind: Any) -> str:
    """Return the type that a keyword accepts: also any sequence for a tuple, and a string for a path."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return " | ".join(_accepted_type(argument) for argument in arguments)
    if origin is Literal:
        return f"Literal[{', '.join(json.dumps(argument) for argument in arguments)}]"
    if origin is tuple:
        return f"Sequence[{_accepted_type(arguments[0])}]"
    if origin is dict:
        return f"Mapping[str, {_accepted_type(arguments[1])}]"
    if kind is Path:
        return "Path | str"
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return f"{kind.__name__} | Mapping[str, Any]"
    return "None" if kind is types.NoneType else "Any" if kind is Any else kind.__name__


def write(root: Path) -> None:
    """Write the pages and the module ``keywords`` of a checkout."""
    for path in (root / "docs" / name for name in ("settings.md", "words.md", "rollouts.md")):
        path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")
    (root / "deploy" / "settings" / "keywords.py").write_text(keywords(), encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).resolve().parents[2])
