"""Declare the settings of models: for all roles, for one role, and for the rehearsed model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field

from manyhands.deploy.settings.values import FROM_ANYWHERE, OptionGroup, Urls
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import SpeculationSettings
from manyhands.protocol.utilities.setting_metadata import Default, Flag

REHEARSED = "rehearsed"
"""Stands for the rehearsed model in place of a server's URL."""
SAMPLING = frozenset({"dialect", "max_pixels", "output", "grammar", "temperature", "seed"})
"""Settings that decide what a model is sent, for all roles or one. ModelSettings has the same names."""
PENALTIES = frozenset({"top_p", "presence_penalty", "frequency_penalty", "repetition_penalty", "top_k"})
"""Further sampling, for all roles. The profile ``native`` takes what is not given from the model's family."""
_CLIENT = frozenset({"record_tokens", "max_in_flight", "speculation"})
"""Settings of the client of every role."""
_LONGEST = ", ".join(f"{role.spec.longest_reply} for `{role}`" for role in Role)


class RoleModel(PublicInput):
    """Override the run's model settings for one role. A field that is not given has the run's value.

    A role with its own servers takes neither ``model`` nor ``api_key_env`` from the run: those belong to the run's
    servers.
    """

    model_config = ConfigDict(use_attribute_docstrings=True)

    url: Annotated[Urls, Default("`mllm_url`")] = ()
    """The role's own servers, or `rehearsed`."""
    model: Annotated[str | None, Default("the run's; if the role has a `url`, the first that its server lists")] = None
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
    api_key_env: Annotated[str | None, Default("the run's; none if the role has a `url`")] = None
    """The environment variable with the key, which only these servers get."""
    max_tokens: Annotated[int | None, Default(_LONGEST)] = Field(default=None, ge=1)
    """The longest answer, in tokens."""


class ModelOptions(OptionGroup):
    """Configure the models that roles ask."""

    panel: ClassVar[str] = "Model"

    mllm_url: Annotated[Urls, Flag("run", "suite single-step", "resume", "doctor", "init", is_common=True)] = ()
    """OpenAI-compatible servers, or `rehearsed`: a stand-in for Qwen-VL."""
    model_wait_s: Annotated[float, Flag("run", "suite single-step", "resume", name="model-wait")] = Field(
        default=600.0, ge=0, le=7200
    )
    """Seconds that a starting run waits for a model server that may be loading.

    Then it ends with exit code 2.
    """
    model: Annotated[
        str | None,
        Flag("run", "suite single-step", "replay", "prompt-stats", "doctor", "init", "bench model", is_common=True),
        Default("the first that the server lists"),
    ] = None
    """The model's name."""
    dialect: Annotated[
        str | None,
        Flag("run", "suite single-step", "doctor", "bench model"),
        Default("by the model's name"),
    ] = None
    """The model family's conventions, such as `qwen3-vl`. It is needed if the model's name tells no family.

    `qwen2.5-vl`, `gui-owl` and `ui-tars-1.5` count pixels of the resized picture; all others count from 0 to 1000.
    """
    api_key_env: Annotated[
        str | None, Flag("run", "suite single-step", "replay", "prompt-stats", "doctor", "init", "bench model")
    ] = None
    """The environment variable with the servers' key.

    It is never written anywhere.
    """
    max_pixels: Annotated[
        int | None, Flag("run", "suite single-step", "doctor", "bench model"), Default("the family's own")
    ] = Field(default=None, ge=1)
    """The most pixels of a picture; the servers must have the same limit."""
    output: Annotated[
        str | None,
        Flag("run", "suite single-step", "doctor", name="output-format"),
        Default("the profile's, else `json`; with `native` the form of the model's family, if it has one"),
    ] = None
    """The format of replies: `json` under a schema, `tool_call`, `headers`, or `native` (the model family's form)."""
    system_prompt: Annotated[Path | None, FROM_ANYWHERE, Flag("run"), Default("our own")] = None
    """A file that replaces the system prompt of `native`, such as the prompt on the model's card.

    The agent then does not judge its actions.
    """
    grammar: Annotated[str, Flag("run", "suite single-step")] = "guidance"
    """The servers' structured-output backend: `guidance`, or `other` (schemas then limit no strings)."""
    temperature: Annotated[float, Flag("run", "suite single-step")] = Field(default=0.0, ge=0, le=2)
    """The sampling temperature; 0 always takes the likeliest token.

    A run refuses other values for a vLLM whose version ends in `+cpu`, because a seed would end its engine.
    """
    top_p: Annotated[float | None, Default("for `native` the family's, else the server's")] = Field(
        default=None, gt=0, le=1
    )
    """Sample from the likeliest tokens that together have this probability."""
    presence_penalty: Annotated[float | None, Default("for `native` the family's, else the server's")] = Field(
        default=None, ge=-2, le=2
    )
    """The penalty on tokens that the answer contains already."""
    frequency_penalty: Annotated[float | None, Default("for `native` the family's, else the server's")] = Field(
        default=None, ge=-2, le=2
    )
    """The penalty on a token for each time that the answer contains it."""
    repetition_penalty: Annotated[float | None, Default("for `native` the family's, else the server's")] = Field(
        default=None, gt=0, le=2
    )
    """The factor that makes tokens of the prompt and the answer less likely; 1 changes nothing. Only vLLM has it."""
    top_k: Annotated[int | None, Default("for `native` the family's, else the server's")] = Field(default=None, ge=1)
    """Sample from this number of the likeliest tokens. Only vLLM has it."""
    seed: Annotated[int, Flag("run", "suite single-step", "demo", "bench step", "bench fleet")] = Field(default=0, ge=0)
    """Seed of sampling; the flag also sets `rehearsal.seed` and `virtual.seed`."""
    record_tokens: Annotated[bool, Flag("run")] = False
    """Record the ids of each call's tokens, log probabilities and the version of the weights, for trainers.

    The servers must be vLLM or SGLang.
    """
    model_sessions: Annotated[Literal["rllm", "areal", "agent-lightning"] | None, Flag("run"), Default("none")] = None
    """Give each episode a session at a trainer's gateway: `rllm`, `areal` or `agent-lightning` (docs/rollouts.md)."""
    model_sessions_url: Annotated[str | None, Flag("run", "resume")] = None
    """The gateway's address, such as `http://trainer:9090`. `mllm_url` still names the servers behind it."""
    model_sessions_key_env: Annotated[str | None, Flag("run")] = None
    """The environment variable with the gateway's key. It is never written anywhere."""
    max_in_flight: Annotated[int, Flag("run")] = Field(default=64, ge=1, le=4096)
    """The most requests that one role actor has at its servers at a time."""
    speculation: SpeculationSettings = SpeculationSettings()
    """When the schedule `speculate` may ask ahead of time (docs/monitoring.md)."""
    models: dict[Role, RoleModel] = Field(default_factory=dict)
    """Model settings of single roles."""

    def of_role(self, role: Role) -> dict[str, Any]:
        """Return what ModelSettings take for a role beside its servers: its own, and the run's where it has none."""
        own = self.models.get(role, RoleModel())
        # A name and a key belong to the servers for which they were given: no other server may see the key.
        shared = {} if own.url else {"model": self.model, "api_key_env": self.api_key_env}
        return {
            **shared,
            **self.model_dump(include={*SAMPLING, *PENALTIES, *_CLIENT}, exclude_none=True),
            **own.model_dump(exclude={"url", "max_tokens"}, exclude_none=True),
            **({} if own.max_tokens is None else {"max_tokens": {role: own.max_tokens}}),
        }


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


