"""The settings of a run. A field's docstring is its row in docs/settings.md; its first paragraph is its flag's help.

After a change: ``make settings`` writes the page and the keywords of ``Fleet`` anew.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from manyhands.deploy.settings.sites import behind_brokers
from manyhands.protocol.base import Input
from manyhands.protocol.declared import Default, Flag
from manyhands.protocol.errors import BadInput
from manyhands.protocol.geometry import Size
from manyhands.protocol.phones import PhoneLimits
from manyhands.protocol.roles import Role
from manyhands.protocol.runs import EpisodeSettings, SpeculationSettings
from manyhands.protocol.written import Mistake, Mistaken, mistakes_in

if TYPE_CHECKING:
    from manyhands.actors.perception.settings import PerceptionSettings

ENV_PREFIX = "MANYHANDS_"
REHEARSED = "rehearsed"


def split_list(text: str) -> list[str]:
    """Split a list that is written with commas; a comma within a URL does not count."""
    separator = r",(?=https?://)" if text.startswith(("http://", "https://")) else ","
    return [part for part in re.split(separator, text) if part]


def _listed(given: Any) -> Any:
    """Read one text as a list: JSON or with commas, for an environment variable holds no list."""
    if not isinstance(given, str):
        return given
    return json.loads(given) if given.startswith("[") else split_list(given)


def _without_secrets(urls: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse passwords, because settings are recorded in the run folder."""
    if any("@" in urlsplit(url).netloc for url in urls):
        raise ValueError("a URL must not hold a password; name the environment variable with the key: api_key_env")
    return urls


def _addresses(phones: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse addresses of phones that cannot be read, or that hold a password."""
    try:
        behind_brokers(phones)
    except BadInput as error:
        raise ValueError(str(error)) from error
    return phones


def _renamed(given: dict[str, Any], earlier: str, now: str) -> dict[str, Any]:
    """Return a mapping in which what an earlier name holds is found under the present one, unless both are there."""
    if earlier not in given or now in given:
        return given
    return {now if key == earlier else key: value for key, value in given.items()}


Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
Urls = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed), AfterValidator(_without_secrets)]

_LONGEST = ", ".join(f"{role.spec.longest_reply} for `{role}`" for role in Role)


class RoleModel(Input):
    """Override the run's model settings for one role. A field that is not given is the run's.

    A role with servers of its own takes neither the run's ``model`` nor its ``api_key_env``: those belong to the
    run's servers.
    """

    model_config = ConfigDict(use_attribute_docstrings=True)

    url: Annotated[Urls, Default("`mllm_url`")] = ()
    """The role's own servers, or `rehearsed`."""
    model: Annotated[str | None, Default("the run's; with a `url` of its own, the first that this server lists")] = None
    """The model's name."""
    dialect: Annotated[str | None, Default("the run's")] = None
    """The model family's conventions."""
    max_pixels: Annotated[int | None, Default("the run's")] = Field(default=None, ge=1)
    """The largest picture, in pixels, that the servers accept."""
    output: Annotated[str | None, Default("the run's")] = None
    """The format of replies."""
    grammar: Annotated[str | None, Default("the run's")] = None
    """The servers' structured-output backend."""
    temperature: Annotated[float | None, Default("the run's")] = Field(default=None, ge=0, le=2)
    """The sampling temperature."""
    seed: Annotated[int | None, Default("the run's")] = Field(default=None, ge=0)
    """The seed of sampling."""
    api_key_env: Annotated[str | None, Default("the run's; with a `url` of its own, none")] = None
    """The environment variable that holds the key. A key is sent only to the servers that it was given for."""
    max_tokens: Annotated[int | None, Default(_LONGEST)] = Field(default=None, ge=1)
    """The longest answer, in tokens."""


RehearsedLessons = Literal[
    "good",
    "full-field",
    "wrong-app",
    "missing-tap",
    "bad-precondition",
    "invented",
    "no-precondition",
    "action-name",
    "literal",
    "injection",
    "marks",
]


class RehearsalOptions(Input):
    """Configure the rehearsed model, a stand-in for Qwen-VL."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    mistakes: Annotated[float, Flag("run", "suite single-step", "demo", "rehearse", "bench step")] = Field(
        default=0.0, ge=0, le=1
    )
    """Rehearsed model: share of replies that are wrong on purpose."""
    seed: Annotated[int, Flag("run", "suite single-step", "demo", "rehearse", "bench step")] = 0
    """Rehearsed model: seed of its mistakes."""
    lessons: Annotated[RehearsedLessons, Flag("run", "rehearse")] = "good"
    """Rehearsed model: what is wrong, on purpose, with what it teaches or with how it uses shortcuts."""
    latency_s: Annotated[
        dict[Role, float],
        Flag("run", "demo", "rehearse", "bench step", "bench fleet", "bench chaos", "bench edge", name="latency"),
        Default("0"),
    ] = Field(default_factory=dict)
    """Stand-in model: shortest time of a reply by role; as a flag ROLE=SECONDS, such as `plan=2.5`."""
    tokens_per_s: Annotated[float | None, Flag("run", "rehearse"), Default("unlimited")] = Field(default=None, gt=0)
    """Rehearsed model: capacity shared by all requests."""
    host: Annotated[str, Default("`127.0.0.1`; in a cluster with other nodes, this node's address there")] = "127.0.0.1"
    """Rehearsed model: the address on which it listens. It asks for no key."""


class VirtualOptions(Input):
    """Configure the virtual phones that a run starts."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    size: Annotated[
        str,
        Flag(
            "run",
            "demo",
            "simulate",
            "bench step",
            "bench fleet",
            "bench overhead",
            "bench soak",
            "bench chaos",
            "bench edge",
        ),
    ] = "1080x2400"
    """Virtual phones: width and height in pixels."""
    seed: Annotated[int, Flag("run", "demo", "simulate", "bench step", "bench fleet")] = 0
    """Virtual phones: seed of what they hold."""
    transitions: Annotated[Literal["bursts", "pauses"] | None, Flag("simulate"), Default("at once")] = None
    """Virtual phones: how a screen changes after an input: `bursts`, `pauses` (docs/settling.md)."""
    cut: Annotated[str | None, Flag("run", "demo", "simulate"), Default("never")] = None
    """Virtual phones: cut each connection once, SECONDS@INPUTS: `6@10` cuts it for 6 s after 10 inputs."""

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
        """Return the size as numbers."""
        width, height = self.size.split("x")
        return Size(width=int(width), height=int(height))


