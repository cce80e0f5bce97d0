"""Find the model that each role asks, and check it before anything is started."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from manyhands.actors.mllm import (
    NO_WAIT,
    LoadingWait,
    ModelClient,
    ModelSettings,
    ServedModel,
    served_model,
    suggest_address,
)
from manyhands.actors.mllm.formats import Native
from manyhands.actors.mllm.native import NATIVE_FORMS
from manyhands.actors.profiles import profile_of
from manyhands.actors.roles.base import USUAL, try_role
from manyhands.deploy.fleet.model_servers.cross_question import try_crosses
from manyhands.deploy.fleet.model_servers.model_dialects import (
    check_sight,
    choose_dialect,
    given_dialect,
    in_own_form,
    with_family_pictures,
)
from manyhands.deploy.fleet.model_servers.token_budgets import attempt_limit_s, check_token_budgets
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.models import PENALTIES, REHEARSED, SAMPLING, ModelOptions, RoleModel
from manyhands.protocol.errors import BadInput, ModelUnreachable, first_error
from manyhands.protocol.profiles.declaration import registered_profiles
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.run_summary import AskedModel
from manyhands.protocol.utilities.validation_words import describe_error, suggest

RoleModels = Mapping[Role, ModelSettings]
TrialQuestion = Callable[[ModelSettings], Awaitable[None]]
"""Asks each server of a model one question; the model's name must be known. Raises BadInput."""

Tell = Callable[[str], None]
"""Shows a line to whoever starts a run."""
SettingsOfServed = Callable[[ServedModel], ModelSettings]
"""Returns the settings with which a served model is asked. Raises BadInput."""
REHEARSED_MODEL = "manyhands-rehearsed"
"""The name under which the rehearsed model serves, so that nobody takes it for another."""
REHEARSED_SOURCE = "the rehearsed model, a stand-in for Qwen-VL; none of its figures is a figure of Qwen-VL"
CANNED_MODEL = "manyhands-canned"
CANNED_SOURCE = "the canned model: fixed replies, no look at a picture; none of its figures is a figure of Qwen-VL"
MODEL_SOURCES = {REHEARSED_MODEL: REHEARSED_SOURCE, CANNED_MODEL: CANNED_SOURCE}
"""Descriptions of the stand-in models, by the name under which they serve."""
REHEARSED_FAMILIES = ("ui-venus-2", "plain-chat")
"""The dialects of the families whose forms the rehearsed model writes."""
_SOON = ("http://127.0.0.1",)
"""Takes the place of the rehearsed model's address until this model has started."""
_FLAGS = {"urls": "mllm_url", "output": "output_format"}
"""Command-line names of fields of ModelSettings, if they differ."""
_OWN = {"urls": "url"}
"""Names of fields of ModelSettings in a role's own settings, if they differ."""


def has_family_form(episode: EpisodeSettings) -> bool:
    """Return whether the profile's operator is asked in the form of its model's family. Raises ProfileUnusable."""
    return profile_of(episode.profile).declaration.has_family_form


def role_models(settings: FleetSettings) -> RoleModels:
    """Return the model of each role that asks a server. Roles that ask the rehearsed model are left out.

    Raises BadInput that names the flag, or the role's setting.
    """
    options, urls = settings.groups.model, _urls(settings.groups.model, settings.episode)
    repairs = 0 if settings.episode.paper_exact else 1
    # Find mistakes in the rehearsed model's settings now, before it has been started and has an address.
    others: dict[str, Any] = {"repairs": repairs, "timeout_s": attempt_limit_s(settings.episode)}
    outputs = profile_of(settings.episode.profile).declaration.outputs
    models = {
        role: _model_of(
            options,
            role,
            _SOON if at == (REHEARSED,) else at,
            others | ({"output": outputs[role]} if role in outputs else {}),
        )
        for role, at in urls.items()
    }
    if options.system_prompt is not None:
        if not has_family_form(settings.episode):
            first = registered_profiles().with_family_form[0]
            raise BadInput(f"--system-prompt: only the profile {first} takes one; say --profile {first}")
        card = read_card(options.system_prompt)
        models[Role.DECIDE] = models[Role.DECIDE].model_copy(update={"system_prompt": card})
    if urls.get(Role.DECIDE) == (REHEARSED,):
        _check_form(settings, models[Role.DECIDE])
    return {role: model for role, model in models.items() if urls[role] != (REHEARSED,)}


