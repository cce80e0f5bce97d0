"""``openapi.json`` is complete: every operation, parameter, answer and field says what it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.service.api.running_service import RunningService

PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}


@pytest.fixture
async def said(service: RunningService) -> dict[str, Any]:
    async with httpx.AsyncClient() as client:
        found: dict[str, Any] = (await client.get(f"{service.url}/openapi.json")).json()
    return found


def operations(said: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in said["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def undescribed(schema: Any, at: str) -> Iterator[str]:
    """Give each property in a schema that has no description."""
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from undescribed(item, f"{at}[{index}]")
    if isinstance(schema, dict):
        properties = schema.get("properties", {})
        yield from (f"{at}.{name}" for name, field in properties.items() if not field.get("description"))
        for name, inner in schema.items():
            yield from undescribed(inner, f"{at}.{name}")


async def test_every_field_is_described(said: dict[str, Any]) -> None:
    assert list(undescribed(said["components"]["schemas"], "")) == []


async def test_every_schema_is_described(said: dict[str, Any]) -> None:
    schemas = said["components"]["schemas"]
    assert [name for name, schema in schemas.items() if not schema.get("description")] == []


async def test_every_operation_is_described(said: dict[str, Any]) -> None:
    for name, operation in operations(said):
        assert operation["operationId"], name
        assert operation["summary"], name
        assert operation["description"], name
        assert operation["tags"], name
        assert operation["security"] == [{"token": []}], name
    ids = [operation["operationId"] for _, operation in operations(said)]
    assert len(ids) == len(set(ids)) > 30


async def test_every_parameter_is_described(said: dict[str, Any]) -> None:
    found = [
        f"{name}: {parameter['name']}"
        for name, operation in operations(said)
        for parameter in operation.get("parameters", ())
        if not parameter.get("description")
    ]
    assert found == []


async def test_every_error_is_a_problem(said: dict[str, Any]) -> None:
    for name, operation in operations(said):
        errors = {status: answer for status, answer in operation["responses"].items() if int(status) >= 400}
        assert {"400", "401", "403", "422", "429", "500", "503"} <= errors.keys(), name
        assert {str(answer["content"]) for answer in errors.values()} == {str(PROBLEM)}, name
        if "requestBody" in operation:
            assert {"408", "413", "415"} <= errors.keys(), name


async def test_every_reference_leads_somewhere(said: dict[str, Any]) -> None:
    def references(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                yield value["$ref"]
            for inner in value.values():
                yield from references(inner)
        if isinstance(value, list):
            for inner in value:
                yield from references(inner)

    known = {f"#/components/schemas/{name}" for name in said["components"]["schemas"]}
    assert set(references(said)) <= known


async def test_the_page_lists_every_operation_and_runs_no_script(said: dict[str, Any], service: RunningService) -> None:
    async with httpx.AsyncClient() as client:
        answer = await client.get(f"{service.url}/docs")
    assert answer.headers["content-type"].startswith("text/html")
    assert "script" not in answer.headers["content-security-policy"]
    for name, operation in operations(said):
        assert f'id="{operation["operationId"]}"' in answer.text, name
