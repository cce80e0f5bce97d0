"""Serve OpenEnv's protocol: a session for each WebSocket, tasks and schemas over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from aiohttp import WSCloseCode, WSMsgType, web
from pydantic import Field, ValidationError
from pydantic_core import from_json

from manyhands.protocol.base import Input
from manyhands.protocol.errors import BadInput, ManyhandsError, explain
from manyhands.rollouts.environment.messages import (
    SPLIT,
    ErrorCode,
    MessageBody,
    MessageRefused,
    Split,
    error_message,
    read_action,
    read_reset,
    schemas,
    state_message,
)
from manyhands.rollouts.environment.session import PhoneEnvironment, Session

NAME = "manyhands"
"""The name of the environment in the addresses of its tasks."""
OPEN_PATHS = frozenset({"/health", "/schema", "/metadata"})
"""What is answered without a token. It tells nothing of phones or tasks."""
LONGEST_MESSAGE = 64 * 1024
MOST_WAITING = 8
"""How many messages of a client may wait for their answers. OpenEnv's clients send one at a time."""
HEARTBEAT_S = 30.0
"""How often a silent client is asked whether it is there. A client that does not answer within half of that is gone."""
CLOSING_S = 60.0
"""How long sessions may take to end when the server stops."""
PLACE_S = 20.0
"""How long a client waits for the place of one that has left, such as itself before it connected again."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
IsAllowed = Callable[[str], Awaitable[bool]]
"""Returns whether a token with this secret may use phones."""
T = TypeVar("T", bound=Input)
logger = logging.getLogger(__name__)


class TaskList(Input):
    """Ask for the tasks of a split, or for their number."""

    split: Split


class TaskPosition(TaskList):
    """Ask for one task."""

    index: int = Field(ge=0)


class TaskRange(TaskList):
    """Ask for some tasks, by Python's rules for slices."""

    start: int | None = None
    stop: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    """Say where and for how many clients a server listens."""

    host: str = "127.0.0.1"
    port: int = 8010
    """0 takes a free port."""
    tls: ssl.SSLContext | None = None
    sessions: int
    """The most sessions at a time."""
    idle_s: float = 300.0
    """After so many seconds without a message, a session ends."""


