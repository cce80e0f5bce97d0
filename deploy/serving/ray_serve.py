"""Serve a model as a Ray Serve LLM application: one replica for each group of GPUs, all behind one address.

Field names are those of ``ray.serve.llm.LLMConfig`` and of vLLM's engine arguments; tests compare them with the
installed packages. A consistent hash over X-Session-ID, which the client sends and Ray reads by default, keeps each
episode with its replica.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from manyhands.deploy.serving.launch import Launch
from manyhands.protocol.errors import BadInput, CallError

APPLICATION = "manyhands-mllm"
IMPORT_PATH = "ray.serve.llm:build_openai_app"
ROUTER = "ray.serve.experimental.consistent_hash_router.ConsistentHashRouter"
_NEEDED = {"ray": "ray", "starlette": "ray[serve]", "vllm": "vllm"}
# Serve has its own bounded queue and names models itself.
_NOT_FOR_RAY = frozenset({"served-model-name", "max-num-queued-reqs", "max-num-queued-tokens"})
# Ray sets these for each replica.
_RAYS_OWN_ENV = frozenset({"CUDA_VISIBLE_DEVICES", "VLLM_HOST_IP"})


def serve_config(launch: Launch) -> dict[str, Any]:
    """Return the configuration for ``serve deploy``. Raises BadInput for what Ray Serve LLM cannot do."""
    plan, site = launch.plan, launch.site
    if not plan.hardware.gpus:
        raise BadInput("--on ray plans for GPUs; the CPU is served with --on local")
    if site.key_env is not None:
        raise BadInput("--api-key-env: Ray Serve LLM asks for no key; put a proxy before it, or use --on local")
    env = {name: value for name, value in launch.commands[0].env.items() if name not in _RAYS_OWN_ENV}
    in_flight = 2 * plan.sequences
    llm = {
        "model_loading_config": {
            "model_id": launch.flags.get("served-model-name") or plan.profile.served_name,
            "model_source": plan.profile.model,
        },
        "engine_kwargs": engine_kwargs(launch.flags),
        "deployment_config": {
            "num_replicas": plan.servers,
            # With Serve's default of 5, the engine would be idle most of the time.
            "max_ongoing_requests": in_flight,
            "max_queued_requests": in_flight * plan.servers,
            "request_router_config": {"request_router_class": ROUTER},
        },
        "placement_group_config": {"bundle_per_worker": {"CPU": 1, "GPU": 1}, "strategy": "PACK"},
        "runtime_env": {"env_vars": env},
    }
    application = {
        "name": APPLICATION,
        "route_prefix": "/",
        "import_path": IMPORT_PATH,
        "args": {"llm_configs": [llm]},
    }
    return {"http_options": {"host": site.host, "port": site.port}, "applications": [application]}


def engine_kwargs(flags: Mapping[str, str | None]) -> dict[str, Any]:
    """Return flags as keyword arguments: a switch is true, its ``no-`` form false; numbers and JSON become values."""
    kwargs: dict[str, Any] = {}
    for name, value in flags.items():
        if name in _NOT_FOR_RAY:
            continue
        if value is None and name.startswith("no-"):
            kwargs[name.removeprefix("no-").replace("-", "_")] = False
        else:
            kwargs[name.replace("-", "_")] = True if value is None else _value(value)
    # vLLM's command line merges these two flags. Its Python arguments take only a complete mapping.
    parser = kwargs.pop("reasoning_parser", None)
    if parser is not None:
        kwargs["structured_outputs_config"] = {
            **kwargs.get("structured_outputs_config", {}),
            "reasoning_parser": parser,
        }
    return kwargs


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def as_yaml(config: Mapping[str, Any]) -> str:
    """Write a configuration as YAML."""
    return yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True)


async def serve(config: Mapping[str, Any], address: str | None) -> None:
    """Deploy the application on Ray and stay until cancelled. Raises BadInput if packages are missing."""
    missing = [package for module, package in _NEEDED.items() if importlib.util.find_spec(module) is None]
    if missing:
        raise BadInput(f"--on ray needs ray[serve,llm] and vllm in this environment; missing: {', '.join(missing)}")
    with tempfile.TemporaryDirectory(prefix="manyhands-") as folder:
        try:
            await asyncio.to_thread(_deploy, config, address, Path(folder))
        except (RuntimeError, ValueError, ConnectionError) as error:
            raise CallError(f"Ray Serve did not start the application: {error}") from error
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.shield(asyncio.to_thread(_remove))


def connect(address: str | None, folder: Path) -> None:
    """Join the cluster at ``address``; else the one in RAY_ADDRESS or that ``ray start`` began here; else start a Ray.

    Ray's own "auto" would also join any other Ray of this machine, for instance that of a running fleet, for which we
    have no token. A Ray that is started here keeps its token in ``folder``. In the home folder the token would stay
    behind.
    """
    import ray
    from ray._private.services import get_ray_address_from_environment

    from manyhands.deploy.cluster.tokens import own_token

    server_address = address or get_ray_address_from_environment(None, None)
    if server_address not in (None, "local"):
        ray.init(address=server_address, ignore_reinit_error=True)
        return
    with own_token(folder):
        ray.init(address="local", ignore_reinit_error=True)


def _deploy(config: Mapping[str, Any], address: str | None, folder: Path) -> None:
    from ray import serve as ray_serve
    from ray.serve.llm import build_openai_app

    connect(address, folder)
    ray_serve.start(http_options=dict(config["http_options"]))
    application = config["applications"][0]
    ray_serve.run(
        build_openai_app(application["args"]), name=application["name"], route_prefix=application["route_prefix"]
    )


def _remove() -> None:
    import ray
    from ray import serve as ray_serve

    ray_serve.delete(APPLICATION)
    ray.shutdown()
