"""One settings model: flag > environment (``MANYHANDS_*``) > YAML file > default."""

from __future__ import annotations

import difflib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

import yaml
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict, SettingsError

from manyhands.protocol.base import Input
from manyhands.protocol.errors import BadInput
from manyhands.protocol.geometry import Size
from manyhands.protocol.roles import Role
from manyhands.protocol.runs import EpisodeSettings, RoomSettings
from manyhands.protocol.written import Mistake, Mistaken, Written, mistakes_in, nearest, read_yaml

if TYPE_CHECKING:
    from manyhands.actors.perception.settings import PerceptionSettings

ENV_PREFIX = "MANYHANDS_"
REHEARSED = "rehearsed"


def _listed(given: Any) -> Any:
    """One text as a list: separated by commas, or JSON, for the environment knows no lists."""
    if not isinstance(given, str):
        return given
    return json.loads(given) if given.startswith("[") else [part for part in given.split(",") if part]


def _without_secrets(urls: tuple[str, ...]) -> tuple[str, ...]:
    """Settings are recorded in the run folder."""
    if any("@" in urlsplit(url).netloc for url in urls):
        raise ValueError("a URL must not hold a password; name the environment variable with the key: api_key_env")
    return urls


Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
Urls = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed), AfterValidator(_without_secrets)]


class RoleModel(Input):
    """What is another for one role's model; a field not given is that of the run.

    A role with servers of its own takes neither the run's ``model`` nor its ``api_key_env``: those belong to the
    run's servers.
    """

    url: Urls = ()
    model: str | None = None
    dialect: str | None = None
    max_pixels: int | None = Field(default=None, gt=0)
    output: str | None = None
    grammar: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    seed: int | None = Field(default=None, ge=0)
    api_key_env: str | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    """Longest answer, in tokens."""


class RehearsalOptions(Input):
    """How the rehearsed model behaves when a run starts one (it stands in for Qwen-VL, and says so)."""

    mistakes: float = Field(default=0.0, ge=0, le=1)
    """Share of replies that are wrong on purpose."""
    seed: int = 0
    latency_s: dict[Role, float] = Field(default_factory=dict)
    """Seconds a reply takes at least, by role."""
    tokens_per_s: float | None = Field(default=None, gt=0)
    """Capacity shared by all requests; unlimited if not given."""


class VirtualOptions(Input):
    """What the virtual phones are like when a run starts some."""

    size: str = "1080x2400"
    """Width and height in pixels."""
    seed: int = 0
    transitions: Literal["bursts", "pauses"] | None = None
    """How what an input changes comes in, for measuring how well somebody knows the end (docs/settling.md)."""
    cut: str | None = None
    """``SECONDS@INPUTS``: every phone's connection is cut once for so long, when it has received so many inputs."""

    @field_validator("size")
    @classmethod
    def _is_a_size(cls, size: str) -> str:
        if not re.fullmatch(r"\d{3,4}x\d{3,4}", size):
            raise ValueError(f"--size {size}: write width and height in pixels, e.g. 1080x2400")
        return size

    @field_validator("cut")
    @classmethod
    def _is_a_cut(cls, cut: str | None) -> str | None:
        found = re.fullmatch(r"(\d{1,4}(?:\.\d{1,3})?)(?:@\d{1,5})?", "1" if cut is None else cut)
        if found is None or float(found[1]) == 0:
            raise ValueError(f"--cut {cut}: write SECONDS, or SECONDS@INPUTS, e.g. 6@10")
        return cut

    @property
    def pixels(self) -> Size:
        """The size as numbers."""
        width, height = self.size.split("x")
        return Size(width=int(width), height=int(height))


