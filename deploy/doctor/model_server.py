"""Check each model server of a run: whether it answers, what it serves, sees, obeys schemas and is fast enough."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal

from manyhands.actors.mllm import ModelSettings, Prompt, ServedModel, dialect_named
from manyhands.actors.mllm.client.answers import ChatCompletion, advice, read_completion, read_models
from manyhands.actors.mllm.client.errors import LOADING, ErrorStatus, NoAnswer, RequestFailed
from manyhands.actors.mllm.client.probe import probe_context
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.formats import FORMATS
from manyhands.actors.mllm.request.bodies import recorded_body, wire_body, without_priority
from manyhands.actors.mllm.request.pictures import check_pictures
from manyhands.deploy.doctor.findings import Finding, Status
from manyhands.deploy.fleet.model_servers.cross_question import (
    CROSSES,
    CrossReply,
    cross_prompt,
    judge_crosses,
    read_point,
)
from manyhands.deploy.fleet.model_servers.model_dialects import choose_dialect, family_dialect, given_dialect
from manyhands.deploy.fleet.model_servers.prefix_cache import FLAG as CACHE_FLAG
from manyhands.deploy.fleet.model_servers.prefix_cache import judge_cache
from manyhands.deploy.fleet.model_servers.resolution import MODEL_SOURCES, rehearsed_roles, role_models
from manyhands.deploy.fleet.model_servers.token_budgets import MeasuredSpeed, measure_speed
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role

LIST_S = 3.0
QUESTION_S = 6.0
SPEED_S = 4.0
CACHE_S = 15.0
MOST_AT_ONCE = 8
SLOW = 10.0
"""A server is slow below this number of tokens a second. A step then takes most of a minute."""
SHARED = 1.5
"""For eight requests at once, a server must write this many times the tokens a second of one request alone. Otherwise
it does not batch requests."""
AMPLE = 200.0
"""This number of tokens a second is enough for eight phones, whatever one request alone gets."""
SERVE_A_MODEL = "manyhands mllm --model Qwen/Qwen3-VL-8B-Instruct-FP8"
_SHORT = 64


class SchemaReply(Reply):
    """Hold a reply that a model writes only if the server enforces the schema: the prompt asks for a greeting."""

    answer: Literal["yes", "no"]
    number: int


class ModelExaminer:
    """Check one server of one model."""

    def __init__(self, settings: ModelSettings, url: str, where: str, dialect: str | None) -> None:
        """Check the server at ``url``. ``where``: the option or key that names the model, such as ``--model``.

        ``dialect``: the one that the settings name; None if they leave it to the model's name.
        """
        self._given_dialect = dialect
        self._settings = settings.model_copy(update={"urls": (url,)})
        self._url = url
        self._where = where
        self._transport = Transport(self._settings)

    async def examine(self) -> Sequence[Finding]:
        """Return what was found. Stop at a failure after which the remaining checks would make no sense."""
        try:
            self._transport.open()
        except BadInput as error:
            variable = self._settings.api_key_env or "KEY"
            return [self._finding("key", str(error), "failure", f"export {variable}=...")]
        try:
            return [finding async for finding in self._examine()]
        finally:
            await self._transport.close()

    async def _examine(self) -> AsyncIterator[Finding]:
        try:
            async with asyncio.timeout(LIST_S):
                listed = read_models(await self._transport.get(self._url, "/models", LIST_S))
        except (RequestFailed, ValueError, TimeoutError) as error:
            yield self._unanswered(error)
            return
        yield self._finding("answer", "answers")
        names = listed.model_names
        name = self._settings.model or names[0]
        if name not in names:
            summary = f"serves {', '.join(names[:5])}, not {name}"
            yield self._finding("model", summary, "failure", f"{self._where} {names[0]}")
            return
        yield self._finding("model", name)
        self._settings = self._settings.model_copy(update={"model": name})
        if name in MODEL_SOURCES:
            yield self._finding("stand-in", MODEL_SOURCES[name])
            return
        yield self._choose_dialect(ServedModel(name, listed.weights_of(name)))
        schema, *results = await asyncio.gather(self._schema(), self._crosses(), self._resizing())
        yield schema
        for findings in (*results, await self._speed()):
            for finding in findings:
                yield finding
        yield await self._cache(name)

    # ------------------------------------------------------------------ single checks
    def _unanswered(self, error: Exception) -> Finding:
        why = str(error) if isinstance(error, RequestFailed) else f"{self._url} did not answer in {LIST_S:g} s"
        mend = f"{SERVE_A_MODEL}; for other machines with --host 0.0.0.0"
        if isinstance(error, ErrorStatus) and error.status in (401, 403):
            mend = "--api-key-env NAME, where the variable NAME holds the server's key"
        elif isinstance(error, ErrorStatus) and error.status in LOADING:
            mend = "it is probably loading its model, which takes minutes: wait, then ask again; a run waits by itself"
        elif isinstance(error, TimeoutError | NoAnswer):
            mend = f"wait if it is still loading its model; else serve one: {mend}"
        elif isinstance(error, ErrorStatus) and not self._url.endswith("/v1"):
            mend = f"--mllm-url {self._url}/v1"
        elif isinstance(error, ValueError):
            why, mend = "lists no model: it is no OpenAI-compatible server", "name the server's address, ending in /v1"
        return self._finding("answer", why, "failure", mend)

    def _choose_dialect(self, served: ServedModel) -> Finding:
        """Take the dialect that a run would take, and judge whether it is that of the model's family."""
        own_dialect = self._given_dialect
        try:
            dialect = choose_dialect(served, own_dialect)
        except BadInput as error:
            theirs = family_dialect(served)
            mend = f"--dialect {theirs.name if theirs else 'NAME (docs/serving.md)'}"
            return self._finding("dialect", str(error), "failure", mend)
        self._settings = self._settings.model_copy(update={"dialect": dialect})
        if family_dialect(served) is None:
            return self._finding("dialect", f"{dialect}; the family of {served.name} is not known by its name")
        return self._finding("dialect", f"{dialect}, as the model's family has it")

    async def _crosses(self) -> Sequence[Finding]:
        """Judge whether the model sees pictures and writes coordinates in the dialect's space."""
        dialect = dialect_named(self._settings.dialect, self._settings.max_pixels)
        try:
            async with asyncio.timeout(QUESTION_S):
                answers = await asyncio.gather(
                    *(self._ask(cross_prompt(cross, dialect), CrossReply) for cross in CROSSES)
                )
        except TimeoutError:
            mend = "a GPU, or a smaller model (docs/serving.md)"
            return [self._finding("pictures", f"no answer about one within {QUESTION_S:g} s", "failure", mend)]
        except RequestFailed as error:
            mend = advice(str(error)).removeprefix(": ") or f"serve a model that sees pictures: {SERVE_A_MODEL}"
            return [self._finding("pictures", str(error), "failure", mend)]
        judgement = judge_crosses([read_point(answer.text) for answer in answers], dialect)
        mend = "" if judgement.right else "set --max-pixels to the server's; else serve a model that finds places"
        if judgement.dialect is not None:
            mend = f"--dialect {judgement.dialect}"
        return [
            self._finding("pictures", "accepted"),
            self._finding("coordinates", judgement.description, "ok" if judgement.right else "failure", mend),
        ]

    async def _resizing(self) -> Sequence[Finding]:
        """Judge whether the server resizes pictures as the dialect assumes, if its coordinates depend on that."""
        dialect = dialect_named(self._settings.dialect, self._settings.max_pixels)
        if dialect.full is not None:
            return []
        try:
            async with asyncio.timeout(QUESTION_S):
                await check_pictures(self._transport, (self._url,), self._settings.model or "", dialect)
        except (BadInput, TimeoutError) as error:
            summary = str(error) or f"it did not tell within {QUESTION_S:g} s"
            status: Status = "failure" if isinstance(error, BadInput) else "warning"
            return [
                self._finding("picture size", summary, status, "--max-pixels as in the server's --mm-processor-kwargs")
            ]
        return [self._finding("picture size", "as we suppose")]

    async def _schema(self) -> Finding:
        """Judge whether the server makes answers fit a schema that the prompt does not mention."""
        if not FORMATS[self._settings.output].has_schema(SchemaReply):
            return self._finding("schema", f"not needed with --output-format {self._settings.output}")
        mend = "start vLLM with a backend for structured outputs (docs/serving.md), or --output-format headers"
        prompt = Prompt(system="You are friendly.", content=("Write one friendly English sentence.",))
        try:
            async with asyncio.timeout(QUESTION_S):
                answer = await self._ask(prompt, SchemaReply)
            SchemaReply.model_validate_json(answer.text)
        except TimeoutError:
            return self._finding("schema", f"no answer within {QUESTION_S:g} s", "failure", mend)
        except RequestFailed as error:
            return self._finding("schema", str(error), "failure", mend)
        except ValueError:
            if answer.misplacement:
                problem, _, mend = answer.misplacement.partition("; ")
                return self._finding("schema", problem, "failure", mend)
            excerpt = " ".join(answer.text.split())[:80]
            return self._finding("schema", f"not obeyed: it answered {excerpt!r}", "failure", mend)
        return self._finding("schema", "obeyed")

    async def _speed(self) -> Sequence[Finding]:
        """Measure tokens a second with one request and with eight at once."""
        alone = await self._tokens_per_s(1)
        findings = [self._judge_speed("speed", alone, SLOW, "a GPU, or a smaller model (docs/serving.md)")]
        if alone.per_s is not None:
            many = await self._tokens_per_s(MOST_AT_ONCE)
            mend = "the server takes requests one by one: raise --max-num-seqs (docs/serving.md)"
            findings.append(self._judge_speed(f"speed of {MOST_AT_ONCE}", many, min(AMPLE, SHARED * alone.per_s), mend))
        return findings

    async def _cache(self, model: str) -> Finding:
        """Judge whether a chat that goes on finds its former prompt in the server's cache."""
        try:
            async with asyncio.timeout(CACHE_S):
                judgement = await judge_cache(self._transport, self._url, model)
        except (RequestFailed, TimeoutError) as error:
            return self._finding("prefix cache", str(error) or f"no answer within {CACHE_S:g} s", "warning")
        if not judgement.is_known:
            return self._finding("prefix cache", judgement.description, mend=f"start vLLM with {CACHE_FLAG}")
        if judgement.has_hits:
            return self._finding("prefix cache", judgement.description)
        mend = "start vLLM with --enable-prefix-caching; for a hybrid model see docs/serving.md"
        return self._finding("prefix cache", judgement.description, "warning", mend)

    def _judge_speed(self, name: str, measured: MeasuredSpeed, least: float, mend: str) -> Finding:
        if measured.per_s is None:
            return self._finding(name, measured.why, "warning", mend)
        summary = f"{measured.per_s:.0f} tokens/s at {measured.requests} request{'s' if measured.requests > 1 else ''}"
        if measured.per_s < least:
            return self._finding(name, summary, "warning", mend)
        return self._finding(name, summary)

    async def _tokens_per_s(self, requests: int) -> MeasuredSpeed:
        return await measure_speed(self._transport, self._settings, self._url, requests, SPEED_S)

    # ------------------------------------------------------------------ requests
    async def _ask(self, prompt: Prompt, reply: type[Reply]) -> ChatCompletion:
        body = {**recorded_body(self._settings, Role.DECIDE, reply, prompt), "max_tokens": _SHORT}
        return await self._post(without_priority(body), prompt)

    async def _post(self, body: dict[str, Any], prompt: Prompt) -> ChatCompletion:
        """Send a request, and return the answer. Raises RequestFailed."""
        context = probe_context(QUESTION_S)
        images = {image.content_id: image.jpeg for image in prompt.images}
        return read_completion(self._url, await self._transport.post(self._url, wire_body(body, images), context))

    def _finding(self, name: str, summary: str, status: Status = "ok", mend: str = "") -> Finding:
        return Finding(f"model {self._url}", name, summary, status, mend)


