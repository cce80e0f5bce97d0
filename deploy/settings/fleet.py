"""Combine the settings of a run. A field's docstring is its row in docs/settings.md.

The first paragraph of a field's docstring is the help of its flag. People give settings without nesting: a setting has
one name in flags, the environment, YAML and the keywords of ``Fleet``. Settings that are passed on together are
declared in one group (``FleetSettings.groups``). After a change, run ``make settings``: it writes the page and the
keywords of ``Fleet``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from manyhands.deploy.settings.models import ModelOptions, RehearsalOptions
from manyhands.deploy.settings.perception import PerceptionOptions
from manyhands.deploy.settings.phones import AdbOptions, MqttOptions, PhoneOptions, TransportOptions, VirtualOptions
from manyhands.deploy.settings.values import COLLECTOR_URL, FROM_ANYWHERE, OptionGroup, Words
from manyhands.protocol.phones import PhoneLimits
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.utilities.setting_metadata import Default, Flag
from manyhands.protocol.utilities.yaml_document import YamlInvalid, YamlProblem

ENV_PREFIX = "MANYHANDS_"


def _age_recipients(keys: tuple[str, ...]) -> tuple[str, ...]:
    if keys:
        from manyhands.protocol.runs.run_cipher import check_recipients  # imported late: most commands need no age

        check_recipients(keys)
    return keys


class RunOptions(OptionGroup):
    """Configure how tasks are carried out, what they know from the start, and where the run is written."""

    panel: ClassVar[str] = "Output"

    out: Annotated[
        Path | None,
        Flag(
            "run",
            "environment",
            "doctor",
            "demo",
            "bench step",
            "bench fleet",
            "bench overhead",
            "bench attacks",
            "bench perceive",
            "bench chaos",
            "bench edge",
            is_common=True,
        ),
        Default("`runs/<time>_<name>`"),
    ] = None
    """The run folder."""
    redact: Annotated[Path | None, FROM_ANYWHERE, Flag("run", "resume"), Default("nothing")] = None
    """A file of texts, regions and apps that the run must not store (docs/storage.md)."""
    encrypt_with: Annotated[Words, AfterValidator(_age_recipients), Flag("run"), Default("nothing")] = ()
    """Public keys of age (`age1...`): only their owners can read what the run stores of screens (docs/storage.md)."""
    name: str = Field(default="run", pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,60}$")
    """Part of the run folder's name."""
    episode: EpisodeSettings = Field(
        default=EpisodeSettings(),
        # A command that carries out no episode, such as `phones`, does not load the libraries of profiles.
        validate_default=False,
    )
    """How an episode is carried out."""
    tips: Annotated[Path | None, FROM_ANYWHERE, Flag("run", panel="Memory"), Default("none")] = None
    """A file of tips that every task knows beside the initial ones (docs/memory.md)."""
    shortcuts: Annotated[Path | None, FROM_ANYWHERE, Flag("run", panel="Memory"), Default("none")] = None
    """A file of shortcuts that every task knows beside the initial one (docs/memory.md)."""
    memory: Annotated[
        Path | None, FROM_ANYWHERE, Flag("run", "doctor", panel="Memory"), Default("`memory.sqlite` in the run folder")
    ] = None
    """The file of learned tips and shortcuts, which runs may share (docs/memory.md).

    Only profiles that learn use it.
    """
    memory_tokens: int = Field(default=3000, ge=100, le=1_000_000)
    """The most tokens of learned tips and shortcuts that a task gets. If there are more, a retriever chooses."""
    reward: Annotated[str, Flag("run", "environment", panel="Limits")] = Field(
        default="check", pattern=r"^(check|rubrics|[A-Za-z_][\w.]*:[A-Za-z_]\w*)$"
    )
    """What an episode earns: `check`, `rubrics` (their share), or your function as `module:name` (docs/rollouts.md)."""
    canary: Annotated[int, Flag("run", "resume", panel="Limits")] = Field(default=0, ge=0)
    """Carry out this number of tasks first, and the others only if these are done (docs/tasks.md).

    A service does not use it.
    """
    max_failed_tasks: Annotated[int | None, Flag("run", "resume", panel="Limits"), Default("any number")] = Field(
        default=None, ge=1
    )
    """Start no more tasks after this number of failed tasks (docs/tasks.md).

    A service does not use it.
    """
    stagger_s: float = Field(default=0.1, ge=0, le=60)
    """Seconds between two phones' first tasks."""
    hosts: int = Field(default=1, ge=1, le=64)
    """The number of EpisodeHost actors, which run the episodes."""
    role_actors: Annotated[int | None, Default("2 in a cluster of several nodes, else 1")] = Field(
        default=None, ge=1, le=64
    )
    """The number of actors of each role. A cluster has them on different nodes: if one is lost, others answer."""

    @field_validator("episode")
    @classmethod
    def _is_known_to_profiles(cls, episode: EpisodeSettings) -> EpisodeSettings:
        # Imported here, because a profile's stages need libraries that not every command has.
        from manyhands.actors.episode.profile import SettingRefused
        from manyhands.actors.profiles import profile_of

        try:
            profile = profile_of(episode.profile)
        except ValueError as error:
            raise YamlInvalid([YamlProblem(("profile",), str(error))]) from error
        try:
            profile.check(episode)
        except SettingRefused as error:
            raise YamlInvalid([YamlProblem((error.setting,), str(error))]) from error
        return profile.settled(episode)