class FleetSettings(BaseSettings):
    """All that a run needs to know, apart from its tasks."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_nested_delimiter="__",
        frozen=True,
        extra="forbid",
    )

    phones: Words = ()
    """adb serials, or one ``virtual:N``; empty means every usable phone that adb lists."""
    phone_wait_s: float = Field(default=15.0, gt=0, le=3600)
    """How long a run waits at its start until one of the phones that it names is there."""
    mllm_url: Urls = ()
    """OpenAI-compatible servers, e.g. http://127.0.0.1:8000/v1, or the word ``rehearsed``."""
    model: str | None = None
    """The model's name; asked of the server if not given."""
    dialect: str = "qwen3-vl"
    api_key_env: str | None = None
    """Name of the environment variable that holds the server's key."""
    max_pixels: int | None = Field(default=None, gt=0)
    """The cap on a picture's pixels that the servers were started with; the family's own if not given."""
    output: str = "json"
    """How a reply is written: ``json``, ``tool_call`` or ``headers``."""
    grammar: str = "guidance"
    """The servers' structured-output backend: ``guidance`` keeps the limits of strings, ``other`` may not."""
    temperature: float = Field(default=0.0, ge=0, le=2)
    seed: int = Field(default=0, ge=0)
    max_in_flight: int = Field(default=64, ge=1, le=4096)
    """Requests that one role actor has at its servers at a time."""
    room: RoomSettings = RoomSettings()
    """When the schedule ``speculate`` may ask ahead of time (docs/monitoring.md)."""
    models: dict[Role, RoleModel] = Field(default_factory=dict)
    """What is another for a role."""
    out: Path | None = None
    """The run folder; ``runs/<time>_<name>`` if not given."""
    name: str = Field(default="run", pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,60}$")
    episode: EpisodeSettings = EpisodeSettings()
    stagger_s: float = Field(default=0.1, ge=0, le=60)
    """How long after one another phones begin their first tasks."""
    hosts: int = Field(default=1, ge=1, le=64)
    """EpisodeHost actors."""
    role_actors: int = Field(default=1, ge=1, le=64)
    """Actors of each role."""
    perception: dict[str, Any] = Field(default_factory=dict)
    """What is another than the default of PerceptionSettings: engines, their models, batches (docs/perception.md)."""
    perception_actors: int = Field(default=1, ge=1, le=64)
    perception_threads: int | None = Field(default=None, ge=1, le=64)
    """Readers in each perception actor; if not given, as many as it has ``perception_cores``, or as
    its machine has cores, at most 4."""
    perception_cores: float = Field(default=0, ge=0, le=1024)
    """Cores in Ray's books for each perception actor, so that several are spread over machines by them."""
    perception_gpus: float = Field(default=0, ge=0, le=64)
    """Share of a GPU for each perception actor, e.g. 0.25; above 1 whole ones."""
    perception_labels: dict[str, str] = Field(default_factory=dict)
    """Labels of the Ray nodes on which perception actors may run; spread over all if not given."""
    perception_python: Path | None = None
    """The Python that runs perception actors, for engines that need an environment of their own; ours if not given."""
    perception_wait_s: float = Field(default=60, gt=0)
    """A picture that has waited so long in a perception actor is refused, and sent to another one."""
    adb_host: str = "127.0.0.1"
    adb_port: int = Field(default=5037, ge=1, le=65535)
    state_dir: Path = Path("~/.local/state/manyhands")
    """Where this host keeps its phones' leases and action keys."""
    label_providers: Words = ()
    """Content providers on the phones that list apps with their labels."""
    reset_provider: str | None = None
    """A content provider on the phones that has a method ``reset``."""
    ray_address: str | None = None
    """A running cluster; a local Ray of this run's own if not given."""
    rehearsal: RehearsalOptions = RehearsalOptions()
    virtual: VirtualOptions = VirtualOptions()
    metrics_port: int | None = Field(default=None, ge=0, le=65535)
    """Where a run tells its figures to Prometheus; 0 takes a free port; not at all if not given."""
    metrics_host: str = "127.0.0.1"

    @field_validator("perception")
    @classmethod
    def _is_known_to_perception(cls, chosen: dict[str, Any]) -> dict[str, Any]:
        for name, ours in (("workers", "perception_threads"), ("longest_wait_s", "perception_wait_s")):
            if name in chosen:
                raise ValueError(f"{name!r}: write {ours} instead, beside perception")
        if chosen:
            # Not at the top: engines' modules need libraries that not every command has.
            from manyhands.actors.perception.settings import PerceptionSettings

            try:
                PerceptionSettings.model_validate(chosen)
            except ValidationError as error:
                raise Mistaken(mistakes_in(error, PerceptionSettings)) from error
        return chosen

    @field_validator("perception_python")
    @classmethod
    def _is_found_from_anywhere(cls, python: Path | None) -> Path | None:
        """Absolute, but not resolved: an environment's Python is a link, by whose place it knows the environment."""
        return None if python is None else python.expanduser().absolute()

    @field_validator("perception_gpus")
    @classmethod
    def _is_a_share_or_whole(cls, gpus: float) -> float:
        if gpus > 1 and not gpus.is_integer():
            raise ValueError(f"{gpus:g} GPUs: a share of one, or whole ones")
        return gpus

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings

    def perception_settings(self, workers: int | None) -> PerceptionSettings:
        """Of a service with so many readers; None for as many as its machine has cores, at most 4."""
        from manyhands.actors.perception.settings import PerceptionSettings

        chosen = {**self.perception, "workers": workers, "longest_wait_s": self.perception_wait_s}
        return PerceptionSettings.model_validate(chosen)

    @property
    def virtual_phones(self) -> int | None:
        """N of ``virtual:N``; None where real serials are meant. Raises BadInput."""
        marked = [phone for phone in self.phones if phone.startswith("virtual")]
        if not marked:
            return None
        count = marked[0].removeprefix("virtual:")
        if len(self.phones) > 1 or not count.isdecimal() or not 1 <= int(count) <= 1000:
            raise BadInput(f"--phones {','.join(self.phones)}: write one virtual:N with N from 1 to 1000, or serials")
        return int(count)


