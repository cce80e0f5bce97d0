"""Decide whether a run folder may use this person's secrets and files. A folder may come from anybody.

run.yaml names hosts, environment variables whose values go to these hosts, and files of models and memories. A folder
is trusted if all of this holds:

- This user began or resumed a run in the folder. run.yaml records the folder's inode for this. Whoever makes an archive
  does not know the inode that the unpacked folder will have.
- This user owns the folder and run.yaml, and nobody else can write them.

The owner alone would prove nothing: unpacked files belong to the person who unpacks them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from manyhands.deploy.cluster.nodes.facts import paths_in
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.models import REHEARSED
from manyhands.deploy.settings.sites import behind_brokers
from manyhands.protocol.errors import BadInput
from manyhands.protocol.runs.folder_identity import folder_id

_LOCAL_RAY = "auto"
"""The cluster that runs on this machine."""
_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def check_trust(folder: Path, run_yaml: Mapping[str, Any], settings: FleetSettings, own_names: Collection[str]) -> None:
    """Raise BadInput if a run would use secrets, a cluster or files that only an untrusted folder names.

    ``asked``: the content of run.yaml. ``settings``: the settings that the resumed run would use. ``given``: the names
    of the settings that the user has given now.
    """
    uses = list(_foreign_uses(settings, own_names))
    reason = _distrust(folder, run_yaml) if uses else None
    if reason is None:
        return
    own = load_settings({})
    uses = list(_foreign_uses(settings, {*own_names, *_named_by_environment(settings, own)}))
    if uses:
        raise BadInput(
            f"{folder}: {reason}, and its run.yaml would have this run {'; '.join(uses)}. Name these yourself by "
            "the options, or confirm with --trust-folder that you know run.yaml"
        )


def _foreign_uses(settings: FleetSettings, own_names: Collection[str]) -> Iterator[str]:
    """Yield each use of hosts and files that the user has not given, with the option that names them."""
    if settings.ray_address not in (None, _LOCAL_RAY) and "ray_address" not in own_names:
        yield f"join the Ray cluster {settings.ray_address} (--ray-address)"
    urls = () if "mllm_url" in own_names else settings.mllm_url
    for variable, hosts, option in (
        (settings.api_key_env, urls, "--mllm-url"),
        *((own.api_key_env, own.url or urls, "its role's url") for own in settings.models.values()),
    ):
        named = [host for host in hosts if host != REHEARSED]
        if variable is not None and named:
            yield f"send ${variable} to {', '.join(named)} ({option})"
    if settings.otlp_endpoint is not None and "otlp_endpoint" not in own_names:
        yield f"send its traces to {settings.otlp_endpoint} (--otlp-endpoint)"
    for option, path in _files(settings, own_names):
        yield f"use {path} ({option})"
    brokers = () if "phones" in own_names else sorted({one.broker.host for one in behind_brokers(settings.phones)})
    for variable in (settings.mqtt_user_env, settings.mqtt_password_env):
        if variable is not None and brokers:
            yield f"send ${variable} to {', '.join(brokers)} (--phones)"


def _files(settings: FleetSettings, own_names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield files that only run.yaml names, each with its option.

    Such files are a risk: weights may hold code, and a run writes to its memory. Files in the run folder count, too:
    whoever made the folder put them there.
    """
    if "perception" not in own_names:
        models = settings.perception_settings(None).model_dump()
        yield from (("perception", path) for path in paths_in(models))
    for name in ("memory", "tips", "shortcuts"):
        path = getattr(settings, name)
        if path is not None and name not in own_names:
            yield f"--{name}", str(path)


def _named_by_environment(settings: FleetSettings, own: FleetSettings) -> Iterator[str]:
    """Yield the settings whose hosts this person's environment names as well."""
    if settings.ray_address == own.ray_address:
        yield "ray_address"
    if {*settings.mllm_url} <= {*own.mllm_url}:
        yield "mllm_url"
    if settings.otlp_endpoint == own.otlp_endpoint:
        yield "otlp_endpoint"
    own_brokers = {phone.broker for phone in behind_brokers(own.phones)}
    if {phone.broker for phone in behind_brokers(settings.phones)} <= own_brokers:
        yield "phones"


def _distrust(folder: Path, run_yaml: Mapping[str, Any]) -> str | None:
    """Return why a folder is not trusted; None if it is trusted."""
    there, file_stat = folder.stat(), (folder / "run.yaml").stat()
    if file_stat.st_uid != os.geteuid() or there.st_uid != os.geteuid():
        return "another user owns it"
    if file_stat.st_mode & _OTHERS or there.st_mode & stat.S_IWOTH:
        return "others can write it"
    again = run_yaml.get("resumed") or ()
    last = again[-1] if again else run_yaml
    if last.get("folder") != folder_id(folder):  # only the last one: a forged list could hold every possible inode
        return "no run of yours was begun in it (it was copied or unpacked)"
    return None
