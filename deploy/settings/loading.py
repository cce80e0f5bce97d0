"""Read settings. A flag comes first, then the environment (``MANYHANDS_*``), then a YAML file, then the default."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_settings import SettingsError

from manyhands.deploy.settings.fleet import ENV_PREFIX, FleetSettings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.secrets import VARIABLE_PREFIX
from manyhands.protocol.utilities.setting_metadata import Flag
from manyhands.protocol.utilities.validation_words import nearest
from manyhands.protocol.utilities.yaml_document import YamlDocument, YamlProblem, find_problems, read_yaml
from manyhands.protocol.utilities.yaml_limits import BoundedLoader

_OF_COMMANDS = frozenset({"config", "database_url", "server", "token", "ca", "identity"})
"""Variables, without their prefix, that commands read themselves."""
_OF_SERVICE = "service_"
"""Begins the variables, without their prefix, that bound a service. The service reads them."""


def load_settings(flags: dict[str, Any], config: Path | None = None) -> FleetSettings:
    """Return settings from flags (nested mappings; None means not given), the environment and a YAML file.

    Raises BadInput with every mistake: its line in the file, its key and, for an unknown key, the nearest known one.
    """
    own_values = _without_none(flags)
    _check_variables()
    try:
        from_environment = FleetSettings(**own_values).model_dump(exclude_unset=True)
    except ValidationError as error:
        # An error about several values together names the group that holds the values. Nobody typed the group's name,
        # so the name is removed.
        problems = [
            replace(one, said=one.said.removeprefix("episode: ")) for one in find_problems(error, FleetSettings)
        ]
        YamlDocument(own_values, "options").refuse(problems)
        raise
    except SettingsError as error:
        raise BadInput(f"environment: {error}; write JSON there, or one variable for each part") from error
    document = _read_settings(config) if config else YamlDocument({}, "settings")
    try:
        settings = FleetSettings(**merged(document.data, merged(from_environment, own_values)))
    except ValidationError as error:
        document.refuse(find_problems(error, FleetSettings))
        raise
    document.refuse(())
    return settings


@contextmanager
def keyword_errors() -> Iterator[None]:
    """Name settings in the errors of a block as Python programs do: ``mllm_url``, not ``--mllm-url``."""
    try:
        yield
    except BadInput as error:
        names = {"trust-folder": "trust_folder", **_flag_names(FleetSettings)}
        error.args = (_FLAG.sub(lambda match: names.get(match[1], match[0]), str(error)),)
        raise


_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)")


def _flag_names(model: type[BaseModel], within: str = "") -> dict[str, str]:
    """Return the keyword of each setting that has a flag, by the flag's name: ``episode.NAME`` for one in a part."""
    names: dict[str, str] = {}
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            names |= _flag_names(field.annotation, f"{within}{name}.")
        for flag in field.metadata:
            if isinstance(flag, Flag):
                names[flag.name or name.replace("_", "-")] = within + name
    return names


def _check_variables() -> None:
    unknown = [name for name in sorted(os.environ) if name.startswith(ENV_PREFIX) and not _known_variable(name)]
    names = [ENV_PREFIX + field.upper() for field in FleetSettings.model_fields]
    texts = [f"unknown variable {name}{nearest(difflib.get_close_matches(name, names, n=1))}" for name in unknown]
    YamlDocument(None, "environment").refuse([YamlProblem((), text) for text in texts])


class _Loader(BoundedLoader):
    """Read only ``true`` and ``false`` as booleans, because ``on`` is the name of a setting."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for letter, resolvers in BoundedLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^([Tt]rue|TRUE|[Ff]alse|FALSE)$"), list("tTfF"))


def _read_settings(path: Path) -> YamlDocument:
    document = read_yaml(path, _Loader)
    if not isinstance(document.data, dict):
        raise BadInput(f"{path}: settings are a mapping of names to values")
    odd = [key for key in document.data if not isinstance(key, str)]  # these cannot be keywords of a model
    if odd:
        document.refuse([YamlProblem((key,), f"unknown key {key!r}; settings have names") for key in odd])
    return document


def merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Return the nested settings of ``base``, replaced by those that ``over`` has."""
    both = dict(base)
    for key, value in over.items():
        under = both.get(key)
        both[key] = merged(under, value) if isinstance(value, dict) and isinstance(under, dict) else value
    return both


def _without_none(flags: dict[str, Any]) -> dict[str, Any]:
    cleaned = {key: _without_none(value) if isinstance(value, dict) else value for key, value in flags.items()}
    return {key: value for key, value in cleaned.items() if value is not None and value != {}}


def _known_variable(name: str) -> bool:
    if name.startswith(VARIABLE_PREFIX):
        return True
    field = name.removeprefix(ENV_PREFIX).lower().split("__")[0]
    return field in FleetSettings.model_fields or field in _OF_COMMANDS or field.startswith(_OF_SERVICE)
