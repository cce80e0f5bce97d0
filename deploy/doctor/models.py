"""Check the models that the roles of a run ask: each server of each model once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from manyhands.deploy.doctor.findings import Finding
from manyhands.deploy.doctor.model_server import SERVE_A_MODEL, ModelExaminer
from manyhands.deploy.fleet.model_servers.model_dialects import given_dialect
from manyhands.deploy.fleet.model_servers.resolution import rehearsed_roles, role_models
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role

MODEL = "model"


async def examine_models(settings: FleetSettings) -> Sequence[Finding]:
    """Check all servers at the same time."""
    named = settings.mllm_url or any(model.url for model in settings.models.values())
    if not named:
        mend = f"serve one: {SERVE_A_MODEL}; then --mllm-url http://HOST:8000/v1"
        return [Finding(MODEL, "server", "none is named: --mllm-url", "failure", mend)]
    try:
        models, rehearsed = role_models(settings), rehearsed_roles(settings)
    except BadInput as error:
        return [
            Finding(MODEL, "settings", str(error), "failure", "correct the setting that it names (docs/settings.md)")
        ]
    examiners: dict[str, ModelExaminer] = {}
    for role, model in models.items():
        given = given_dialect(settings.groups.model, role)
        for url in model.urls:
            key = model.model_copy(update={"urls": (url,)}).model_dump_json(exclude={"max_tokens", "repairs"})
            examiners.setdefault(key, ModelExaminer(model, url, _where(settings, role), given))
    parts = await asyncio.gather(*(examiner.examine() for examiner in examiners.values()))
    findings = [finding for part in parts for finding in part]
    if rehearsed:
        findings.append(Finding(MODEL, "rehearsed", "a stand-in for Qwen-VL, which a run starts"))
    return findings


def _where(settings: FleetSettings, role: Role) -> str:
    """Return the option, or the key of a settings file, that names the model of a role."""
    own = settings.models.get(role)
    return f"models.{role.value}.model:" if own is not None and (own.url or own.model) else "--model"