def rehearsed_roles(settings: FleetSettings) -> frozenset[Role]:
    """Return the roles that ask the rehearsed model. Raises BadInput if a role mixes it with servers."""
    return frozenset(
        role for role, urls in _urls(settings.groups.model, settings.episode).items() if urls == (REHEARSED,)
    )


async def check_models(settings: FleetSettings, models: RoleModels, tell: Tell | None = None) -> RoleModels:
    """Ask every server whether it serves its model, and return the models with their names.

    Each server also gets a trial question in the form of its role's questions. If several roles have the same model,
    the model is asked once: as by the role with the most pictures and the longest reply. As by the judge it is asked
    only if no other role has the model, because few tasks ask the judge. The agent of ``native`` always asks: in the
    form and with the sampling of its model's family, and with all pictures of a chat. ``tell``: called with a line if a
    server may still be loading its model and is waited for. Raises BadInput that names the server, and the flag or the
    setting.
    """
    options = settings.groups.model
    in_turn = sorted(
        models.items(), key=lambda one: (one[0] is not Role.JUDGE, one[0].spec.pictures, one[0].spec.longest_reply)
    )
    keys = {role: (given_dialect(options, role), _key(model)) for role, model in models.items()}
    named = {keys[role]: (model, role) for role, model in in_turn}
    agent = models.get(Role.DECIDE) if has_family_form(settings.episode) else None
    with first_error():
        async with asyncio.TaskGroup() as group:
            checks = {
                key: group.create_task(
                    _check_model(settings, role, model, key[0], tell, agent if key == keys.get(Role.DECIDE) else None)
                )
                for key, (model, role) in named.items()
            }
    checked_models = {role: checks[keys[role]].result() for role in models}
    named_models = {
        role: model.model_copy(update={"model": checked_models[role].model, "dialect": checked_models[role].dialect})
        for role, model in models.items()
    }
    decide = named_models.get(Role.DECIDE)  # roles that ask the rehearsed model are checked later
    if decide is not None and decide.model in MODEL_SOURCES:
        _check_form(settings, decide)
    elif decide is not None and agent is not None:
        named_models[Role.DECIDE] = in_own_form(decide, options, settings.episode)
    await check_token_budgets(
        settings.episode, {role: model for role, model in named_models.items() if model.model not in MODEL_SOURCES}
    )
    return named_models


async def _check_model(
    settings: FleetSettings,
    role: Role,
    model: ModelSettings,
    own_dialect: str | None,
    tell: Tell | None,
    agent: ModelSettings | None,
) -> ModelSettings:
    """Check the servers of a role's model, and return its settings with its name and its dialect.

    ``agent``: the settings of the agent of ``native``, if it asks the same model.
    """

    def complete(served: ServedModel) -> ModelSettings:
        # A stand-in has no family: it reads prompts of every dialect.
        is_stand_in = served.name in MODEL_SOURCES
        dialect = model.dialect if is_stand_in else choose_dialect(served, own_dialect)
        check_sight(dialect, settings.episode)
        return model.model_copy(update={"model": served.name, "dialect": dialect})

    async def try_questions(named: ModelSettings) -> None:
        models_to_try = {role: named}
        if agent is not None:
            agent_model = agent.model_copy(update={"model": named.model, "dialect": named.dialect})
            models_to_try[Role.DECIDE] = _as_native(agent_model, settings)
        for one, its in models_to_try.items():
            episode = settings.episode if agent is None else with_family_pictures(settings.episode, its)
            await _try_role(episode, one, its)
        if named.model not in MODEL_SOURCES and settings.episode.shows_pictures:
            await try_crosses(named)

    where, wait = _where(settings.groups.model, role, "urls"), LoadingWait(settings.groups.model.model_wait_s, tell)
    return await check_servers(model, where, complete, try_questions, wait)


