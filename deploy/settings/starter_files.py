"""The first ``settings.yaml`` and ``tasks.yaml`` of somebody who begins: what was found here, and comments."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.models import REHEARSED

SETTINGS_FILE, TASKS_FILE = "settings.yaml", "tasks.yaml"
VIRTUAL = "virtual:2"
"""The value of ``phones`` if no phone was found."""
_WIDTH = 110
_LATER: tuple[tuple[str, Any], ...] = (
    ("name", "night"),
    ("max_pixels", 1048576),
    ("api_key_env", "MODEL_KEY"),
    ("phone_limits.min_battery", 20),
    ("episode.profile", "e"),
    ("memory", "memory.sqlite"),
    ("metrics_port", 9400),
)
"""Settings that people change first, with an example of each."""


@dataclass(frozen=True, slots=True)
class FoundPhone:
    """Hold a phone that was found; ``why_not`` is empty for one that can be used."""

    serial: str
    what: str
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class FoundServer:
    """Hold a model server that was found."""

    url: str
    model: str
    dialect: str | None
    """Its family's conventions; None if its name tells no family."""


def settings_text(phones: Sequence[FoundPhone], server: FoundServer | None) -> str:
    """Return the text of settings for what was found. If no phone or no server was found, name a stand-in for it."""
    lines = [
        "# Settings for: manyhands run tasks.yaml --config settings.yaml",
        "# A flag wins over a line here; docs/settings.md has all settings.",
        "",
        *_phones(phones),
        "",
        *_server(server),
        "",
        "# To be changed when needed:",
    ]
    for path, example in _LATER:
        if path == "max_pixels" and server is None:
            continue
        lines += ["", *_comment(_field(path)), *_example(path, example)]
    return "\n".join(lines) + "\n"


def tasks_text() -> str:
    """Return two tasks that virtual phones and real ones can do, and a comment on what else there is."""
    return _TASKS


def _phones(phones: Sequence[FoundPhone]) -> Iterator[str]:
    usable = [phone for phone in phones if not phone.why_not]
    if usable:
        yield "# Phones of this machine. Without these lines a run takes all that can be used."
    else:
        yield "# No phone was found that can be used (docs/real-phones.md): a run starts two virtual ones."
    yield "phones:"
    for phone in usable:
        yield f"  - {json.dumps(phone.serial)}  # {phone.what}"
    if not usable:
        yield f"  - {VIRTUAL}"
    for phone in phones:
        if phone.why_not:
            yield f"  # - {json.dumps(phone.serial)}  # {phone.what}: {phone.why_not}"


def _server(server: FoundServer | None) -> Iterator[str]:
    if server is None:
        yield "# No model server was found: the rehearsed model stands in, and knows the tasks of tasks.yaml."
        yield "# Serve a model (docs/serving.md), then: mllm_url: [http://GPU-HOST:8000/v1]"
        yield f"mllm_url: [{REHEARSED}]"
        return
    yield "# The model server that answered. More of them share the work: [http://A:8000/v1, http://B:8000/v1]"
    yield f"mllm_url: [{json.dumps(server.url)}]"
    yield f"model: {json.dumps(server.model)}"
    yield from _comment(_field("dialect"))
    yield f"dialect: {server.dialect}" if server.dialect else "# dialect: NAME  # the model's name does not tell it"


def _field(path: str, model: type[BaseModel] = FleetSettings) -> FieldInfo:
    name, _, rest = path.partition(".")
    field = model.model_fields[name]
    if not rest:
        return field
    assert isinstance(field.annotation, type)
    return _field(rest, field.annotation)


def _comment(field: FieldInfo) -> Iterator[str]:
    """Yield the first paragraph of a setting's description as comments."""
    line = "#"
    for word in (field.description or "").split("\n\n")[0].replace("`", "").split():
        if len(line) + len(word) > _WIDTH:
            yield line
            line = "#"
        line += f" {word}"
    yield line


def _example(path: str, value: Any) -> Iterator[str]:
    """Yield a setting as commented lines of YAML. Without the comment marks, the lines set the setting."""
    nested: Mapping[str, Any] = functools.reduce(lambda inner, key: {key: inner}, reversed(path.split(".")), value)
    ((name, inner),) = nested.items()
    text = f"{{{', '.join(f'{key}: {one}' for key, one in inner.items())}}}" if isinstance(inner, dict) else inner
    yield f"#{name}: {text}"


_TASKS = """\
# Tasks for: manyhands run tasks.yaml --config settings.yaml
# Only id and goal are needed; docs/tasks.md has every key.

- id: dark_mode
  goal: Turn on dark mode.
  # Apps that the task names. They are not opened for it.
  apps: [Settings]
  # Ends the task as failed after so many steps.
  limits: {max_steps: 20}
  # Decides by the phone's state whether it is done. Without a check the agent's own word counts.
  check:
    holds: {setting: {name: secure.ui_night_mode, value: 2}}

- id: do_not_disturb
  goal: Set the system sound to Do Not Disturb.
  # What you know better than the model; it is put into every prompt.
  hints: The switch for Do Not Disturb is on the page Sound & vibration.
  # Tried once more if it does not pass.
  retries: 1
  check:
    holds: {setting: {name: global.zen_mode, value: {at_least: 1}}}

# - id: greeting
#   goal: 'Send this message to ${who}: ${text}'
#   variables: {who: Emma Larsen, text: See you at eight}
#   # Higher first.
#   priority: 1
#   check:
#     holds: {sms: {contact: Emma Larsen, body: {contains: eight}, box: sent}}
"""