@dataclass(frozen=True, slots=True)
class SettingGroups:
    """Hold the settings of a run, grouped by the part that takes them."""

    adb: AdbOptions
    mqtt: MqttOptions
    model: ModelOptions
    perception: PerceptionOptions
    episode: EpisodeSettings
    virtual: VirtualOptions


# Order of fields: those of the bases from the last base to the first, then the fields of this class.
class FleetSettings(
    MqttOptions, AdbOptions, TransportOptions, PerceptionOptions, RunOptions, ModelOptions, PhoneOptions, BaseSettings
):
    """Hold all that a run needs to know, apart from its tasks."""

    panel: ClassVar[str] = "Cluster and metrics"

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_nested_delimiter="__",
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
    )

    phone_limits: PhoneLimits = PhoneLimits()
    """What a phone must have to be given a task."""
    ray_address: Annotated[str | None, Flag("run", "resume", "doctor"), Default("a local Ray of the run's own")] = None
    """A running Ray cluster, such as `auto` (docs/ray.md)."""
    node_wait_s: float = Field(default=0, ge=0, le=3600)
    """Seconds that a starting run waits for a growing cluster to offer the labels, cores and GPUs of its actors.

    Then it ends with exit code 2.
    """
    rehearsal: RehearsalOptions = RehearsalOptions()
    """The rehearsed model that a run starts."""
    virtual: VirtualOptions = VirtualOptions()
    """The virtual phones that a run starts."""
    metrics_port: Annotated[int | None, Flag("run", "gateway", "doctor"), Default("no metrics")] = Field(
        default=None, ge=0, le=65535
    )
    """Port that serves the run's metrics to Prometheus; 0 takes a free one (docs/monitoring.md)."""
    metrics_host: Annotated[str, Flag("run", "gateway", "doctor")] = "127.0.0.1"
    """The address of that port. Only this machine reaches the default."""
    otlp_endpoint: Annotated[str | None, COLLECTOR_URL, Flag("run", "resume", "traces send"), Default("no traces")] = (
        None
    )
    """A collector of OpenTelemetry, such as `http://127.0.0.1:4318`, that gets the run's spans (docs/monitoring.md)."""
    otlp_content: Annotated[bool, Flag("run", "resume", "traces send")] = False
    """Send goals, prompts, replies and answers with the spans. Pictures are never sent."""

    @property
    def groups(self) -> SettingGroups:
        """Return the settings in groups, one for each part that takes them."""
        return SettingGroups(
            adb=AdbOptions.model_construct(**self.values_of(AdbOptions)),
            mqtt=MqttOptions.model_construct(**self.values_of(MqttOptions)),
            model=ModelOptions.model_construct(**self.values_of(ModelOptions)),
            perception=PerceptionOptions.model_construct(**self.values_of(PerceptionOptions)),
            episode=self.episode,
            virtual=self.virtual,
        )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read keywords and the environment, no ``.env`` file and no files of secrets."""
        return init_settings, env_settings
