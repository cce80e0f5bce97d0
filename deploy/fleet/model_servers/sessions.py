"""Let episodes ask their models through a trainer's gateway, if settings name one."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from manyhands.actors.mllm.sessions import SessionSettings, check_gateway, sessions_of
from manyhands.deploy.fleet.model_servers.resolution import RoleModels
from manyhands.deploy.settings.models import ModelOptions, RoleModel
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import Record
from manyhands.protocol.utilities.validation_words import describe_error
from manyhands.rollouts.trajectories import RunTrajectories, load_reward


def session_settings(options: ModelOptions) -> SessionSettings | None:
    """Return where episodes have sessions; None if settings name no gateway. Raises BadInput."""
    if options.model_sessions is None:
        if options.model_sessions_url is not None:
            raise BadInput("--model-sessions: say whose gateway --model-sessions-url is: rllm, areal, agent-lightning")
        return None
    if options.model_sessions_url is None:
        raise BadInput("--model-sessions-url: name the address of the trainer's gateway")
    settings = SessionSettings(
        kind=options.model_sessions,
        url=options.model_sessions_url.rstrip("/").removesuffix("/v1"),
        api_key_env=options.model_sessions_key_env,
    )
    try:
        sessions_of(settings)
    except ValidationError as error:
        raise BadInput(f"--model-sessions-url: {describe_error(error.errors()[0])}") from error
    return settings


async def check_sessions(options: ModelOptions) -> None:
    """Raise BadInput if settings name a gateway that does not answer."""
    settings = session_settings(options)
    if settings is not None:
        await check_gateway(settings)


def through_gateway(models: RoleModels, options: ModelOptions) -> RoleModels:
    """Return the models as episodes ask them.

    Roles that steps ask go through the gateway. Roles with servers of their own do not, nor do judges and learners:
    a trainer would learn from what they say. Raises BadInput.
    """
    settings = session_settings(options)
    if settings is None:
        return models
    gateway = {"urls": (settings.url,), "api_key_env": settings.api_key_env, "has_sessions": True}
    return {
        role: model.model_copy(update=gateway)
        if role.spec.in_steps and not options.models.get(role, RoleModel()).url
        else model
        for role, model in models.items()
    }


class EpisodeReward:
    """Say what an episode of a run earned, as the run's summary and its exports do. Several threads may ask."""

    def __init__(self, folder: Path, source: str) -> None:
        """``source``: what says it, the setting ``reward``."""
        self._folder = folder
        self._source = source
        self._lock = threading.Lock()
        self._trajectories: RunTrajectories | None = None
        """Set by the first question, which comes from the dispatcher's process."""

    def __reduce__(self) -> tuple[type[EpisodeReward], tuple[Path, str]]:
        return type(self), (self._folder, self._source)

    def __call__(self, records: Sequence[Record]) -> float | None:
        """Return the reward of the journal's episode; None if a fault ended it, or if nothing says it.

        Blocks. Raises BadInput and StoreError.
        """
        with self._lock:
            if self._trajectories is None:
                self._trajectories = RunTrajectories(self._folder, load_reward(self._source))
            return self._trajectories.reward_of(records)