def load_settings(flags: dict[str, Any], config: Path | None = None) -> FleetSettings:
    """Settings from flags (nested mappings; None means not given), the environment and a YAML file.

    Raises BadInput that names all that is wrong: its line in the file, its key, the nearest known of an unknown one.
    """
    given = _without_none(flags)
    _check_variables()
    try:
        from_environment = FleetSettings(**given).model_dump(exclude_unset=True)
    except ValidationError as error:
        Written(given, "settings").refuse(mistakes_in(error, FleetSettings))
        raise
    except SettingsError as error:
        raise BadInput(f"environment: {error}; write JSON there, or one variable for each part") from error
    written = _read_settings(config) if config else Written({}, "settings")
    try:
        settings = FleetSettings(**_merge(written.data, _merge(from_environment, given)))
    except ValidationError as error:
        written.refuse(mistakes_in(error, FleetSettings))
        raise
    written.refuse(())
    return settings


def _check_variables() -> None:
    unknown = [name for name in sorted(os.environ) if name.startswith(ENV_PREFIX) and not _known_variable(name)]
    known = [ENV_PREFIX + field.upper() for field in FleetSettings.model_fields]
    said = [f"unknown variable {name}{nearest(difflib.get_close_matches(name, known, n=1))}" for name in unknown]
    Written(None, "environment").refuse([Mistake((), text) for text in said])


class _Loader(yaml.SafeLoader):
    """Of YAML 1.2's booleans: ``on`` and ``off`` are words, for settings have such names."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in known if tag != "tag:yaml.org,2002:bool"]
    for letter, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^([Tt]rue|TRUE|[Ff]alse|FALSE)$"), list("tTfF"))


def _read_settings(path: Path) -> Written:
    written = read_yaml(path, _Loader)
    if not isinstance(written.data, dict):
        raise BadInput(f"{path}: settings are a mapping of names to values")
    odd = [key for key in written.data if not isinstance(key, str)]  # no keywords of a model
    if odd:
        written.refuse([Mistake((key,), f"unknown key {key!r}; settings have names") for key in odd])
    return written


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        under = merged.get(key)
        merged[key] = _merge(under, value) if isinstance(value, dict) and isinstance(under, dict) else value
    return merged


def _without_none(flags: dict[str, Any]) -> dict[str, Any]:
    cleaned = {key: _without_none(value) if isinstance(value, dict) else value for key, value in flags.items()}
    return {key: value for key, value in cleaned.items() if value is not None and value != {}}


def _known_variable(name: str) -> bool:
    field = name.removeprefix(ENV_PREFIX).lower().split("__")[0]
    return field in FleetSettings.model_fields or field == "config"
