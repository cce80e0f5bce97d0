"""Requests of every kind, right and wrong, made from ``openapi.json``: no defect, and every answer is as described."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from manyhands.protocol.service.access import AccessRole
from tests.service.api.running_service import running

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
STREAM = "followed"


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
async def test_no_request_finds_a_defect(tmp_path: Path, mode: GenerationMode) -> None:
    async with running(tmp_path) as service:
        async with service.client(AccessRole.APPROVE) as client:
            said = (await client.get(f"{service.url}/openapi.json")).json()
            for id in ("a", "b", "c"):  # so that some ids name something
                await client.post("/batches", json={"tasks": [{"id": id, "goal": "Do it."}]})
        for stream in ("/api/v1/events", "/api/v1/wall"):
            del said["paths"][stream]  # its answer has no end
        token = {"Authorization": f"Bearer {service.secrets[AccessRole.APPROVE]}"}
        checked = await asyncio.to_thread(check_all, said, service.url, token, mode)
        assert checked >= 40
        async with httpx.AsyncClient(headers=token) as client:
            assert (await client.get(f"{service.url}/api/v1/status")).status_code == 200


def check_all(said: dict[str, Any], url: str, token: dict[str, str], mode: GenerationMode) -> int:
    """Send a few requests for each operation. Return how many operations there are."""
    schema = schemathesis.openapi.from_dict(said)
    count = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        if mode is GenerationMode.NEGATIVE and not (operation.body or operation.query or operation.path_parameters):
            count += 1
            continue

        @seed(4711)
        @settings(
            max_examples=8,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def check(case: Any) -> None:
            case.call_and_validate(base_url=url, headers=token, checks=CHECKS, timeout=100)

        check()
        count += 1
    return count