MODEL = "model"


async def examine_models(settings: FleetSettings) -> Sequence[Finding]:
    """Check all servers at the same time."""
    named = settings.mllm_url or any(model.url for model in settings.models.values())
    if not named:
        mend = f"serve one: {SERVE_A_MODEL}; then --mllm-url http://HOST:8000/v1"
        return [Finding(MODEL, "server", "none is named: --mllm-url", "failure", mend)]
    try:
        models, rehearsed = role_models(settings), rehearsed_roles(settings)
    except BadInput as error:
        return [
            Finding(MODEL, "settings", str(error), "failure", "correct the setting that it names (docs/settings.md)")
        ]
    examiners: dict[str, ModelExaminer] = {}
    for role, model in models.items():
        dialect = given_dialect(settings.groups.model, role)
        for url in model.urls:
            key = model.model_copy(update={"urls": (url,)}).model_dump_json(exclude={"max_tokens", "repairs"})
            examiners.setdefault(key, ModelExaminer(model, url, _where(settings, role), dialect))
    parts = await asyncio.gather(*(examiner.examine() for examiner in examiners.values()))
    findings = [finding for part in parts for finding in part]
    if rehearsed:
        findings.append(Finding(MODEL, "rehearsed", "a stand-in for Qwen-VL, which a run starts"))
    return findings


def _where(settings: FleetSettings, role: Role) -> str:
    """Return the option, or the key of a settings file, that names the model of a role."""
    own = settings.models.get(role)
    return f"models.{role.value}.model:" if own is not None and (own.url or own.model) else "--model"
