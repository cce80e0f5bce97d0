"""What a service checks in its folder before it answers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.service.access import AccessRole, TokenRequest
from manyhands.service.database.access_repository import TokenRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.service import DATABASE, TOKEN, OpenService, ServicePlace, run_service, with_person_wait


class Opened(Exception):
    """Ends a service as soon as it answers."""


async def start(folder: Path, *, makes_token: bool = False) -> OpenService:
    opened: list[OpenService] = []

    async def end(service: OpenService) -> None:
        opened.append(service)
        raise Opened

    with pytest.raises(Opened):
        await run_service(ServicePlace(folder, port=0, makes_token=makes_token), FleetSettings(), end)
    return opened[0]


@pytest.mark.parametrize(
    ("episode", "wait_s"),
    [
        ({}, 1800.0),
        ({"profile": "native"}, 1800.0),
        ({"person_wait_s": 0.0}, 0.0),
        ({"person_wait_s": 60.0}, 60.0),
        ({"paper_exact": True}, 0.0),
        ({"profile": "bare"}, 0.0),
    ],
)
def test_the_models_of_a_service_wait_for_a_person(episode: dict[str, Any], wait_s: float) -> None:
    settings = FleetSettings.model_validate({"episode": episode})
    assert with_person_wait(settings).episode.person_wait_s == wait_s


async def test_an_empty_database_beside_runs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "runs" / "000001_service").mkdir(parents=True)
    with pytest.raises(BadInput, match="its database is empty"):
        await run_service(ServicePlace(tmp_path, port=0), FleetSettings(), lambda _: asyncio.sleep(0))


async def test_a_person_at_the_machine_gets_a_new_token(tmp_path: Path) -> None:
    database = await ServiceDatabase.open(str(tmp_path / DATABASE))
    tokens = TokenRepository(database)
    lost = await tokens.make(TokenRequest(owner="ann", role=AccessRole.APPROVE), 1.0)
    (tmp_path / TOKEN).write_text("lost")
    assert (await start(tmp_path)).first_token is None
    made = (await start(tmp_path, makes_token=True)).first_token
    assert made is not None
    assert (tmp_path / TOKEN).read_text().strip() == made.secret
    assert {one.id for one in await tokens.list() if one.revoked_at is None} == {lost.id, made.id}
    await database.close()