class FleetSettings(BaseSettings):
    """Hold all that a run needs to know, apart from its tasks."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_nested_delimiter="__",
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
    )

    phones: Annotated[
        Words, AfterValidator(_addresses), Flag("run", "resume", "phones"), Default("all usable ones of this machine")
    ] = ()
    """adb serials, phones behind a broker (`mqtts://HOST/SITE/*`, docs/edge.md), or one `virtual:N`.

    A named phone that is away is tried again and again while the others work. Where none is named, phones that
    are listed as unauthorized or offline are left out, and reported; so are those of a whole site.
    """
    phone_wait_s: float = Field(default=15.0, gt=0, le=3600)
    """Seconds that a run waits at its start until one of the named phones is there.

    If none comes, the run ends with exit code 2.
    """
    mllm_url: Annotated[Urls, Flag("run", "suite single-step", "resume", "doctor")] = ()
    """OpenAI-compatible servers, or `rehearsed`: a stand-in for Qwen-VL."""
    model: Annotated[
        str | None,
        Flag("run", "suite single-step", "replay", "prompt-stats"),
        Default("the first that the server lists"),
    ] = None
    """The model's name."""
    dialect: Annotated[str, Flag("run", "suite single-step")] = "qwen3-vl"
    """The model family's conventions, such as `qwen3-vl`; `manyhands mllm` prints the one to use.

    `qwen3-vl`, `qwen3.5` and `gui-owl-1.5` have coordinates from 0 to 1000; `qwen2.5-vl`, `gui-owl` and `ui-tars-1.5`
    have pixels of the resized picture.
    """
    api_key_env: Annotated[str | None, Flag("run", "suite single-step", "replay", "prompt-stats")] = None
    """The environment variable that holds the servers' key.

    The key itself is never written anywhere.
    """
    max_pixels: Annotated[int | None, Flag("run", "suite single-step"), Default("the family's own")] = Field(
        default=None, ge=1
    )
    """The cap on a picture's pixels that the servers were started with."""
    output: Annotated[str, Flag("run", "suite single-step", name="output-format")] = "json"
    """The format of replies: `json` under a schema, `tool_call`, `headers`."""
    grammar: Annotated[str, Flag("run", "suite single-step")] = "guidance"
    """The servers' structured-output backend: `guidance`, or `other`: schemas without limits on strings."""
    temperature: Annotated[float, Flag("run", "suite single-step")] = Field(default=0.0, ge=0, le=2)
    """The sampling temperature; 0 always takes the likeliest token.

    Above 0 is refused for a vLLM whose version ends in `+cpu`: a seed ends its engine.
    """
    seed: Annotated[int, Flag("run", "suite single-step", "demo", "bench step", "bench fleet")] = Field(default=0, ge=0)
    """Seed of sampling; the flag also sets `rehearsal.seed` and `virtual.seed`."""
    max_in_flight: Annotated[int, Flag("run")] = Field(default=64, ge=1, le=4096)
    """Requests that one role actor has at its servers at a time."""
    speculation: SpeculationSettings = SpeculationSettings()
    """When the schedule `speculate` may ask ahead of time (docs/monitoring.md)."""
    models: dict[Role, RoleModel] = Field(default_factory=dict)
    """Model settings of single roles."""
    out: Annotated[
        Path | None,
        Flag(
            "run",
            "demo",
            "bench step",
            "bench fleet",
            "bench overhead",
            "bench soak",
            "bench perceive",
            "bench chaos",
            "bench edge",
        ),
        Default("`runs/<time>_<name>`"),
    ] = None
    """The run folder.

    Where nothing could be started and nothing was logged, none is left.
    """
    name: str = Field(default="run", pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,60}$")
    """Part of the run folder's name."""
    episode: EpisodeSettings = Field(
        default=EpisodeSettings(),
        # A command that carries out no episode, such as `phones`, needs none of the libraries of profiles.
        validate_default=False,
    )
    """How an episode is carried out."""
    tips: Annotated[Path | None, Flag("run"), Default("none")] = None
    """A file of tips that every task knows beside the initial ones (docs/memory.md)."""
    shortcuts: Annotated[Path | None, Flag("run"), Default("none")] = None
    """A file of shortcuts that every task knows beside the initial one (docs/memory.md)."""
    memory: Annotated[Path | None, Flag("run"), Default("`memory.sqlite` in the run folder")] = None
    """The file of what tasks of a profile that learns have taught, to share it over runs (docs/memory.md).

    It is made where there is none.
    """
    memory_tokens: int = Field(default=3000, ge=100, le=1_000_000)
    """How much of a task's brief may be what was learned, in tokens; beyond that a retriever chooses (profile `e+evo`).

    About a tenth of the model's context, less where a step is to be cheap.
    """
    stagger_s: float = Field(default=0.1, ge=0, le=60)
    """Seconds between the first tasks of one phone and the next."""
    hosts: int = Field(default=1, ge=1, le=64)
    """EpisodeHost actors."""
    role_actors: Annotated[int | None, Default("2 in a cluster of several nodes, else 1")] = Field(
        default=None, ge=1, le=64
    )
    """Actors of each role, on different nodes of a cluster: the others answer when one is lost."""
    perception: dict[str, Any] = Field(default_factory=dict)
    """Engines and their models, batches, caches (docs/perception.md).

    For instance `{text_engine: paddle, paddle: {device: "gpu:0", det_model_dir: ..., rec_model_dir: ...}}`.
    """
    perception_actors: int = Field(default=1, ge=1, le=64)
    """PerceptionService actors."""
    perception_threads: Annotated[
        int | None, Default("`perception_cores`, or the cores of the actor's machine, at most 4")
    ] = Field(default=None, ge=1, le=64)
    """Readers in each perception actor."""
    perception_cores: float = Field(default=0, ge=0, le=1024)
    """CPUs that Ray reserves for each perception actor, so that they are spread over machines."""
    perception_gpus: float = Field(default=0, ge=0, le=64)
    """Share of a GPU for each perception actor, such as 0.25; above 1 whole ones."""
    perception_labels: Annotated[dict[str, str], Default("spread over all nodes")] = Field(default_factory=dict)
    """Labels of the Ray nodes on which perception actors may run."""
    perception_python: Annotated[Path | None, Default("this one")] = None
    """The Python that runs perception actors, for engines with an environment of their own (docs/perception.md)."""
    perception_wait_s: float = Field(default=60, gt=0)
    """A perception actor refuses a picture that has waited so long; another actor is tried."""
    transport: str = "adb"
    """The way to phones: a name in `deploy/fleet/transports.py`."""
    adb_host: Annotated[str, Flag("gateway")] = "127.0.0.1"
    """Host of the adb server."""
    adb_port: Annotated[
        int,
        Flag(
            "run",
            "resume",
            "demo",
            "simulate",
            "phones",
            "gateway",
            "doctor",
            "bench step",
            "bench fleet",
            "bench overhead",
            "bench soak",
            "bench perceive",
        ),
    ] = Field(default=5037, ge=1, le=65535)
    """Port of the adb server.

    One is started where none runs on this machine, also during a run, and it is never killed.
    """
    state_dir: Annotated[Path, Flag("gateway")] = Path("~/.local/state/manyhands")
    """Leases and action keys of this host's phones, shared by all its runs."""
    label_providers: Annotated[Words, Flag("gateway", name="label-provider")] = ()
    """Content providers on the phones that list apps with their labels."""
    reset_provider: Annotated[str | None, Flag("gateway")] = None
    """A content provider on the phones that has a method `reset`."""
    mqtt_ca: Annotated[Path | None, Flag("run", "resume", "phones"), Default("those of the system")] = None
    """The certificates by which a broker is trusted (docs/edge.md)."""
    mqtt_cert: Annotated[Path | None, Flag("run", "resume", "phones"), Default("none")] = None
    """Our certificate for brokers that ask for one."""
    mqtt_key: Annotated[Path | None, Flag("run", "resume", "phones"), Default("none")] = None
    """The key of that certificate."""
    mqtt_user_env: Annotated[str | None, Flag("run", "resume", "phones"), Default("none")] = None
    """The environment variable that holds our name at brokers."""
    mqtt_password_env: Annotated[str | None, Flag("run", "resume", "phones"), Default("none")] = None
    """The environment variable that holds our password at brokers.

    The password itself is never written anywhere.
    """
    mqtt_version: Literal["5", "3.1.1"] = "5"
    """The version of MQTT that brokers speak."""
    phone_limits: PhoneLimits = PhoneLimits()
    """What a phone must have to be given a task."""
    ray_address: Annotated[str | None, Flag("run", "resume", "doctor"), Default("a local Ray of the run's own")] = None
    """A running Ray cluster, such as `auto` (docs/ray.md)."""
    node_wait_s: float = Field(default=0, ge=0, le=3600)
    """Seconds that a run waits at its start for a node with the labels, cores and GPUs that its actors ask for.

    For a cluster that grows when it is asked to: as long as a machine takes to start. Else it ends with exit code 2.
    """
    rehearsal: RehearsalOptions = RehearsalOptions()
    """The rehearsed model that a run starts."""
    virtual: VirtualOptions = VirtualOptions()
    """The virtual phones that a run starts."""
    metrics_port: Annotated[int | None, Flag("run", "gateway"), Default("no metrics")] = Field(
        default=None, ge=0, le=65535
    )
    """Port that serves the run's metrics to Prometheus; 0 takes a free one (docs/monitoring.md)."""
    metrics_host: Annotated[str, Flag("run", "gateway")] = "127.0.0.1"
    """Address of that port; the default is reached from this machine only."""

    @field_validator("episode")
    @classmethod
    def _is_known_to_profiles(cls, chosen: EpisodeSettings) -> EpisodeSettings:
        # Not at the top: a profile's stages need libraries that not every command has.
        from manyhands.actors.episode.profile import SettingRefused
        from manyhands.actors.profiles import profile_of

        try:
            profile = profile_of(chosen.profile)
        except ValueError as error:
            raise Mistaken([Mistake(("profile",), str(error))]) from error
        try:
            profile.check(chosen)
        except SettingRefused as error:
            raise Mistaken([Mistake((error.setting,), str(error))]) from error
        return profile.settled(chosen)

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

    @field_validator("perception_python", "mqtt_ca", "mqtt_cert", "mqtt_key", "tips", "shortcuts", "memory")
    @classmethod
    def _is_found_from_anywhere(cls, path: Path | None) -> Path | None:
        """Make it absolute without resolving it: a virtual environment's Python is a link in that environment."""
        return None if path is None else path.expanduser().absolute()

    @field_validator("perception_gpus")
    @classmethod
    def _is_a_share_or_whole(cls, gpus: float) -> float:
        if gpus > 1 and not gpus.is_integer():
            raise ValueError(f"{gpus:g} GPUs: a share of one, or whole ones")
        return gpus

    @model_validator(mode="before")
    @classmethod
    def _earlier_names(cls, given: Any) -> Any:
        """Read files written under earlier names: `room` is `speculation`, `letter` of an episode `paper_exact`."""
        if isinstance(given, dict):
            given = _renamed(given, "room", "speculation")
            if isinstance(given.get("episode"), dict):
                given = {**given, "episode": _renamed(given["episode"], "letter", "paper_exact")}
        return given

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

    def perception_settings(self, workers: int | None) -> PerceptionSettings:
        """Return the settings of a service with so many readers; None counts the cores of its machine, at most 4."""
        from manyhands.actors.perception.settings import PerceptionSettings

        chosen = {**self.perception, "workers": workers, "longest_wait_s": self.perception_wait_s}
        return PerceptionSettings.model_validate(chosen)

    @property
    def virtual_phones(self) -> int | None:
        """Return N of ``virtual:N``, None where the serials are real. Raises BadInput."""
        marked = [phone for phone in self.phones if phone.startswith("virtual")]
        if not marked:
            return None
        count = marked[0].removeprefix("virtual:")
        if len(self.phones) > 1 or not count.isdecimal() or not 1 <= int(count) <= 1000:
            raise BadInput(f"--phones {','.join(self.phones)}: write one virtual:N with N from 1 to 1000, or serials")
        return int(count)
