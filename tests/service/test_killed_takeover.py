"""A service that is killed in the midst of a takeover: it goes on, and the phone gets no action of the person twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from manyhands import AsyncClient, ServiceRefused
from manyhands.evaluation.audit import audit_folders
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.journals.records import ActionSent, EpisodePaused, EpisodeUnpaused, Resumed
from manyhands.protocol.runs.interventions import EpisodePhase
from manyhands.protocol.screens.actions import Home, OpenApp
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.service.interventions import ControlStatus
from manyhands.simulator.phone.apps.browser import CODE
from tests.deploy.fleet.killed_runs import workplace
from tests.service.test_killed_service import Service, some, until_ready
from tests.simulator.rehearsal.test_episodes import SIGN_IN

PATIENCE_S = 600
pytestmark = [pytest.mark.slow, pytest.mark.timeout(2 * PATIENCE_S)]


async def until_running(client: AsyncClient) -> str:
    """Return the episode that has done a step."""
    while True:
        for phone in await client.phones():
            if phone.episode is not None and phone.step:
                return phone.episode
        await asyncio.sleep(0.1)


async def until_phase(client: AsyncClient, episode: str, phase: EpisodePhase) -> ControlStatus:
    while True:
        try:
            control = await client.control(episode)
        except ManyhandsError:  # the fleet is being opened
            await asyncio.sleep(0.2)
            continue
        if control.phase is phase:
            return control
        await asyncio.sleep(0.1)


async def test_a_takeover_outlives_a_killed_service(tmp_path: Path, adb_server: tuple[str, int]) -> None:
    async with workplace(tmp_path, adb_server[1], 1) as place:
        service = Service(place, tmp_path / "service")
        await service.start()
        secret = (service.folder / "token").read_text().strip()
        async with service.client(secret) as client, asyncio.timeout(PATIENCE_S):
            await until_ready(client)
            batch = await client.submit(some("dark_mode"))
            episode = await until_running(client)
            control = await client.take_over(episode)
            assert control.screen is not None
            first = await client.act(episode, Home(), control.screen, idempotency_key="first")
            assert first.control.screen is not None
            under_way = asyncio.create_task(
                client.act(episode, OpenApp(app="Maps"), first.control.screen, idempotency_key="second")
            )
            await asyncio.sleep(0.2)
            await service.kill()
            under_way.cancel()
            await asyncio.wait({under_way})
            await service.start()

            back = await until_phase(client, episode, EpisodePhase.TAKEN_OVER)
            assert back.by == control.by
            assert back.screen is not None
            again = await client.act(episode, Home(), back.screen, idempotency_key="first")
            assert (again.key, again.status) == (first.key, "done")
            second = await client.act(episode, OpenApp(app="Maps"), back.screen, idempotency_key="second")
            assert second.status in ("done", "unknown")
            await client.hand_back(episode)
            ended = await client.wait(batch, PATIENCE_S)
            (task,) = [task async for task in client.tasks(batch=ended.id)]
            kinds = [event.kind async for event in _events_until_end(client)]
        await service.stop()
    assert (task.ending, task.verified) == (Ending.FINISHED, True)
    assert EventKind.EPISODE_TAKEN_OVER in kinds
    assert EventKind.EPISODE_HANDED_BACK in kinds
    (run,) = sorted(path.parent for path in service.folder.glob("runs/*/run.yaml"))
    assert audit_folders(run).violations == ()
    records = RunFolder(run).journals[episode].records
    assert sum(isinstance(one, Resumed) for one in records) == 1
    requests = [one.request for one in records if isinstance(one, ActionSent) and one.by]
    assert requests.count("first") == 1


async def test_a_question_outlives_a_killed_service_and_is_answered_once(
    tmp_path: Path, adb_server: tuple[str, int]
) -> None:
    async with workplace(tmp_path, adb_server[1], 1) as place:
        service = Service(place, tmp_path / "service")
        await service.start()
        secret = (service.folder / "token").read_text().strip()
        async with service.client(secret) as client, asyncio.timeout(PATIENCE_S):
            await until_ready(client)
            batch = await client.submit([SIGN_IN])
            episode = await until_running(client)
            asked = await until_phase(client, episode, EpisodePhase.PAUSED)
            assert "Which is it?" in asked.question
            (held,) = (await client.attention()).held
            assert (held.episode, held.question) == (episode, asked.question)
            await service.kill()
            await service.start()

            again = await until_phase(client, episode, EpisodePhase.PAUSED)
            assert (again.question, again.ends_at) == (asked.question, asked.ends_at)
            await client.answer_episode(episode, CODE)
            with pytest.raises(ServiceRefused):
                await client.answer_episode(episode, "000000")
            ended = await client.wait(batch, PATIENCE_S)
            (task,) = [task async for task in client.tasks(batch=ended.id)]
            kinds = [event.kind async for event in _events_until_end(client)]
        await service.stop()
    assert (task.ending, task.verified) == (Ending.FINISHED, True)
    assert kinds.count(EventKind.EPISODE_PERSON_WANTED) == kinds.count(EventKind.EPISODE_RESUMED) == 1
    (run,) = sorted(path.parent for path in service.folder.glob("runs/*/run.yaml"))
    assert audit_folders(run).violations == ()
    records = RunFolder(run).journals[episode].records
    assert sum(isinstance(one, Resumed) for one in records) == 1
    assert [one.reason for one in records if isinstance(one, EpisodePaused)] == [asked.question]
    assert [one.answer for one in records if isinstance(one, EpisodeUnpaused)] == [CODE]


async def _events_until_end(client: AsyncClient) -> AsyncIterator[ServiceEvent]:
    async for event in client.events(after=0):
        yield event
        if event.kind is EventKind.BATCH_ENDED:
            return
