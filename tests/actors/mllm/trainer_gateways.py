"""Small gateways in the shape of AReaL's proxy 1.0.4 and Agent Lightning's 1.0.2, as far as sessions go: real HTTP.

Their packages need PyTorch, or another Python; rLLM's gateway itself is in tests/loaders.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.actors.mllm.model_servers import Say, completion

ADMIN = "admin-sesame-1"
REPLY = '{"notes": "kept"}'
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def _key(request: web.Request) -> str:
    return request.headers.get("Authorization", "").removeprefix("Bearer ")


@dataclass
class Areal:
    """Its proxy: a key for each session; the trainer grants places, and exports what has ended."""

    capacity: int = 8
    sessions: dict[str, str] = field(default_factory=dict)
    """The session of each key."""
    calls: dict[str, int] = field(default_factory=dict)
    rewards: dict[str, list[float]] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    refuses: bool = False
    """Whether it refuses to start sessions, and repeats what it was sent, as FastAPI does."""

    def export(self) -> None:
        """Forget what has ended, as the proxy does once the trainer has fetched it."""
        self.sessions = {key: session for key, session in self.sessions.items() if session not in self.ended}

    def _session(self, request: web.Request) -> str:
        if _key(request) not in self.sessions:
            raise web.HTTPUnauthorized(text=f'{{"detail": "Invalid or expired session API key {_key(request)}."}}')
        return self.sessions[_key(request)]

    async def start(self, request: web.Request) -> web.Response:
        if _key(request) != ADMIN:
            return web.json_response({"detail": f"Invalid admin API key: {_key(request)}"}, status=403)
        body = await request.json()
        if self.refuses:
            return web.json_response({"detail": [{"msg": "Extra inputs are not permitted", "input": body}]}, status=422)
        if self.capacity <= 0:
            return web.json_response({"detail": "No available capacity"}, status=429)
        session = self.sessions.get(body["api_key"])
        if session is not None and session not in self.ended:
            return web.json_response({"detail": f"API key is already bound to active session {session}."}, status=409)
        number = sum(one.startswith(body["task_id"]) for one in self.calls)
        session = f"{body['task_id']}-{number}"
        self.sessions[body["api_key"]] = session
        self.calls[session], self.rewards[session] = 0, []
        self.capacity -= 1
        return web.json_response({"session_id": session, "api_key": body["api_key"]})

    async def reward(self, request: web.Request) -> web.Response:
        session = self._session(request)
        if not self.calls[session]:
            return web.json_response({"detail": "No interactions in session"}, status=400)
        self.rewards[session].append((await request.json())["reward"])
        return web.json_response({"message": "success"})

    async def end(self, request: web.Request) -> web.Response:
        self.ended.add(self._session(request))
        return web.json_response({"message": "success", "interaction_count": 1})

    async def chat(self, request: web.Request) -> web.Response:
        self.calls[self._session(request)] += 1
        return web.json_response(completion(Say(REPLY)))

    @property
    def routes(self) -> dict[str, Handler]:
        return {
            "/rl/start_session": self.start,
            "/rl/set_reward": self.reward,
            "/rl/end_session": self.end,
            "/chat/completions": self.chat,
        }


TRANSITIONS = {
    "queuing": {"running", "failed"},
    "running": {"succeeded", "failed"},
    "succeeded": set(),
    "failed": set(),
}


@dataclass
class AgentLightning:
    """Its server: rollouts with events; while it is paused, it answers 429."""

    states: dict[str, str] = field(default_factory=dict)
    inputs: dict[str, Any] = field(default_factory=dict)
    events: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    paused: int = 0
    """How many more requests are answered so."""
    loses_answers: int = 0
    """How many more events are taken, and answered with an error."""

    def _check(self, request: web.Request) -> str:
        if _key(request) != ADMIN:
            raise web.HTTPUnauthorized(text='{"detail": "Invalid or missing API key"}')
        id = request.match_info.get("id", "")
        if id and id not in self.states:
            raise web.HTTPNotFound(text='{"detail": "Rollout not found"}')
        return id

    async def create(self, request: web.Request) -> web.Response:
        self._check(request)
        for rollout in await request.json():
            self.states.setdefault(rollout["rollout_id"], "queuing")
            self.inputs.setdefault(rollout["rollout_id"], rollout["input"])
            self.events.setdefault(rollout["rollout_id"], [])
        return web.json_response([], status=201)

    async def patch(self, request: web.Request) -> web.Response:
        id, state = self._check(request), (await request.json())["status"]["state"]
        if state not in TRANSITIONS[self.states[id]]:
            return web.json_response({"detail": "cannot transition"}, status=409)
        self.states[id] = state
        return web.json_response({})

    async def delete(self, request: web.Request) -> web.Response:
        if _key(request) == ADMIN:
            self.states.pop(request.match_info["id"], None)
        return web.Response(status=204)

    async def post_event(self, request: web.Request) -> web.Response:
        self.events[self._check(request)].append(await request.json())
        if self.loses_answers:
            self.loses_answers -= 1
            raise web.HTTPBadGateway(text="the proxy before it lost the answer")
        return web.json_response({})

    async def get_events(self, request: web.Request) -> web.Response:
        events = self.events[self._check(request)]
        return web.json_response([one for one in events if one["event_type"] == request.query["event_type"]])

    async def chat(self, request: web.Request) -> web.Response:
        id = self._check(request)
        if self.paused:
            self.paused -= 1
            return web.json_response({"error": "gateway paused"}, status=429, headers={"Retry-After": "1"})
        if (await request.json()).get("stream"):
            return web.json_response({"detail": "Streaming responses are not supported"}, status=400)
        self.events[id].append({"event_type": "model_request"})
        return web.json_response(completion(Say(REPLY)))


@asynccontextmanager
async def serving_areal(areal: Areal) -> AsyncIterator[str]:
    app = web.Application()
    for path, handler in areal.routes.items():
        app.router.add_post(path, handler)
    async with serving_app(app) as url:
        yield url


@asynccontextmanager
async def serving_agent_lightning(server: AgentLightning) -> AsyncIterator[str]:
    app, rollout = web.Application(), "/api/rollouts/{id}"
    app.router.add_post("/api/rollouts", server.create)
    app.router.add_patch(rollout, server.patch)
    app.router.add_delete(rollout, server.delete)
    app.router.add_get(f"{rollout}/events", server.get_events)
    app.router.add_post(f"{rollout}/attempt/0/events", server.post_event)
    app.router.add_post("/proxy/rollout/{id}/attempt/0/mode/train/openai/v1/chat/completions", server.chat)
    async with serving_app(app) as url:
        yield url


@asynccontextmanager
async def serving_app(app: web.Application) -> AsyncIterator[str]:
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
