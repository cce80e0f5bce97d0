"""Serve the page on which a person judges a run, on loopback, to whoever has its token."""

from __future__ import annotations

import json
import secrets
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Self, TypeVar

from aiohttp import web
from pydantic import StrictBool, StrictInt, ValidationError

from manyhands.evaluation.judgement_page.guard import Guard, add_headers
from manyhands.evaluation.judgement_page.session import JudgementSession
from manyhands.evaluation.judging.judgements import JudgementKind
from manyhands.evaluation.judging.questions import JudgeAnswer, JudgementQuestion, QuestionSheet
from manyhands.evaluation.markup import page_templates
from manyhands.protocol.base import Input
from manyhands.protocol.errors import BadInput, StoreError, explain

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
        self._templates = page_templates("manyhands.evaluation.judgement_page", "manyhands.evaluation")
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
        app.on_response_prepare.append(add_headers)
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

    async def _screen(self, request: web.Request) -> web.FileResponse:
        """Send a screenshot that the episodes show; no other file can be read."""
        content_id = request.match_info["content_id"]
        if content_id not in self._screens:
            raise web.HTTPNotFound(text="no episode shows that screen\n")
        return web.FileResponse(self._session.run.screen_path(content_id))

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
    return frozenset(one for one in ids if session.run.screen_path(one).is_file())


def _sources(session: JudgementSession) -> dict[str, str]:
    """Return what run.yaml says of the run's model and phones."""
    sources = {what: session.run.asked.get(f"{what}_source") for what in ("model", "phones")}
    return {what: str(source) for what, source in sources.items() if source}


def _answer_json(question: JudgementQuestion, session: JudgementSession, sheet: QuestionSheet) -> str:
    """Return an answer as JSON for the page's script; empty if there is none."""
    answer = question.answer(session.judgement(sheet.episode))
    return "" if answer is None else json.dumps(answer.value)
