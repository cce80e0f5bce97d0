"""Choose the flags of ``vllm serve`` and the environment of each server. docs/serving.md says why each is there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from manyhands.deploy.serving.catalogue import ModelProfile
from manyhands.deploy.serving.memory import UTILISATION, MemoryPlan, MemoryRequirements
from manyhands.protocol.errors import BadInput

Flags = Mapping[str, str | None]
"""Flags without dashes, with their values; None for a switch. The order is that of the command."""
Version = tuple[int, int]

CHECKED: tuple[Version, ...] = ((0, 32), (0, 33))
"""Releases whose own parsers have accepted these flags (docs/serving.md)."""
LOOPBACK = "127.0.0.1"
_OURS = {
    "host": "--host",
    "port": "--port",
    "api-key": "--api-key-env (a key on a command line is seen by every user of the machine)",
    "tensor-parallel-size": "--tensor-parallel",
    "model": "--model",
    "limit-mm-per-prompt": "--max-images",
    "mm-processor-kwargs": "--max-pixels",
    "max-model-len": "--max-model-len",
    "kv-cache-dtype": "--kv-cache",
    "speculative-config": "--draft",
}
_SHORT = {"-tp": "tensor-parallel-size"}


@dataclass(frozen=True, slots=True)
class FlagSite:
    """Hold the address of servers and their environment. ``key_env`` names a variable, it never holds a key."""

    host: str = LOOPBACK
    port: int = 8000
    key_env: str | None = None
    offline: bool = False
    devices: tuple[str, ...] = ()
    """The GPUs in CUDA_VISIBLE_DEVICES. If that is not set, GPUs count from 0."""


QUEUE_FACTOR = 4
"""How many requests a server accepts, running and waiting, divided by the number that it runs at a time."""


_DRAFTS: Mapping[str, Mapping[str, object]] = {
    "ngram": {"method": "ngram_gpu", "num_speculative_tokens": 4, "prompt_lookup_min": 2, "prompt_lookup_max": 4},
    "mtp": {"method": "mtp", "num_speculative_tokens": 1},
}
"""What vLLM is told of each way to draft."""


def engine_flags(plan: MemoryPlan, version: Version = CHECKED[-1]) -> dict[str, str | None]:
    """Return the flags that all servers of a plan share, for a release of vLLM."""
    needs, profile = plan.needs, plan.profile
    flags: dict[str, str | None] = {
        "served-model-name": profile.served_name,
        "max-model-len": str(plan.context),
        **_picture_flags(profile, needs),
        "enable-prefix-caching": None,
        "structured-outputs-config": _json({"backend": "guidance", "disable_any_whitespace": True}),
        "scheduling-policy": "priority",
        "max-num-batched-tokens": str(plan.batched_tokens),
        "max-num-seqs": str(plan.sequences),
        "max-num-queued-reqs": str(QUEUE_FACTOR * plan.sequences),
        "enable-prompt-tokens-details": None,
    }
    if version < CHECKED[0]:  # an older release may lack this flag, so its queue has no limit
        del flags["max-num-queued-reqs"]
    if profile.family.content_format:
        flags["chat-template-content-format"] = profile.family.content_format
    flags |= _thinking_flags(profile)
    if plan.hardware.gpus == 0:
        # vLLM's CPU engine dies at the first request to a hybrid model in float32: "CPU GDN attention requires BF16".
        return flags | {"dtype": "bfloat16" if profile.shape.state_bytes else "float32", "enforce-eager": None}
    flags["gpu-memory-utilization"] = f"{UTILISATION:.2f}"
    if needs.kv_cache != "auto":
        flags["kv-cache-dtype"] = needs.kv_cache
    if needs.draft != "none":
        flags["speculative-config"] = _json(_DRAFTS[needs.draft])
    if plan.tensor_parallel > 1:
        flags |= {"tensor-parallel-size": str(plan.tensor_parallel), "mm-encoder-tp-mode": "data"}
    return flags


def _picture_flags(profile: ModelProfile, needs: MemoryRequirements) -> dict[str, str | None]:
    if not profile.family.sees:
        return {}
    return {
        "limit-mm-per-prompt": _json({"image": needs.max_images, "video": 0}),
        "mm-processor-kwargs": _json(profile.family.pixel_limits(needs.max_pixels)),
    }


def _thinking_flags(profile: ModelProfile) -> dict[str, str | None]:
    """Return flags that separate the thoughts from the reply, or that turn optional thinking off."""
    if profile.thinking and not profile.family.keeps_thoughts:
        return {"reasoning-parser": "qwen3"}
    return {"default-chat-template-kwargs": _json({"enable_thinking": False})} if profile.family.thinks else {}


def environment(plan: MemoryPlan, index: int, site: FlagSite) -> dict[str, str]:
    """Return the variables that server ``index`` gets in addition to this process's environment, without the key."""
    env = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
    if site.host == LOOPBACK:
        env["VLLM_HOST_IP"] = LOOPBACK
    if site.offline:
        env["HF_HUB_OFFLINE"] = "1"
    if plan.hardware.gpus == 0:
        gib = -(-plan.budget.cache // 1024**3)
        # By default, each server on a machine would bind its threads to the same cores.
        return env | {"VLLM_CPU_KVCACHE_SPACE": str(gib), "VLLM_CPU_OMP_THREADS_BIND": "nobind"}
    if site.devices and len(site.devices) < plan.hardware.gpus:
        raise BadInput(f"--gpus {plan.hardware.gpus}: CUDA_VISIBLE_DEVICES shows {','.join(site.devices)} only")
    devices = site.devices or tuple(str(gpu) for gpu in range(plan.hardware.gpus))
    first = index * plan.tensor_parallel
    own = ",".join(devices[first : first + plan.tensor_parallel])
    return {"CUDA_VISIBLE_DEVICES": own, "OMP_NUM_THREADS": "1"} | env


def with_overrides(flags: Flags, extra: Sequence[str]) -> dict[str, str | None]:
    """Merge the user's flags (after ``--``) into ``flags``.

    A flag replaces one of the same name, with or without ``no-``.

    Raises BadInput for flags on which the plan depends, with the option that sets them.
    """
    values = _parsed(extra)
    merged = dict(flags)
    for name, value in values.items():
        if name in _OURS:
            raise BadInput(f"--{name} after --: use {_OURS[name]}")
        merged.pop(name.removeprefix("no-") if name.startswith("no-") else f"no-{name}", None)
        merged[name] = value
    if "max-num-seqs" in values and "max-num-queued-reqs" in merged and "max-num-queued-reqs" not in values:
        # The limit of the queue counts running requests, too. It might be lower than the user's number of these.
        merged["max-num-queued-reqs"] = str(QUEUE_FACTOR * _whole(values["max-num-seqs"]))
    return merged


def _whole(value: str | None) -> int:
    if value is None or not value.isdecimal():
        raise BadInput(f"--max-num-seqs after --: {value!r} is no whole number")
    return int(value)


def _parsed(extra: Sequence[str]) -> dict[str, str | None]:
    flags: dict[str, str | None] = {}
    last: str | None = None
    for word in extra:
        if word.startswith("--") or word in _SHORT:
            name, equals, value = _SHORT.get(word, word).removeprefix("--").partition("=")
            last = name.replace("_", "-")
            flags[last] = value if equals else None
            if equals:
                last = None
        elif last is None:
            raise BadInput(f"after --: {word!r} belongs to no flag")
        else:
            # Some flags of vLLM take several values. All values are passed on unchanged.
            flags[last] = word if flags[last] is None else f"{flags[last]} {word}"
    return flags


def argv(vllm: str, model: str, site: FlagSite, index: int, flags: Flags) -> tuple[str, ...]:
    """Return the command of server ``index``."""
    words = [vllm, "serve", model, "--host", site.host, "--port", str(site.port + index)]
    for name, value in flags.items():
        words.append(f"--{name}")
        if value is not None:
            words.append(value)
    return tuple(words)


def installed_version(vllm: Path) -> Version | None:
    """Return the release of vLLM in the executable's environment, from its metadata; None if it is not known."""
    for info in sorted(vllm.resolve().parent.parent.glob("lib/python*/site-packages/vllm-*.dist-info")):
        major, _, rest = info.name.removeprefix("vllm-").partition(".")
        minor = rest.partition(".")[0]
        if major.isdigit() and minor.isdigit():
            return int(major), int(minor)
    return None


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(value, separators=(",", ":"))