def _as_native(agent: ModelSettings, settings: FleetSettings) -> ModelSettings:
    """Return the settings of the agent of ``native``. A stand-in has no family, so it has no form of its own."""
    if agent.model in MODEL_SOURCES:
        return agent
    return in_own_form(agent, settings.groups.model, settings.episode)


async def _try_role(episode: EpisodeSettings, role: Role, model: ModelSettings) -> None:
    profile = profile_of(episode.profile)
    agent = next((one for one in profile.agents(episode) if one.role is role), None)
    await try_role(profile.role_settings(episode, model), role, None if agent is None else agent.shows(episode, USUAL))


def asked_models(models: RoleModels) -> dict[str, AskedModel]:
    """Return what run.yaml records of checked models, by role."""
    return {
        role.value: AskedModel(
            model=model.model or "",
            servers=model.urls,
            max_tokens=model.max_tokens[role],
            system_prompt_sha256=card_hash(model.system_prompt) if model.system_prompt else None,
            **model.model_dump(include={*SAMPLING, *PENALTIES}),
        )
        for role, model in models.items()
    }


def model_source(models: RoleModels) -> str:
    """Return one line that names the models. It calls a stand-in a stand-in."""
    named = {role: _named(model) for role, model in models.items()}
    if len(set(named.values())) == 1:
        return next(iter(named.values()))
    return "; ".join(f"{role.value}: {name}" for role, name in named.items())


def _named(model: ModelSettings) -> str:
    return MODEL_SOURCES.get(model.model or "", f"{model.model} at {', '.join(model.urls)}")


def _key(model: ModelSettings) -> str:
    return model.model_dump_json(exclude={"max_tokens"})


def _urls(options: ModelOptions, episode: EpisodeSettings) -> dict[Role, tuple[str, ...]]:
    """Return each role's servers. Raises BadInput."""
    urls = {}
    roles = (*profile_of(episode.profile).roles(episode), Role.JUDGE)
    for role in (*roles, Role.CAPTION) if episode.captions else roles:
        own = options.models.get(role, RoleModel())
        urls[role] = own.url or options.mllm_url
        if not urls[role] and role is Role.JUDGE:  # a check that asks it stays undecided
            del urls[role]
            continue
        if not urls[role]:
            raise BadInput("--mllm-url: name a model server, or 'rehearsed' for the stand-in")
        for url in urls[role]:
            suggestion = suggest(url, (REHEARSED,))
            if suggestion and url != REHEARSED:
                raise BadInput(
                    f"{_where(options, role, 'urls')}: {url!r} is neither a server nor a stand-in{suggestion}"
                )
        if REHEARSED in urls[role] and len(urls[role]) > 1:
            raise BadInput(
                f"{_where(options, role, 'urls')}: 'rehearsed' stands alone; it cannot be mixed with servers"
            )
    if urls.get(Role.DECIDE) == (REHEARSED,):
        _check_parts(episode)
    if urls.get(Role.CAPTION) == (REHEARSED,):  # the rehearsed model reads text and knows no icons
        del urls[Role.CAPTION]
    return urls


def _check_parts(episode: EpisodeSettings) -> None:
    """Raise BadInput if the settings turn off parts without which the rehearsed model can only wait."""
    profile = profile_of(episode.profile)
    needed = [part for part in profile.parts if part in profile.declaration.needed_by_rehearsed]
    missing = [part for part in needed if part in episode.without]
    if missing:
        others = ", ".join(part for part in profile.parts if part not in needed)
        raise BadInput(
            f"--without {','.join(missing)}: the rehearsed model reads its next action off {', '.join(needed)} and can "
            f"do nothing without them; with it can be left out: {others}. A real model can do without any"
        )


