"""The options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles import Role, role_of

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of text.")]
Plot = Annotated[Path | None, typer.Option("--plot", help="Write plots (PNG and SVG) into this folder.")]
Phones = Annotated[
    list[str] | None,
    typer.Option(
        "--phones",
        help="adb serials (repeat, or separate by commas), or virtual:N. Default: all usable ones that adb lists.",
    ),
]
MllmUrl = Annotated[
    list[str] | None,
    typer.Option(
        "--mllm-url",
        help="An OpenAI-compatible server, repeatable, or with commas; or 'rehearsed': a stand-in for Qwen-VL.",
    ),
]
ModelName = Annotated[str | None, typer.Option("--model", help="The model's name; asked of the server if not given.")]
Dialect = Annotated[
    str | None, typer.Option("--dialect", help="The model family's conventions: qwen3-vl (default), qwen2.5-vl, ...")
]
MaxPixels = Annotated[
    int | None,
    typer.Option("--max-pixels", min=1, help="The cap on a picture's pixels that the servers were started with."),
]
Temperature = Annotated[
    float | None, typer.Option("--temperature", min=0.0, max=2.0, help="Of sampling. Default: 0, always the likeliest.")
]
OutputFormat = Annotated[
    str | None,
    typer.Option("--output-format", help="How the model writes replies: json (default), tool_call, headers."),
]
Grammar = Annotated[
    str | None,
    typer.Option(
        "--grammar", help="The servers' structured-output backend: guidance (default, as 'mllm' sets), other."
    ),
]
ApiKeyEnv = Annotated[
    str | None,
    typer.Option("--api-key-env", help="Name of the environment variable that holds the servers' key."),
]
MaxInFlight = Annotated[
    int | None, typer.Option("--max-in-flight", min=1, help="Model requests at a time, of each role actor (64).")
]
MetricsPort = Annotated[
    int | None,
    typer.Option("--metrics-port", min=0, max=65535, help="Tell Prometheus the run's figures here; 0: a free port."),
]
MetricsHost = Annotated[
    str | None, typer.Option("--metrics-host", help="Address of that port. Default: 127.0.0.1, this machine only.")
]
Profile = Annotated[str | None, typer.Option("--profile", help="Which paper's loop: e (Mobile-Agent-E).")]
Schedule = Annotated[
    str | None, typer.Option("--schedule", help="serial, overlap (default) or speculate: docs/schedules.md.")
]
CheapVerdicts = Annotated[
    str | None,
    typer.Option("--cheap-verdicts", help="Rules that may judge an action without the model, with commas; or 'none'."),
]
Out = Annotated[Path | None, typer.Option("--out", help="The run folder. Default: runs/<time>_<name>/.")]
Config = Annotated[
    Path | None, typer.Option("--config", envvar="MANYHANDS_CONFIG", help="A YAML file of settings (docs/settings.md).")
]
MaxSteps = Annotated[int | None, typer.Option("--max-steps", min=1, help="Steps at most, for every task.")]
Mistakes = Annotated[
    float | None,
    typer.Option("--mistakes", min=0.0, max=1.0, help="Rehearsed model: share of replies wrong on purpose."),
]
Latency = Annotated[
    list[str] | None,
    typer.Option("--latency", help="Rehearsed model: ROLE=SECONDS; roles plan, decide, reflect, note."),
]
TokensPerS = Annotated[
    float | None, typer.Option("--tokens-per-s", help="Rehearsed model: capacity shared by all requests.")
]
Seed = Annotated[int | None, typer.Option("--seed", help="Seed of sampling, of mistakes, and of virtual phones.")]
Size = Annotated[str | None, typer.Option("--size", help="Size of virtual phones, e.g. 1080x2400.")]
Cut = Annotated[
    str | None,
    typer.Option(
        "--cut", help="Virtual phones: cut each one's connection once, SECONDS@INPUTS: for 6 s after 10 inputs is 6@10."
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option("--ray-address", help="A running Ray cluster, e.g. auto. Default: a local Ray of the run's own."),
]
AdbPort = Annotated[int | None, typer.Option("--adb-port", min=1, max=65535, help="Port of the adb server (5037).")]


def split_phones(phones: list[str] | None) -> list[str] | None:
    """``--phones A,B --phones C`` as a flat list."""
    return [serial for item in phones for serial in item.split(",") if serial] if phones else None


def split_urls(urls: list[str] | None) -> list[str] | None:
    """``--mllm-url A,B --mllm-url C`` as a flat list; None where none is given."""
    return [url for item in urls for url in re.split(r",(?=https?://)", item)] if urls else None


def cheap_verdicts(given: str | None) -> list[str] | None:
    """Rules by name, with commas; ``none`` is no rule."""
    if given is None:
        return None
    return [] if given == "none" else [name for name in given.split(",") if name]


def latencies(items: list[str] | None) -> dict[str, float] | None:
    """ROLE=SECONDS pairs. Raises BadInput."""
    if not items:
        return None
    parsed: dict[str, float] = {}
    for item in (part for given in items for part in given.split(",")):
        role, _, seconds = item.partition("=")
        try:
            parsed[role_of(role).value] = float(seconds)
        except ValueError:
            known = ", ".join(role.value for role in Role)
            raise BadInput(f"--latency {item}: write ROLE=SECONDS with a role of {known}") from None
    return parsed


def run_flags(given: Mapping[str, Any]) -> dict[str, Any]:
    """A command's parameters by name as nested settings; what was not given is None. Raises BadInput."""
    get = given.get
    seed = get("seed")
    return {
        "phones": split_phones(get("phones")),
        "mllm_url": split_urls(get("mllm_url")),
        "model": get("model"),
        "api_key_env": get("api_key_env"),
        "dialect": get("dialect"),
        "max_pixels": get("max_pixels"),
        "temperature": get("temperature"),
        "output": get("output_format"),
        "grammar": get("grammar"),
        "max_in_flight": get("max_in_flight"),
        "metrics_port": get("metrics_port"),
        "metrics_host": get("metrics_host"),
        "seed": seed,
        "out": get("out"),
        "name": get("name"),
        "adb_port": get("adb_port"),
        "ray_address": get("ray_address"),
        "episode": {
            "profile": get("profile"),
            "schedule": get("schedule"),
            "cheap_verdicts": cheap_verdicts(get("cheap_verdicts")),
        },
        "rehearsal": {
            "mistakes": get("mistakes"),
            "latency_s": latencies(get("latency")),
            "tokens_per_s": get("tokens_per_s"),
            "seed": seed,
        },
        "virtual": {"size": get("size"), "seed": seed, "transitions": get("transitions"), "cut": get("cut")},
    }
