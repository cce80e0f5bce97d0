"""A small server that speaks the service's HTTP interface, until the real application is there."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from aiohttp import web

from manyhands.protocol.service.access import AccessRole, Problem, TokenStatus
from manyhands.protocol.service.batches import BatchPhase, BatchRequest, BatchStatus, TaskPhase, TaskStatus
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.service.fleet import PhonePhase, PhoneStatus, ServiceStatus
from manyhands.protocol.service.schedules import ScheduleRequest, ScheduleStatus

TOKEN = "a-token"


class SmallService:
    """Accept batches; a test decides what becomes of their tasks."""

    def __init__(self) -> None:
        self.batches: dict[str, BatchStatus] = {}
        self.tasks: dict[str, TaskStatus] = {}
        self.keys: dict[str, str] = {}
        self.events: list[ServiceEvent] = []
        self.changed = asyncio.Condition()
        self.fails = 0
        self.requests: list[tuple[str, str]] = []
        self.schedules: dict[str, ScheduleStatus] = {}
        self.phones = {"p1": PhoneStatus(serial="p1", phase=PhonePhase.FREE, labels={"model": "pixel"})}
        self.next_event = 1

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self.check])
        root = "/api/v1"
        app.add_routes(
            [
                web.post(f"{root}/batches", self.submit),
                web.get(f"{root}/batches", self.list_batches),
                web.get(f"{root}/batches/{{id}}", self.batch),
                web.get(f"{root}/batches/{{id}}/results", self.results),
                web.post(f"{root}/batches/{{id}}:{{what}}", self.change_batch),
                web.get(f"{root}/tasks", self.list_tasks),
                web.get(f"{root}/tasks/{{id}}", self.task),
                web.post(f"{root}/tasks/{{id}}:{{what}}", self.change_task),
                web.get(f"{root}/phones", self.list_phones),
                web.post(f"{root}/phones/{{id}}:{{what}}", self.change_phone),
                web.get(f"{root}/status", self.status),
                web.get(f"{root}/tokens/self", self.own_token),
                web.get(f"{root}/events", self.stream),
                web.get(f"{root}/schedules", self.list_schedules),
                web.post(f"{root}/schedules", self.add_schedule),
                web.get(f"{root}/schedules/{{id}}", self.schedule),
                web.delete(f"{root}/schedules/{{id}}", self.remove_schedule),
                web.post(f"{root}/schedules/{{id}}:{{what}}", self.change_schedule),
            ]
        )
        return app

    @web.middleware
    async def check(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.requests.append((request.method, request.path))
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return problem(401, "no-token", "the service does not know this token")
        if self.fails:
            self.fails -= 1
            return problem(503, "busy", "try again")
        try:
            return await handler(request)
        except KeyError as error:
            return problem(404, "not-found", f"there is no {error.args[0]}")

    async def tell(self, kind: EventKind, batch: str | None = None, task: str | None = None, **data: Any) -> None:
        async with self.changed:
            self.events.append(
                ServiceEvent(id=self.next_event, at=time.time(), kind=kind, batch=batch, task=task, data=data)
            )
            self.next_event += 1
            self.changed.notify_all()

    async def submit(self, request: web.Request) -> web.Response:
        key = request.headers.get("Idempotency-Key")
        if key in self.keys:
            return answer(self.batches[self.keys[key]], 200)
        asked = BatchRequest.model_validate_json(await request.read())
        id = f"b{len(self.batches) + 1}"
        if key:
            self.keys[key] = id
        for spec in asked.tasks:
            self.tasks[f"{id}.{spec.id}"] = TaskStatus(
                id=f"{id}.{spec.id}",
                batch=id,
                goal=spec.goal,
                phase=TaskPhase.WAITING,
                priority=asked.priority + spec.priority,
            )
        self.batches[id] = BatchStatus(
            id=id, name=asked.name, owner="ann", priority=asked.priority, tags=asked.tags, phase=BatchPhase.OPEN,
            submitted_at=time.time(), deadline=asked.deadline, phones=asked.phones, tasks=len(asked.tasks),
            waiting=len(asked.tasks), running=0, done=0, failed=0,
        )  # fmt: skip
        await self.tell(EventKind.BATCH_ACCEPTED, id)
        return answer(self.batches[id], 201)

    def count(self, id: str) -> None:
        own = [task for task in self.tasks.values() if task.batch == id]
        waiting = sum(task.phase in (TaskPhase.WAITING, TaskPhase.PAUSED) for task in own)
        running = sum(task.phase is TaskPhase.RUNNING for task in own)
        done = sum(task.is_done is True for task in own)
        failed = sum(task.is_done is False for task in own)
        batch = self.batches[id].model_copy(
            update={"tasks": len(own), "waiting": waiting, "running": running, "done": done, "failed": failed}
        )
        if not waiting and not running and batch.phase is BatchPhase.OPEN:
            batch = batch.model_copy(update={"phase": BatchPhase.ENDED, "ended_at": time.time()})
        self.batches[id] = batch

    async def begin(self, task: str, phone: str = "p1") -> None:
        self._set(task, phase=TaskPhase.RUNNING, phone=phone, episode=f"e-{task}", step=0, started_at=time.time())
        await self.tell(EventKind.TASK_BEGAN, self.tasks[task].batch, task, episode=f"e-{task}", phone=phone)

    async def end(self, task: str, done: bool = True, **more: Any) -> None:
        self._set(
            task, phase=TaskPhase.ENDED, ending="finished" if done else "step_limit", reason="as told", is_done=done,
            steps=3, attempts=1, ended_at=time.time(), phone="p1", episode=f"e-{task}", **more,
        )  # fmt: skip
        batch = self.tasks[task].batch
        data = self.tasks[task].model_dump(mode="json", exclude={"id", "batch", "phone"})
        await self.tell(EventKind.TASK_ENDED, batch, task, **data)
        if not done:
            await self.tell(EventKind.TASK_FAILED, batch, task)
        if self.batches[batch].phase is BatchPhase.ENDED:
            await self.tell(EventKind.BATCH_ENDED, batch)

    def _set(self, task: str, **changes: Any) -> None:
        self.tasks[task] = TaskStatus.model_validate({**self.tasks[task].model_dump(), **changes})
        self.count(self.tasks[task].batch)

    async def list_batches(self, request: web.Request) -> web.Response:
        return self._page(request, [*reversed(self.batches.values())])

    async def batch(self, request: web.Request) -> web.Response:
        return answer(self.batches[request.match_info["id"]])

    async def results(self, request: web.Request) -> web.Response:
        self.batches[request.match_info["id"]]
        if request.query.get("format") == "csv":
            return web.Response(text="id,verdict\r\n", content_type="text/csv")
        return web.Response(text="[]", content_type="application/json")

    async def change_batch(self, request: web.Request) -> web.Response:
        id, what = request.match_info["id"], request.match_info["what"]
        if what == "retry":
            failed = [task.id for task in self.tasks.values() if task.batch == id and task.is_done is False]
            return web.json_response([self._retry(task).model_dump(mode="json") for task in failed], status=201)
        phase = {"pause": BatchPhase.PAUSED, "resume": BatchPhase.OPEN, "cancel": BatchPhase.CANCELLED}[what]
        self.batches[id] = self.batches[id].model_copy(update={"phase": phase})
        if what == "cancel":
            for task in [
                task for task in self.tasks.values() if task.batch == id and task.phase is not TaskPhase.ENDED
            ]:
                self._set(task.id, phase=TaskPhase.ENDED, ending="cancelled", reason="cancelled", is_done=False)
        await self.tell(
            EventKind(f"batch.{what.rstrip('el').rstrip('e')}ed") if what != "cancel" else EventKind.BATCH_CANCELLED, id
        )
        if what == "cancel":
            await self.tell(EventKind.BATCH_ENDED, id)
        return answer(self.batches[id])

    async def task(self, request: web.Request) -> web.Response:
        return answer(self.tasks[request.match_info["id"]])

    async def list_tasks(self, request: web.Request) -> web.Response:
        chosen = [
            task
            for task in self.tasks.values()
            if request.query.get("batch") in (None, task.batch) and request.query.get("phase") in (None, task.phase)
        ]
        return self._page(request, chosen)

    async def change_task(self, request: web.Request) -> web.Response:
        id, what = request.match_info["id"], request.match_info["what"]
        if what == "retry":
            return answer(self._retry(id), 201)
        phase = {"pause": TaskPhase.PAUSED, "resume": TaskPhase.WAITING, "cancel": TaskPhase.ENDED}[what]
        self._set(id, phase=phase)
        return answer(self.tasks[id])

    def _retry(self, id: str) -> TaskStatus:
        old = self.tasks[id]
        new = f"{id}.r2"
        self.tasks[new] = TaskStatus(
            id=new, batch=old.batch, goal=old.goal, phase=TaskPhase.WAITING, priority=0, retry_of=id
        )
        self.batches[old.batch] = self.batches[old.batch].model_copy(update={"phase": BatchPhase.OPEN})
        self.count(old.batch)
        return self.tasks[new]

    async def list_phones(self, request: web.Request) -> web.Response:
        return web.json_response([phone.model_dump(mode="json") for phone in self.phones.values()])

    async def own_token(self, request: web.Request) -> web.Response:
        return answer(TokenStatus(id="t1", owner="ann", role=AccessRole.SUBMIT, created_at=1.0))

    async def change_phone(self, request: web.Request) -> web.Response:
        id, what = request.match_info["id"], request.match_info["what"]
        body = await request.json() if request.can_read_body else {}
        changes = {
            "aside": {"phase": PhonePhase.ASIDE, "reason": body.get("reason", "")},
            "release": {"phase": PhonePhase.FREE, "reason": ""},
            "reserve": {
                "phase": PhonePhase.RESERVED,
                "reserved_for": body.get("owner"),
                "reserved_until": body.get("until"),
            },
            "labels": {"labels": body.get("labels", {})},
        }[what]
        self.phones[id] = self.phones[id].model_copy(update=changes)
        return answer(self.phones[id])

    async def status(self, request: web.Request) -> web.Response:
        return answer(ServiceStatus(version="0", started_at=1.0, is_ready=True, phones=1))

    async def list_schedules(self, request: web.Request) -> web.Response:
        return self._page(request, list(self.schedules.values()))

    async def add_schedule(self, request: web.Request) -> web.Response:
        asked = ScheduleRequest.model_validate_json(await request.read())
        id = f"s{len(self.schedules) + 1}"
        self.schedules[id] = ScheduleStatus(
            id=id,
            owner="ann",
            created_at=1.0,
            counted_from=1.0,
            settled_until=1.0,
            next_times=(1e9, 2e9),
            **dict(asked),
        )
        return answer(self.schedules[id], 201)

    async def schedule(self, request: web.Request) -> web.Response:
        return answer(self.schedules[request.match_info["id"]])

    async def change_schedule(self, request: web.Request) -> web.Response:
        id, what = request.match_info["id"], request.match_info["what"]
        self.schedules[id] = self.schedules[id].model_copy(update={"paused": what == "pause"})
        return answer(self.schedules[id])

    async def remove_schedule(self, request: web.Request) -> web.Response:
        del self.schedules[request.match_info["id"]]
        return web.Response(status=204)

    def _page(self, request: web.Request, found: list[Any]) -> web.Response:
        start = int(request.query.get("cursor", "0"))
        items = [item.model_dump(mode="json") for item in found[start : start + 2]]
        more = str(start + 2) if start + 2 < len(found) else None
        return web.json_response({"items": items, "next_cursor": more})

    async def stream(self, request: web.Request) -> web.StreamResponse:
        last = int(request.headers.get("Last-Event-ID", self.next_event - 1))
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(f"id: {last}\n: hello\n\n".encode())
        kinds = request.query.getall("kind", [])
        while True:
            async with self.changed:
                await self.changed.wait_for(lambda seen=last: self.next_event - 1 > seen)
                new = [event for event in self.events if event.id > last]
            last = self.next_event - 1
            for event in new:
                if request.query.get("batch") in (None, event.batch) and (not kinds or event.kind in kinds):
                    await response.write(f"id: {event.id}\ndata: {event.model_dump_json()}\n\n".encode())


def answer(value: Any, status: int = 200) -> web.Response:
    return web.Response(text=value.model_dump_json(), status=status, content_type="application/json")


def problem(status: int, kind: str, detail: str) -> web.Response:
    text = Problem(type=f"urn:manyhands:problem:{kind}", title=kind, status=status, detail=detail).model_dump_json()
    return web.Response(text=text, status=status, content_type="application/problem+json")
