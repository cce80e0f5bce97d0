"""The client over a real connection: its methods, its errors, what it repeats, and the events."""

from __future__ import annotations

import asyncio
import re
from contextlib import aclosing
from functools import partial
from pathlib import Path

import httpx
import pytest

from manyhands import (
    AccessRole,
    AsyncClient,
    BatchPhase,
    BatchRequest,
    Client,
    EventKind,
    ScheduleRequest,
    ServiceAway,
    ServiceRefused,
    TaskSpec,
    WebhookRequest,
)
from manyhands.protocol.errors import BadInput, DeadlinePassed
from tests.service.api.running_service import running
from tests.service.api.test_episodes import BUY, write_runs
from tests.service.client.conftest import Served
from tests.service.client.cut_connection import CuttingProxy


def client_of(served: Served, url: str | None = None) -> AsyncClient:
    return AsyncClient(url or served.url, token=served.token)


async def test_a_batch_is_submitted_followed_and_changed(served: Served) -> None:
    async with client_of(served) as client:
        batch = await client.submit(
            [TaskSpec(id="buy", goal="Buy milk."), TaskSpec(id="mute", goal="Mute.")],
            name="errands",
            priority=3,
            tags=["a"],
        )
        assert (batch.id, batch.name, batch.waiting) == ("b1", "errands", 2)
        assert [task.id async for task in client.tasks(batch=batch)] == ["b1.buy", "b1.mute"]
        for number in range(4):
            await client.submit(goal=f"Goal {number}")
        assert [found.id async for found in client.batches()] == ["b5", "b4", "b3", "b2", "b1"]
        assert (await client.pause(batch)).phase is BatchPhase.PAUSED
        assert (await client.resume(batch.id)).phase is BatchPhase.OPEN
        waiting = asyncio.create_task(client.wait(batch))
        served.begin("b1.buy")
        served.end("b1.buy")
        served.end("b1.mute", done=False)
        ended = await waiting
        assert (ended.done, ended.failed, ended.phase) == (1, 1, BatchPhase.ENDED)
        assert (await client.wait("b1")) == ended
        assert (await client.retry_task("b1.mute")).id == "b1.mute.r2"
        with pytest.raises(DeadlinePassed, match=r"b1 has not ended within 0\.05 s"):
            await client.wait("b1", timeout_s=0.05)


async def test_results_and_screens_come_from_the_journals(served: Served) -> None:
    write_runs(served.folder / "runs")
    async with client_of(served) as client:
        batch = await client.submit([TaskSpec(id="buy", goal="Buy milk.")])
        served.begin("b1.buy", episode=BUY)
        served.end("b1.buy", episode=BUY)
        (row,) = await client.results(batch)
        assert (row.id, row.verdict, row.answer) == ("b1.buy", "passed", "=cmd|milk")
        assert "'=cmd|milk" in await client.results_text(batch)
        assert (await client.episode(BUY)).task == "b1.buy"
        steps = [step async for step in client.steps(BUY)]
        assert [step.step for step in steps] == [0, 1]
        screen = steps[0].screen_after or steps[0].screen
        assert screen is not None
        assert (await client.screen(BUY, screen)).startswith(b"\x89PNG")
        with pytest.raises(ServiceRefused, match="no such screen"):
            await client.screen(BUY, "f" * 32)


async def test_failures_are_looked_after_by_their_cause(served: Served) -> None:
    async with AsyncClient(served.url, token=served.token) as client:
        await client.submit(goal=["Buy milk.", "Mute."])
        for task in ("b1.goal-1", "b1.goal-2"):
            await asyncio.to_thread(served.begin, task, "lab/p2")
            await asyncio.to_thread(partial(served.end, task, False, serial="lab/p2"))
        [cause] = (await client.attention()).causes
        assert cause.count == 2
        assert [task.id async for task in client.phone_tasks("lab/p2")] == ["b1.goal-2", "b1.goal-1"]
        assert "task.began" in [event.kind async for event in client.phone_events("lab/p2")]
        assert {task.retry_of for task in await client.retry_cause(cause.id)} == {"b1.goal-1", "b1.goal-2"}
        with pytest.raises(ServiceRefused):
            await client.dismiss_cause(cause.id)
        assert (await client.figures()).points == ()
        checked = await client.check_batch(BatchRequest(tasks=(TaskSpec(id="a", goal="Do it.", phones="model=nokia"),)))
        assert [one.task for one in checked.unmatched] == ["a"]