class EnvironmentServer:
    """Serve an environment while the context is open."""

    def __init__(self, environment: PhoneEnvironment, is_allowed: IsAllowed, address: ServerAddress) -> None:
        self._environment = environment
        self._is_allowed = is_allowed
        self._address = address
        self._sockets = set[web.WebSocketResponse]()
        """The connections that have a session. Those that are closed give their phones back."""
        self._places = asyncio.Condition()
        """Notified when a session has ended."""
        self._stack = AsyncExitStack()
        self.url = ""

    async def __aenter__(self) -> Self:
        """Listen. Raises BadInput for an address at which it cannot."""
        address = self._address
        runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=CLOSING_S)
        await runner.setup()
        try:
            await web.TCPSite(runner, address.host, address.port, ssl_context=address.tls).start()
        except (OSError, OverflowError) as error:
            await runner.cleanup()
            raise BadInput(f"--port {address.port}: cannot listen at {address.host}: {error}") from error
        self._stack.push_async_callback(runner.cleanup)
        name = f"[{address.host}]" if ":" in address.host else address.host
        self.url = f"http{'' if address.tls is None else 's'}://{name}:{runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        """End all sessions, then stop listening."""
        await self._stack.aclose()

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=LONGEST_MESSAGE, middlewares=[self._guard])
        app.on_shutdown.append(self._say_goodbye)
        router = app.router
        router.add_get("/health", self._health)
        router.add_get("/schema", self._schema)
        router.add_get("/metadata", self._metadata)
        router.add_get("/ws", self._serve)
        router.add_get("/list_environments", self._list_environments)
        router.add_get(f"/{NAME}/splits", self._splits)
        router.add_post(f"/{NAME}/tasks", self._list_tasks)
        router.add_post(f"/{NAME}/num_tasks", self._count_tasks)
        router.add_post(f"/{NAME}/task", self._get_task)
        router.add_post(f"/{NAME}/task_range", self._get_tasks)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Pass on requests with a valid token, and none of a browser's pages."""
        if "Origin" in request.headers:
            raise web.HTTPForbidden(text="pages of browsers are not answered\n")
        if request.path not in OPEN_PATHS and not await self._is_allowed(_secret_of(request)):
            raise web.HTTPUnauthorized(
                text="send a token of the service with the role submit: Authorization: Bearer SECRET\n",
                headers={"WWW-Authenticate": 'Bearer realm="manyhands"'},
            )
        return await handler(request)

    # ------------------------------------------------------------------------ what the server is
    async def _health(self, _: web.Request) -> web.Response:
        return web.json_response({"status": "healthy"})

    async def _schema(self, _: web.Request) -> web.Response:
        return web.json_response(schemas())

    async def _metadata(self, _: web.Request) -> web.Response:
        description = "Android phones: pictures, touches, and rewards by the checks of tasks"
        return web.json_response({"name": NAME, "description": description})

    # ------------------------------------------------------------------------ tasks
    @property
    def _tasks(self) -> list[dict[str, Any]]:
        shown = {"id", "goal", "tags", "reset_seed"}
        tasks = enumerate(self._environment.tasks.values())
        return [{"index": index, **task.model_dump(mode="json", include=shown)} for index, task in tasks]

    async def _list_environments(self, _: web.Request) -> web.Response:
        return web.json_response([NAME])

    async def _splits(self, _: web.Request) -> web.Response:
        return web.json_response([{"name": SPLIT, "type": "train"}])

    async def _list_tasks(self, request: web.Request) -> web.Response:
        await _read(request, TaskList)
        return web.json_response({"tasks": self._tasks, "env_name": NAME})

    async def _count_tasks(self, request: web.Request) -> web.Response:
        await _read(request, TaskList)
        return web.json_response({"num_tasks": len(self._tasks)})

    async def _get_task(self, request: web.Request) -> web.Response:
        position = await _read(request, TaskPosition)
        if position.index >= len(self._tasks):
            raise web.HTTPBadRequest(text=f"there are {len(self._tasks)} tasks\n")
        return web.json_response({"task": self._tasks[position.index]})

    async def _get_tasks(self, request: web.Request) -> web.Response:
        bounds = await _read(request, TaskRange)
        return web.json_response({"tasks": self._tasks[bounds.start : bounds.stop]})

    # ------------------------------------------------------------------------ sessions
    async def _serve(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one session until its client leaves, is idle or sends too much."""
        # Compression would cost more than it saves: nearly all of an answer is a JPEG.
        socket = web.WebSocketResponse(heartbeat=HEARTBEAT_S, max_msg_size=LONGEST_MESSAGE, compress=False)
        await socket.prepare(request)
        if not await self._take_place(socket):
            most = self._address.sessions
            text = f"all {most} sessions are open: close one, or try again later"
            refusal = error_message(text, ErrorCode.CAPACITY_REACHED, active_sessions=most, max_sessions=most)
            await _end(socket, refusal, WSCloseCode.TRY_AGAIN_LATER)
            return socket
        session = Session(self._environment)
        try:
            await self._converse(socket, session)
        finally:
            try:
                await session.close()
            finally:
                self._sockets.discard(socket)
                async with self._places:
                    self._places.notify_all()
        return socket

    async def _take_place(self, socket: web.WebSocketResponse) -> bool:
        """Return whether there is a place for another session, and take it. Wait for one that is being left."""
        most = self._address.sessions
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PLACE_S), self._places:
                await self._places.wait_for(
                    lambda: len(self._sockets) < most or not any(one.closed for one in self._sockets)
                )
        has_place = len(self._sockets) < most
        if has_place:
            self._sockets.add(socket)
        return has_place

    async def _converse(self, socket: web.WebSocketResponse, session: Session) -> None:
        """Read messages while others are answered, so that the client's pings are answered during a long step."""
        waiting: asyncio.Queue[str] = asyncio.Queue(MOST_WAITING)
        reading = asyncio.create_task(_read_messages(socket, waiting))
        answering = asyncio.create_task(self._answer_all(socket, session, waiting))
        try:
            await asyncio.wait({reading, answering}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (reading, answering):
                task.cancel()
            await asyncio.wait({reading, answering})
        for task in (reading, answering):
            if not task.cancelled():
                task.result()

    async def _answer_all(self, socket: web.WebSocketResponse, session: Session, waiting: asyncio.Queue[str]) -> None:
        """Answer messages in their order, until the client closes the session or is idle."""
        idle_s = self._address.idle_s
        while True:
            try:
                async with asyncio.timeout(idle_s):
                    text = await waiting.get()
            except TimeoutError:
                idle = error_message(f"no message for {idle_s:g} s: the session is over", ErrorCode.SESSION_ERROR)
                await _end(socket, idle, WSCloseCode.POLICY_VIOLATION)
                return
            answer = await _answer(session, text)
            if answer is None:
                await socket.close()
                return
            try:
                await socket.send_json(answer)
            except ConnectionError:  # the client has left meanwhile
                return

    async def _say_goodbye(self, _: web.Application) -> None:
        await asyncio.gather(*(socket.close(code=WSCloseCode.GOING_AWAY) for socket in tuple(self._sockets)))


async def _read_messages(socket: web.WebSocketResponse, waiting: asyncio.Queue[str]) -> None:
    """Queue a client's messages until it leaves, or sends more than may wait."""
    async for message in socket:
        if message.type is not WSMsgType.TEXT:
            refusal = error_message("a message is a text of JSON", ErrorCode.SESSION_ERROR)
            await _end(socket, refusal, WSCloseCode.UNSUPPORTED_DATA)
            return
        if waiting.full():
            flood = error_message(
                f"more than {MOST_WAITING} messages wait for an answer: the session is over", ErrorCode.SESSION_ERROR
            )
            await _end(socket, flood, WSCloseCode.POLICY_VIOLATION)
            return
        waiting.put_nowait(message.data)


async def _answer(session: Session, text: str) -> MessageBody | None:
    """Return the answer to a message; None if the client closes the session."""
    try:
        message = from_json(text, allow_inf_nan=False)
    except ValueError as error:
        return error_message(f"invalid JSON: {error}", ErrorCode.INVALID_JSON)
    if not isinstance(message, dict):
        return error_message("a message is an object with a type", ErrorCode.VALIDATION_ERROR)
    kind, data = message.get("type"), message.get("data", {})
    try:
        if not isinstance(data, dict):
            raise MessageRefused("data: must be an object")
        match kind:
            case "reset":
                return await session.reset(read_reset(data))
            case "step":
                return await session.step(*read_action(data))
            case "state":
                return state_message(session.state)
            case "close":
                return None
            case _:
                return error_message("type: send reset, step, state or close", ErrorCode.UNKNOWN_TYPE)
    except MessageRefused as error:
        return error_message(str(error), error.error_code)
    except ManyhandsError as error:
        return error_message(str(error), ErrorCode.EXECUTION_ERROR)
    except Exception as error:  # a defect that one message meets must not look like a lost connection
        logger.exception("a message of a client failed by a defect")
        return error_message(f"{type(error).__name__}: {error}", ErrorCode.EXECUTION_ERROR)


async def _end(socket: web.WebSocketResponse, error: MessageBody, code: WSCloseCode) -> None:
    """Tell a client why its session is over, and close the connection."""
    try:
        await socket.send_json(error)
    except ConnectionError:
        logger.debug("a client left before it was told: %s", error)
    await socket.close(code=code)


async def _read(request: web.Request, kind: type[T]) -> T:
    """Parse the body of a request. Raises HTTPBadRequest."""
    try:
        return kind.model_validate_json(await request.read())
    except ValidationError as error:
        raise web.HTTPBadRequest(text=f"{explain(error, kind)}\n") from error


def _secret_of(request: web.Request) -> str:
    """Return the token's secret; empty if there is none."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""