def _check_form(settings: FleetSettings, stand_in: ModelSettings) -> None:
    """Raise BadInput if a stand-in would be asked in the form of a model family that it does not write."""
    if stand_in.dialect in REHEARSED_FAMILIES and stand_in.model != CANNED_MODEL:
        return
    if has_family_form(settings.episode) and stand_in.output == Native.name and stand_in.dialect in NATIVE_FORMS:
        raise BadInput(
            f"{_where(settings.groups.model, Role.DECIDE, 'output')} {Native.name}: a stand-in such as the rehearsed "
            f"model does not write the form of {stand_in.dialect}; leave it out, say --dialect {REHEARSED_FAMILIES[0]} "
            "for the rehearsed model, or name the server of a real model"
        )


def _model_of(options: ModelOptions, role: Role, urls: tuple[str, ...], others: Mapping[str, Any]) -> ModelSettings:
    try:
        return ModelSettings.model_validate({"urls": urls, **others, **options.of_role(role)})
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"{_where(options, role, str(first['loc'][0]))}: {describe_error(first)}") from error


def _where(options: ModelOptions, role: Role, field: str) -> str:
    """Return where the user gave a field of ModelSettings: the name of a role's setting, or of a flag."""
    name = _OWN.get(field, field)
    if getattr(options.models.get(role), name, None):
        return f"models.{role.value}.{name}"
    return f"--{_FLAGS.get(field, field).replace('_', '-')}"


def _name(settings: ModelSettings) -> SettingsOfServed:
    return lambda served: settings.model_copy(update={"model": served.name})


async def check_servers(
    settings: ModelSettings,
    where: str = "--mllm-url",
    complete: SettingsOfServed | None = None,
    asks: TrialQuestion | None = None,
    wait: LoadingWait = NO_WAIT,
) -> ModelSettings:
    """Return the settings with the model's name, after every server has listed it and accepted them.

    ``where`` names the setting that gave the servers, for the error. ``complete`` returns the settings for the model
    that is served; by default they get its name. ``asks`` sends each server a trial question. ``wait`` says how long a
    server may be loading. Raises BadInput that names the setting and the server.
    """
    try:
        named = (complete or _name(settings))(await served_model(settings, wait))
        client = ModelClient(named)
        await client.start()
        await client.stop()
        if asks is not None:
            await asks(named)
    except (BadInput, ModelUnreachable) as error:
        names_flag = str(error).startswith("--")  # the message says itself which one is wrong
        raise BadInput(str(error) if names_flag else f"{where}: {error}") from error
    return named


def server_address(url: str) -> str:
    """Return an http(s) address without a password, because reports show it. Raises BadInput."""
    if not url.startswith(("http://", "https://")):
        suggestion = suggest(url, (REHEARSED,)) or f"; write {suggest_address(url)}"
        raise BadInput(f"--mllm-url: {url!r} is no http:// or https:// address{suggestion}")
    if "@" in urlsplit(url).netloc:
        raise BadInput("--mllm-url: must not hold a password; name the variable that holds the key: --api-key-env")
    return url


def read_card(path: Path) -> str:
    """Return the system prompt in a file, to the letter. Raises BadInput."""
    try:
        text = path.read_bytes().decode()
    except (OSError, ValueError) as error:
        raise BadInput(f"--system-prompt {path}: cannot be read: {error}") from error
    if not text.strip():
        raise BadInput(f"--system-prompt {path}: is empty; leave the option out for our own prompt")
    return text


def card_hash(card: str) -> str:
    """Return the hash by which run.yaml records a system prompt: that of its file."""
    return sha256(card.encode()).hexdigest()