async def test_phones_are_set_aside_reserved_and_labelled(served: Served) -> None:
    async with client_of(served) as client:
        assert (await client.set_aside("p1", "broken glass")).reason == "broken glass"
        assert (await client.reserve("p1", "ann", 2e9)).reserved_until == 2e9
        assert (await client.release("p1")).phase == "free"
        assert (await client.label("p1", {"model": "old"})).labels == {"model": "old"}
        assert [phone.serial for phone in await client.phones()] == ["1:5", "lab/p2", "p1"]
        assert (await client.set_aside("lab/p2", "away")).serial == (await client.phone("lab/p2")).serial == "lab/p2"
        assert (await client.release("1:5")).serial == "1:5"
        assert (await client.attach("10.0.0.7:5555")).serial == "10.0.0.7:5555"
        await client.detach("10.0.0.7:5555")
        with pytest.raises(ServiceRefused, match=r"10\.0\.0\.7:5555"):
            await client.phone("10.0.0.7:5555")


async def test_an_answer_that_is_lost_makes_no_second_batch(served: Served) -> None:
    proxy = CuttingProxy(served.url)
    proxy.cuts = [0, 10]
    async with proxy.serving(), client_of(served, proxy.url) as client:
        batch = await client.submit(goal="Buy milk.")
        assert proxy.connections == 3
        assert [found.id async for found in client.batches()] == [batch.id]


async def test_a_change_is_sent_once_and_reading_is_repeated(served: Served) -> None:
    proxy = CuttingProxy(served.url)
    async with client_of(served) as direct:
        await direct.submit(goal="Buy milk.")
        proxy.cuts = [0, 10]
        async with proxy.serving():
            async with client_of(served, proxy.url) as client:
                assert (await client.batch("b1")).phase is BatchPhase.OPEN
            assert proxy.connections == 3
            async with client_of(served, proxy.url) as client:
                proxy.cuts = [0]
                with pytest.raises(ServiceAway, match="the connection broke"):
                    await client.pause("b1")
            assert proxy.connections == 4
        assert (await direct.batch("b1")).phase is BatchPhase.PAUSED


async def test_a_client_that_asks_too_often_waits_as_it_is_told(tmp_path: Path) -> None:
    async with running(tmp_path, token_rate=20) as service:
        async with AsyncClient(service.url, token=service.secrets[AccessRole.SUBMIT]) as client:
            await client.submit(goal="Buy milk.")
            phases = [(await client.pause("b1")).phase for _ in range(45)]
    assert set(phases) == {BatchPhase.PAUSED}


async def test_events_are_neither_lost_nor_doubled_when_the_connection_breaks(served: Served) -> None:
    proxy = CuttingProxy(served.url)
    proxy.cuts = [700, 900, 1100, 1300, 0]
    async with proxy.serving(), client_of(served, proxy.url) as client:
        async with aclosing(client.events(after=0)) as events:
            for _ in range(40):
                served.tell(EventKind.MODEL_AWAY)
            told = [(await anext(events)).id for _ in range(40)]
    assert told == list(range(1, 41))
    assert proxy.connections >= 5


async def test_events_from_now_on_have_no_gap_if_the_first_connection_breaks(served: Served) -> None:
    proxy = CuttingProxy(served.url)
    async with proxy.serving(), client_of(served, proxy.url) as client:
        served.tell(EventKind.MODEL_AWAY)
        is_open = asyncio.Event()
        async with aclosing(client.events(on_open=is_open.set)) as events:
            first = asyncio.ensure_future(anext(events))
            await is_open.wait()
            proxy.break_all()
            served.tell(EventKind.MODEL_BACK)
            # The service may still be about to tell of what happened just before.
            told = [await first]
            while told[-1].kind is not EventKind.MODEL_BACK:
                told.append(await anext(events))
            assert [event.id for event in told] in ([2], [1, 2])


