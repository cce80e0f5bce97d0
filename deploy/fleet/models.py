"""Which model each role asks: the run's own, with what is another for a role; checked before anything is started."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

from pydantic import ValidationError

from manyhands.actors.mllm import ModelSettings
from manyhands.actors.profiles import profile_of
from manyhands.actors.roles.trial import USUAL, try_role
from manyhands.deploy.fleet.model_server import check_servers
from manyhands.deploy.fleet.sources import MODEL_SOURCES
from manyhands.deploy.settings.fleet import REHEARSED, FleetSettings, RoleModel
from manyhands.deploy.task_groups import first_error
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles import Role
from manyhands.protocol.runs import AskedModel, EpisodeSettings

RoleModels = Mapping[Role, ModelSettings]

_SOON = ("http://127.0.0.1",)
"""Stands for the rehearsed model's address until it has been started."""
_SAMPLING = {"dialect", "max_pixels", "output", "grammar", "temperature", "seed"}
_FLAGS = {"urls": "mllm_url", "output": "output_format"}
"""Names of ModelSettings' fields that are others on the command line."""
_OWN = {"urls": "url"}
"""... and among a role's own settings."""


def role_models(settings: FleetSettings) -> RoleModels:
    """Return the model of each role that asks a server; roles that ask the rehearsed model are left out.

    Raises BadInput that names the flag, or the role's setting.
    """
    urls = _urls(settings)
    # What is wrong for the rehearsed model is said now, and not once it has been started and has an address.
    models = {role: _model_of(settings, role, _SOON if at == (REHEARSED,) else at) for role, at in urls.items()}
    return {role: model for role, model in models.items() if urls[role] != (REHEARSED,)}


def rehearsed_roles(settings: FleetSettings) -> frozenset[Role]:
    """Return the roles that ask the rehearsed model. Raises BadInput where it is mixed with servers."""
    return frozenset(role for role, urls in _urls(settings).items() if urls == (REHEARSED,))


async def checked(settings: FleetSettings, models: RoleModels) -> RoleModels:
    """Return the same with the models' names, after each server of each role was asked whether it serves them.

    It is also asked a question such as the role will ask. Roles that ask the same model ask it once, by the one that
    asks most. Raises BadInput that names the server, and the flag or the setting.
    """
    in_turn = sorted(models.items(), key=lambda one: (one[0].spec.pictures, one[0].spec.longest_reply))
    named = {_key(model): (model, _where(settings, role, "urls"), role) for role, model in in_turn}
    with first_error():
        async with asyncio.TaskGroup() as group:
            asked = {
                key: group.create_task(check_servers(model, where, partial(_try_role, settings.episode, role)))
                for key, (model, where, role) in named.items()
            }
    return {role: model.model_copy(update={"model": asked[_key(model)].result()}) for role, model in models.items()}


async def _try_role(episode: EpisodeSettings, role: Role, model: ModelSettings) -> None:
    profile = profile_of(episode.profile)
    agent = next((one for one in profile.agents(episode) if one.role is role), None)
    await try_role(profile.role_settings(episode, model), role, None if agent is None else agent.shows(episode, USUAL))


def asked_models(models: RoleModels) -> dict[str, AskedModel]:
    """Return what is recorded of checked models, by role."""
    return {
        role.value: AskedModel(
            model=model.model or "",
            servers=model.urls,
            max_tokens=model.max_tokens[role],
            **model.model_dump(include=_SAMPLING),
        )
        for role, model in models.items()
    }


def source(models: RoleModels) -> str:
    """Return who answered, in one line, which names the rehearsed model as what it is."""
    named = {role: _named(model) for role, model in models.items()}
    if len(set(named.values())) == 1:
        return next(iter(named.values()))
    return "; ".join(f"{role.value}: {name}" for role, name in named.items())


def _named(model: ModelSettings) -> str:
    return MODEL_SOURCES.get(model.model or "", f"{model.model} at {', '.join(model.urls)}")


def _key(model: ModelSettings) -> str:
    return model.model_dump_json(exclude={"max_tokens"})


def _urls(settings: FleetSettings) -> dict[Role, tuple[str, ...]]:
    """Return each role's servers. Raises BadInput."""
    found = {}
    asked = profile_of(settings.episode.profile).roles(settings.episode)
    for role in (*asked, Role.CAPTION) if settings.episode.captions else asked:
        own = settings.models.get(role, RoleModel())
        found[role] = own.url or settings.mllm_url
        if not found[role]:
            raise BadInput("--mllm-url: name a model server, or 'rehearsed' for the stand-in")
        if REHEARSED in found[role] and len(found[role]) > 1:
            raise BadInput(
                f"{_where(settings, role, 'urls')}: 'rehearsed' stands alone; it cannot be mixed with servers"
            )
    if found.get(Role.CAPTION) == (REHEARSED,):  # it reads what is written, and knows no icons
        del found[Role.CAPTION]
    return found


def _model_of(settings: FleetSettings, role: Role, urls: tuple[str, ...]) -> ModelSettings:
    own = settings.models.get(role, RoleModel())
    # A name and a key belong to the servers that they were given with: another server must not see the key.
    shared = {} if own.url else {"model": settings.model, "api_key_env": settings.api_key_env}
    given: dict[str, Any] = {
        **shared,
        **settings.model_dump(include=_SAMPLING),
        **own.model_dump(exclude={"url", "max_tokens"}, exclude_none=True),
        **({} if own.max_tokens is None else {"max_tokens": {role: own.max_tokens}}),
    }
    try:
        return ModelSettings(
            urls=urls,
            max_in_flight=settings.max_in_flight,
            speculation=settings.speculation,
            repairs=0 if settings.episode.paper_exact else 1,
            **given,
        )
    except ValidationError as error:
        first = error.errors()[0]
        said = first["msg"].removeprefix("Value error, ")
        raise BadInput(f"{_where(settings, role, str(first['loc'][0]))}: {said}") from error


def _where(settings: FleetSettings, role: Role, field: str) -> str:
    """Return how the user gave a field of ModelSettings: as a role's setting or as a flag."""
    name = _OWN.get(field, field)
    if getattr(settings.models.get(role), name, None):
        return f"models.{role.value}.{name}"
    return f"--{_FLAGS.get(field, field).replace('_', '-')}"
