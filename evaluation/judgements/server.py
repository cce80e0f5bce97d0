"""Serve, on loopback, the page on which a person judges a run, to a browser that opened the page with its token."""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Self, TypeVar

from aiohttp import web
from pydantic import StrictBool, StrictInt, ValidationError

from manyhands.evaluation.judgements.judgements import JudgementKind
from manyhands.evaluation.judgements.session import JudgeAnswer, JudgementQuestion, JudgementSession, QuestionSheet
from manyhands.evaluation.markup import page_templates
from manyhands.protocol.base import Input
from manyhands.protocol.errors import BadInput, StoreError, explain

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

HEADERS = {
    # Allow nothing inline and nothing from elsewhere. So texts of a model or a screen never run as scripts.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Guard:
    """Refuse requests without the token, for another host's name, or from another site's page."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self._authority = ""

    def serve_at(self, authority: str) -> None:
        """Accept only this host and port. Before this call, nothing is accepted."""
        self._authority = authority

    @web.middleware
    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Pass a request on. Raises HTTPForbidden and HTTPNotFound, whose texts do not reveal what is served."""
        # A foreign page may let its own host name point here (DNS rebinding). Then the Host header has that name.
        if not self._authority or request.headers.get("Host") != self._authority:
            raise web.HTTPForbidden(text="this address is not served\n")
        origin = request.headers.get("Origin")
        if origin is not None and origin != f"http://{self._authority}":
            raise web.HTTPForbidden(text="another site's pages are not answered\n")
        if request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise web.HTTPForbidden(text="another site's pages are not answered\n")
        if request.method not in ("GET", "HEAD") and origin is None:
            raise web.HTTPForbidden(text="changes need an Origin\n")
        token = request.path.removeprefix("/").partition("/")[0]  # the path of OPTIONS may be "*"
        if not hmac.compare_digest(token.encode(), self._token):
            raise web.HTTPForbidden(text="the address lacks the token that the command printed\n")
        return await handler(request)


async def _add_headers(_: web.Request, response: web.StreamResponse) -> None:
    """Add the headers that protect the page to every answer, also to a refusal."""
    response.headers.update(HEADERS)


HOST = "127.0.0.1"
LONGEST_BODY = 64 * 1024
T = TypeVar("T", bound="JudgingRequest")
STATIC = Path(__file__).with_name("static")
TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
"""Media types by suffix. The machine's own table may be wrong, and browsers run no script with a wrong type."""


class JudgingRequest(Input):
    """Name the question whose answer is taken back."""

    episode: str
    kind: JudgementKind
    name: str


class JudgingAnswer(JudgingRequest):
    """Hold an answer that the page sends."""

    value: StrictBool | StrictInt | None


class JudgementServer:
    """Serve the page while the context is open."""

    def __init__(self, session: JudgementSession, port: int) -> None:
        """Prepare; ``port`` 0 takes a free port."""
        self._session = session
        self._port = port
        self._token = secrets.token_urlsafe(32)
        self._guard = Guard(self._token)
        self._screens = _screens(session)
        self._sources = _sources(session)
        self._templates = page_templates("manyhands.evaluation.judgements", "manyhands.evaluation")
        self._stack = AsyncExitStack()
        self.url = ""

    async def __aenter__(self) -> Self:
        """Listen. Raises BadInput if the port is taken, or if somebody judges under this name already; StoreError."""
        async with AsyncExitStack() as stack:
            stack.enter_context(self._session.alone())
            runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=10.0)
            await runner.setup()
            stack.push_async_callback(runner.cleanup)
            try:
                await web.TCPSite(runner, HOST, self._port).start()
            except (OSError, OverflowError) as error:
                raise BadInput(f"--port {self._port}: cannot listen at {HOST}: {error}") from error
            authority = f"{HOST}:{runner.addresses[0][1]}"
            self._guard.serve_at(authority)
            self.url = f"http://{authority}/{self._token}/"
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening, after finishing an answer that is being written."""
        await self._stack.aclose()

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=LONGEST_BODY, middlewares=[self._guard.check])
        app.on_response_prepare.append(_add_headers)
        app.router.add_get("/{token}/", self._start)
        app.router.add_get("/{token}/episodes/{number:[0-9]{1,6}}", self._episode)
        app.router.add_get("/{token}/screens/{content_id:[0-9a-f]{32}}.png", self._screen)
        app.router.add_get("/{token}/{file:judge\\.(?:js|css|svg)}", self._static)
        app.router.add_put("/{token}/judgements", self._say)
        app.router.add_delete("/{token}/judgements", self._take_back)
        return app

    # ------------------------------------------------------------------------ pages
    async def _start(self, _: web.Request) -> web.Response:
        """Send the browser to the first episode with an open question."""
        number = list(self._session.sheets).index(self._session.first_open().episode)
        raise web.HTTPFound(f"episodes/{number}")

    async def _episode(self, request: web.Request) -> web.Response:
        number, all_sheets = int(request.match_info["number"]), list(self._session.sheets.values())
        if number >= len(all_sheets):
            raise web.HTTPNotFound(text="there are not so many episodes\n")
        sheet = all_sheets[number]
        page = self._templates.get_template("judge.html.jinja").render(
            judge=self._session.judge,
            sources=self._sources,
            sheet=sheet,
            answers=[_answer_json(question, self._session, sheet) for question in sheet.questions],
            number=number,
            count=len(all_sheets),
            of_run=self._session.progress(),
            of_episode=self._session.progress(sheet.episode),
            pictures=self._screens,
        )
        return web.Response(text=page, content_type="text/html")

    async def _screen(self, request: web.Request) -> web.Response:
        """Send a screenshot that the episodes show; no other file can be read."""
        content_id = request.match_info["content_id"]
        run = self._session.run
        png = await asyncio.to_thread(run.screen_png, content_id) if content_id in self._screens else None
        if png is None:
            raise web.HTTPNotFound(text="no episode shows that screen\n")
        return web.Response(body=png, content_type="image/png")

    async def _static(self, request: web.Request) -> web.FileResponse:
        path = STATIC / request.match_info["file"]
        return web.FileResponse(path, headers={"Content-Type": TYPES[path.suffix]})

    # ------------------------------------------------------------------------ answers
    async def _say(self, request: web.Request) -> web.Response:
        judging = await _read(request, JudgingAnswer)
        return await self._answer(judging, JudgeAnswer(judging.value))

    async def _take_back(self, request: web.Request) -> web.Response:
        return await self._answer(await _read(request, JudgingRequest), None)

    async def _answer(self, request: JudgingRequest, answer: JudgeAnswer | None) -> web.Response:
        """Store an answer, and reply when it is on disk."""
        try:
            await self._session.answer(request.episode, request.kind, request.name, answer)
        except BadInput as error:
            return web.json_response({"error": str(error)}, status=400)
        except StoreError as error:
            return web.json_response({"error": str(error)}, status=500)
        progress = {"run": self._session.progress(), "episode": self._session.progress(request.episode)}
        return web.json_response({name: asdict(counts) for name, counts in progress.items()})


async def _read(request: web.Request, kind: type[T]) -> T:
    """Parse what the page sent. Raises HTTPBadRequest."""
    try:
        return kind.model_validate_json(await request.read())
    except ValidationError as error:
        message = json.dumps({"error": explain(error, kind)})
        raise web.HTTPBadRequest(text=message, content_type="application/json") from error


def _screens(session: JudgementSession) -> frozenset[str]:
    """Return the content ids of the screenshots that the episodes show and the run folder has."""
    ids = {shot.content_id for sheet in session.sheets.values() for shot in sheet.story.screenshots}
    return frozenset(filter(session.run.has_screen, ids))


def _sources(session: JudgementSession) -> dict[str, str]:
    """Return what run.yaml says of the run's model and phones."""
    sources = {what: session.run.asked.get(f"{what}_source") for what in ("model", "phones")}
    return {what: str(source) for what, source in sources.items() if source}


def _answer_json(question: JudgementQuestion, session: JudgementSession, sheet: QuestionSheet) -> str:
    """Return an answer as JSON for the page's script; empty if there is none."""
    answer = question.answer(session.judgement(sheet.episode))
    return "" if answer is None else json.dumps(answer.value)