async def test_schedules_webhooks_and_tokens_are_made_changed_and_removed(served: Served) -> None:
    async with client_of(served) as client:
        request = ScheduleRequest(
            name="nightly", when="0 2 * * *", batch=BatchRequest(tasks=(TaskSpec(id="a", goal="Dance."),))
        )
        schedule = await client.add_schedule(request)
        assert (await client.schedule(schedule.id)).next_times
        changed = await client.change_schedule(schedule.id, request.model_copy(update={"when": "every 2h"}))
        assert changed.when == "every 2h"
        assert [one.id async for one in client.schedules()] == [schedule.id]
        await client.remove_schedule(schedule.id)
        with pytest.raises(BadInput, match="names no times"):
            ScheduleRequest(name="x", when="sometimes", batch=request.batch)
        hook = await client.add_webhook(WebhookRequest(url="https://hooks.example/x"))
        assert hook.secret.startswith("whsec_")
        assert (await client.pause_webhook(hook.id)).paused
        assert not (await client.resume_webhook(hook.id)).paused
        assert [one.id async for one in client.webhooks()] == [(await client.webhook(hook.id)).id]
        assert [one async for one in client.deliveries(hook.id)] == []
        assert await client.resend(hook.id) == 0
        await client.remove_webhook(hook.id)
        token = await client.make_token("ann", AccessRole.READ)
        async with AsyncClient(served.url, token=token.secret) as ann:
            assert (await ann.own_token()).owner == "ann"
            with pytest.raises(ServiceRefused, match="another role"):
                await ann.submit(goal="Dance.")
        assert (await client.revoke_token(token.id)).revoked_at is not None
        assert token.id in {one.id for one in await client.tokens()}
        assert [one.path async for one in client.audit(owner="ann")]


async def test_a_wrong_request_says_what_is_wrong(served: Served) -> None:
    async with client_of(served) as client:
        with pytest.raises(ServiceRefused, match="b9") as refused:
            await client.batch("b9")
        assert refused.value.problem is not None
        assert refused.value.problem.status == 404
        with pytest.raises(BadInput, match="one of tasks, goal and file"):
            await client.submit()
    async with AsyncClient(served.url, token="another") as client:
        with pytest.raises(ServiceRefused, match=rf"Log in: manyhands login {served.url}"):
            await client.status()


async def test_a_service_that_is_away_says_how_to_start_one() -> None:
    async with AsyncClient("http://127.0.0.1:9", token="t", patience_s=0.1) as client:
        with pytest.raises(ServiceAway, match=r"nothing answers there.*manyhands serve"):
            await client.status()
        with pytest.raises(ServiceAway, match="manyhands serve"):
            await anext(client.events())


async def test_the_same_methods_without_asyncio(served: Served) -> None:
    def use() -> list[str]:
        with Client(served.url, token=served.token) as client:
            batch = client.submit(goal=["Buy milk.", "Mute."])
            said = [batch.id, *(task.id for task in client.tasks(batch=batch))]
            for event in client.events(after=0):
                said.append(event.kind)
                break
            with pytest.raises(ServiceRefused):
                client.task("b1.gone")
            client.cancel(batch)
            said.append(client.wait(batch).phase)
        with pytest.raises(RuntimeError, match="closed"):
            client.status()
        return said

    assert await asyncio.to_thread(use) == ["b1", "b1.goal-1", "b1.goal-2", "batch.accepted", "cancelled"]


def test_both_clients_have_the_same_methods() -> None:
    def methods(kind: type[object]) -> set[str]:
        return {name for name in dir(kind) if not name.startswith("_")}

    assert methods(Client) == methods(AsyncClient)


async def test_each_operation_of_the_service_has_a_method(served: Served) -> None:
    async with httpx.AsyncClient(timeout=100) as http:
        described = (await http.get(f"{served.url}/openapi.json")).json()
    own = {"make_schedule": "add_schedule", "make_webhook": "add_webhook", "submit_batch": "submit"}
    words = {"resend_dead_letters": "resend", "follow_events": "events", "list_steps": "steps", "list_audit": "audit"}
    words |= {"take_over_episode": "take_over", "hand_back_episode": "hand_back", "act_in_episode": "act"}
    words |= {"report_steps": "episode_report", "watch_wall": "events"}
    words |= {"cancel_batches": "cancel_all", "show_times": "schedule_times"}
    for_browsers = {"begin_session", "show_session", "end_session"}
    methods = {name for name in dir(AsyncClient) if not name.startswith("_")}
    missing = set()
    for operations in described["paths"].values():
        for operation in operations.values():
            id = operation["operationId"]
            plain = re.sub(r"^(show|list)_", "", id)
            names = {id, plain, own.get(id), words.get(id), re.sub(r"_(batch|phone)(_aside)?$", "", id)}
            if id == "set_phone_aside":
                names.add("set_aside")
            if not names & methods:
                missing.add(id)
    assert missing == for_browsers