class RehearsalOptions(PublicInput):
    """Configure the rehearsed model, a stand-in for Qwen-VL."""

    panel: ClassVar[str] = "Stand-ins"

    model_config = ConfigDict(use_attribute_docstrings=True)

    mistakes: Annotated[float, Flag("run", "suite single-step", "demo", "rehearse", "bench step")] = Field(
        default=0.0, ge=0, le=1
    )
    """Rehearsed model: share of replies that are wrong on purpose."""
    seed: Annotated[int, Flag("run", "suite single-step", "demo", "rehearse", "bench step")] = 0
    """Rehearsed model: seed of its mistakes."""
    lessons: Annotated[RehearsedLessons, Flag("run", "rehearse")] = "good"
    """Rehearsed model: the fault that its lessons or its uses of shortcuts have on purpose."""
    latency_s: Annotated[
        dict[Role, float],
        Flag("run", "demo", "rehearse", "bench step", "bench fleet", "bench chaos", "bench edge", name="latency"),
        Default("0"),
    ] = Field(default_factory=dict)
    """Stand-in model: the shortest time of a role's reply. Write the flag as ROLE=SECONDS, such as `plan=2.5`."""
    tokens_per_s: Annotated[float | None, Flag("run", "rehearse"), Default("unlimited")] = Field(default=None, gt=0)
    """Rehearsed model: tokens a second of all requests together."""
    input_token_ms: Annotated[float, Flag("rehearse", "bench step")] = Field(default=0.0, ge=0)
    """Rehearsed model: milliseconds that each input token adds to a reply, except tokens in its cache."""
    output_token_ms: Annotated[float, Flag("rehearse", "bench step")] = Field(default=0.0, ge=0)
    """Rehearsed model: milliseconds that each output token adds."""
    picture_ms: Annotated[float, Flag("rehearse", "bench step")] = Field(default=0.0, ge=0)
    """Rehearsed model: milliseconds that each picture adds, except pictures in its cache."""
    host: Annotated[str, Default("`127.0.0.1`; in a cluster with other nodes, this node's address there")] = "127.0.0.1"
    """Rehearsed model: the address on which it listens. It asks for no key."""
