"""Models by role: what is not given for a role is the run's, a key stays with its servers, every server is asked."""

from __future__ import annotations

import asyncio
import ssl
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from manyhands.actors.mllm.client import startup
from manyhands.actors.mllm.client.errors import NoAnswer
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.settings import ModelSettings
from manyhands.deploy.command_line.options import given_settings
from manyhands.deploy.fleet.model_servers.resolution import (
    REHEARSED_MODEL,
    REHEARSED_SOURCE,
    asked_models,
    check_models,
    model_source,
    rehearsed_roles,
    role_models,
)
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.stand_ins import rehearsed_model
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import STEP_ROLES, Role
from manyhands.protocol.runs.run_summary import AskedModel
from manyhands.service.http_server import TlsFiles
from tests.actors.mllm.model_servers import Answer, Drop, Fail, Hang, ModelServer, Received, Say, serving
from tests.deploy.doctor.seeing_model import SeeingModel

ROLES = [*STEP_ROLES, Role.JUDGE]


def given(**settings: Any) -> FleetSettings:
    return load_settings({"mllm_url": ["http://run/v1"], "dialect": "qwen3-vl", **settings})


def trials(server: ModelServer) -> list[Received]:
    """The requests in the form of a role's questions."""
    return [one for one in server.received if one.json["response_format"]["json_schema"]["name"] != "CrossReply"]


def test_one_model_for_all_roles() -> None:
    models = role_models(given(model="m", dialect="qwen2.5-vl", temperature=0.3, seed=7, max_in_flight=5))
    assert list(models) == ROLES
    for model in models.values():
        assert (model.urls, model.model, model.dialect) == (("http://run/v1",), "m", "qwen2.5-vl")
        assert (model.temperature, model.seed, model.max_in_flight) == (0.3, 7, 5)


def test_when_to_speculate_is_a_setting_of_the_run(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("mllm_url: [http://run/v1]\nspeculation: {in_flight_share: 0}\n")
    models = role_models(load_settings({}, config))
    assert {model.speculation.in_flight_share for model in models.values()} == {0.0}


def test_a_role_has_what_it_was_given_and_the_rest_from_the_run() -> None:
    own = {"model": "small", "temperature": 0.5, "max_tokens": 99}
    models = role_models(given(model="m", api_key_env="KEY", seed=3, models={"note": own}))
    note, plan = models[Role.NOTE], models[Role.PLAN]
    assert (note.model, note.temperature, note.seed, note.max_tokens[Role.NOTE]) == ("small", 0.5, 3, 99)
    assert (note.urls, note.api_key_env) == (plan.urls, "KEY")
    assert (plan.model, plan.temperature, plan.max_tokens[Role.NOTE]) == ("m", 0, 1024)


def test_another_server_gets_neither_the_key_nor_the_name_of_the_runs_model() -> None:
    models = role_models(given(model="m", api_key_env="KEY", models={"plan": {"url": "http://other/v1"}}))
    plan, decide = models[Role.PLAN], models[Role.DECIDE]
    assert (plan.urls, plan.model, plan.api_key_env) == (("http://other/v1",), None, None)
    assert (decide.model, decide.api_key_env) == ("m", "KEY")


def test_from_a_file_and_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text("mllm_url: http://run/v1\nmodels: {decide: {model: file, seed: 5}}\n")
    monkeypatch.setenv("MANYHANDS_MODELS__DECIDE__MODEL", "environment")
    monkeypatch.setenv("MANYHANDS_MODELS__PLAN__URL", "http://one/v1,http://two/v1")
    models = role_models(load_settings({}, config))
    assert (models[Role.DECIDE].model, models[Role.DECIDE].seed) == ("environment", 5)
    assert models[Role.PLAN].urls == ("http://one/v1", "http://two/v1")


def test_the_rehearsed_model_may_stand_in_for_some_roles() -> None:
    settings = given(model="m", api_key_env="KEY", models={"plan": {"url": "rehearsed"}})
    assert rehearsed_roles(settings) == {Role.PLAN}
    assert list(role_models(settings)) == [role for role in ROLES if role is not Role.PLAN]
    everybody = given(mllm_url=["rehearsed"], model="m", api_key_env="KEY")
    assert role_models(everybody) == {}
    assert rehearsed_roles(everybody) == set(ROLES)


@pytest.mark.parametrize(
    "settings",
    [
        {"mllm_url": ["rehearsed"], "episode": {"without": ["reflector", "notetaker", "tips"]}},
        {"mllm_url": ["rehearsed"], "episode": {"profile": "v2", "without": ["planner"]}},
        {"episode": {"without": ["planner", "elements"]}},
        {"models": {"note": {"url": "rehearsed"}}, "episode": {"without": ["planner"]}},
    ],
)
def test_parts_may_be_left_out_that_whoever_decides_can_do_without(settings: dict[str, Any]) -> None:
    role_models(given(**settings))


async def test_roles_ask_the_rehearsed_model_without_a_name_or_a_key(tmp_path: Path) -> None:
    settings = given(model="m", api_key_env="KEY", models={"plan": {"url": "rehearsed", "seed": 3}})
    async with rehearsed_model(settings, tmp_path) as started:
        models = role_models(started)
        plan, decide = models[Role.PLAN], models[Role.DECIDE]
        assert plan.urls[0].startswith("http://127.0.0.1:")
        assert (plan.model, plan.api_key_env, plan.seed) == (None, None, 3)
        assert (decide.urls, decide.model, decide.api_key_env) == (("http://run/v1",), "m", "KEY")
        named = await check_models(started, {Role.PLAN: plan})
    assert model_source(named) == REHEARSED_SOURCE


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"mllm_url": []}, "--mllm-url: name a model server"),
        ({"mllm_url": ["rehearsed", "http://x/v1"]}, "--mllm-url: 'rehearsed' stands alone"),
        (
            {"mllm_url": ["127.0.0.1:8000"]},
            "--mllm-url: '127.0.0.1:8000' is no http:// or https:// address; write http://127.0.0.1:8000/v1",
        ),
        (
            {"mllm_url": ["rehearsed"], "episode": {"without": ["planner", "notetaker"]}},
            "--without planner: the rehearsed model reads its next action off planner, elements, history",
        ),
        (
            {"models": {"decide": {"url": "rehearsed"}}, "episode": {"without": ["history"]}},
            "with it can be left out: reflector, notetaker, ",
        ),
        ({"dialect": "gpt"}, "--dialect: unknown dialect 'gpt'; known are"),
        ({"models": {"plan": {"dialect": "gpt"}}}, "models.plan.dialect: unknown dialect 'gpt'"),
        (
            {
                "mllm_url": ["rehearsed"],
                "dialect": "gui-owl-1.5",
                "output": "native",
                "episode": {"profile": "native"},
            },
            "--output-format native: a stand-in such as the rehearsed model does not write the form of gui-owl-1.5",
        ),
        ({"models": {"note": {"url": ["rehearsed", "http://x"]}}}, "models.note.url: 'rehearsed' stands alone"),
        ({"models": {"note": {"url": "x"}}}, "models.note.url: 'x' is no"),
        ({"output": "nosuch"}, "--output-format: must be json"),
        ({"grammar": "x"}, "--grammar: must be guidance or other"),
    ],
)
def test_what_cannot_be_names_the_flag_or_the_setting(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput) as refused:
        role_models(given(**settings))
    assert says in str(refused.value)


@pytest.mark.parametrize(
    "settings",
    [{"mllm_url": ["http://me:secret@run/v1"]}, {"models": {"plan": {"url": "http://me:secret@run/v1"}}}],
)
def test_a_password_in_a_url_is_refused_and_not_repeated(settings: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="api_key_env") as refused:
        given(**settings)
    assert "secret" not in str(refused.value)


async def test_every_server_of_every_role_is_asked_once() -> None:
    big, small = ModelServer(Say(""), models=("big", "adapter")), ModelServer(Say(""), models=("small",))
    async with serving(big), serving(small):
        settings = given(mllm_url=[big.url], models={"note": {"url": small.url}, "plan": {"model": "adapter"}})
        models = await check_models(settings, role_models(settings))
    named = dict.fromkeys(ROLES, ("big", big.url)) | {
        Role.PLAN: ("adapter", big.url),
        Role.NOTE: ("small", small.url),
    }
    assert {role: model.model for role, model in models.items()} == {role: name for role, (name, _) in named.items()}
    assert model_source(models) == "; ".join(f"{role}: {name} at {url}" for role, (name, url) in named.items())
    recorded = asked_models(models)
    assert AskedModel.model_validate_json(recorded["note"].model_dump_json()) == AskedModel(
        model="small",
        servers=(small.url,),
        dialect="qwen3-vl",
        max_pixels=None,
        output="json",
        grammar="guidance",
        temperature=0,
        seed=0,
        max_tokens=1024,
    )


async def test_a_server_that_is_loading_is_waited_for() -> None:
    lines: list[str] = []
    server = ModelServer(Say("{}"))
    server.loading = 2
    async with serving(server):
        settings = given(mllm_url=[server.url])
        models = await check_models(settings, role_models(settings), lines.append)
    assert models[Role.PLAN].model == "stand-in"
    assert lines == [
        f"{server.url} answered 503: Loading model. Waiting up to 600 s, as a model may be loading; "
        "Ctrl-C ends it, --model-wait 0 does not wait",
        f"{server.url} has loaded its model",
    ]


@pytest.mark.parametrize(
    "greeting", [b"SSH-2.0-OpenSSH_9.6\r\n", b"-ERR unknown command 'GET'\r\n", b"FAIL0009bad words"]
)
async def test_another_kind_of_server_ends_the_wait_at_once(greeting: bytes) -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        await writer.drain()
        await reader.read(1)
        writer.close()

    lines: list[str] = []
    async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
        settings = given(mllm_url=[f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"])
        with pytest.raises(BadInput, match="answers in another protocol than http"):
            await check_models(settings, role_models(settings), lines.append)
    assert lines == []


async def test_a_server_with_an_unknown_certificate_is_away(tls: TlsFiles) -> None:
    """Trusting its certificate, or a new one, mends that. It is no answer, and nothing was sent."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tls.certificate, tls.key)
    async with await asyncio.start_server(lambda *_: None, "127.0.0.1", 0, ssl=context) as server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        transport = Transport(ModelSettings(urls=(url,), model="m"))
        transport.open()
        with pytest.raises(NoAnswer, match=r"cannot be reached: .*certificate") as refused:
            await transport.get(url, "/models", 60)
        await transport.close()
    assert not refused.value.is_sent


async def test_a_server_that_begins_to_listen_in_time_is_waited_for() -> None:
    async with serving(ModelServer(Say("{}"))) as gone:
        url = gone.url
    began = asyncio.Event()
    settings = given(mllm_url=[url])

    def tell(line: str) -> None:
        began.set()

    async with asyncio.TaskGroup() as group:
        checked = group.create_task(check_models(settings, role_models(settings), tell))
        await began.wait()
        async with serving(ModelServer(Say("{}"), models=("late",)), port=int(url.split(":")[2].removesuffix("/v1"))):
            assert (await checked)[Role.PLAN].model == "late"


@pytest.mark.parametrize("wait_s", [0, 0.1])
async def test_the_wait_for_a_server_has_a_deadline(wait_s: float) -> None:
    lines: list[str] = []
    server = ModelServer(Say("{}"))
    server.loading = 10**6
    async with serving(server):
        settings = given(mllm_url=[server.url], model_wait_s=wait_s)
        with pytest.raises(BadInput) as refused:
            await check_models(settings, role_models(settings), lines.append)
    assert str(refused.value).startswith(f"--mllm-url: {server.url} answered 503: Loading model")
    assert ("(model_wait_s)" in str(refused.value)) is bool(wait_s)
    assert len(lines) == bool(wait_s)


async def test_a_server_that_can_never_list_its_model_is_not_waited_for() -> None:
    wrong, loading = ModelServer(Say("{}")), ModelServer(Say("{}"))
    wrong.models_text = "<html>"
    loading.loading = 10**6
    async with serving(wrong), serving(loading):
        settings = given(mllm_url=[wrong.url, loading.url])
        with pytest.raises(BadInput, match=f"{wrong.url} lists no model"):
            await check_models(settings, role_models(settings))


async def test_a_run_that_records_tokens_refuses_a_server_without_them() -> None:
    server = ModelServer(Say("{}"))
    async with serving(server):
        settings = given(mllm_url=[server.url], record_tokens=True)
        with pytest.raises(BadInput, match=f"{server.url} does not tell the ids of all tokens .* record_tokens"):
            await check_models(settings, role_models(settings))
    assert server.received[-1].json["return_token_ids"]


async def test_a_role_whose_server_does_not_serve_its_model() -> None:
    server, other = ModelServer(Say(""), models=("one",)), ModelServer(Say(""), models=("two",))
    async with serving(server), serving(other):
        mixed = given(mllm_url=[server.url], models={"note": {"url": [server.url, other.url]}})
        with pytest.raises(BadInput, match=f"models.note.url: {other.url} serves two, not one"):
            await check_models(mixed, role_models(mixed))
        unknown = given(mllm_url=[server.url], model="three")
        with pytest.raises(BadInput, match=f"--mllm-url: {server.url} serves one, not three"):
            await check_models(unknown, role_models(unknown))


@pytest.mark.parametrize(
    ("served", "chosen"),
    [
        ("Qwen/Qwen3-VL-8B-Instruct-FP8", "qwen3-vl"),
        ("/models/Qwen2.5-VL-7B-Instruct", "qwen2.5-vl"),
        ("mPLUG/GUI-Owl-1.5-8B-Instruct", "gui-owl-1.5"),
        ("ByteDance-Seed/UI-TARS-1.5-7B", "ui-tars-1.5"),
        (REHEARSED_MODEL, "qwen3-vl"),
    ],
)
async def test_the_name_of_a_model_tells_its_dialect(served: str, chosen: str) -> None:
    async with serving(ModelServer(Say("{}"), models=(served,))) as server:
        settings = given(mllm_url=[server.url], dialect=None)
        models = await check_models(settings, role_models(settings))
    assert {model.dialect for model in models.values()} == {chosen}
    assert {one.dialect for one in asked_models(models).values()} == {chosen}


async def test_the_weights_behind_an_alias_tell_the_dialect() -> None:
    server = ModelServer(Say("{}"), models=("phones",))
    server.roots["phones"] = "Qwen/Qwen2.5-VL-7B-Instruct"
    async with serving(server):
        settings = given(mllm_url=[server.url], dialect=None)
        models = await check_models(settings, role_models(settings))
    assert {model.dialect for model in models.values()} == {"qwen2.5-vl"}


@pytest.mark.parametrize(
    ("served", "dialect", "says"),
    [
        ("Qwen/Qwen2.5-VL-7B-Instruct", "qwen3-vl", "which writes coordinates of qwen2.5-vl"),
        ("Qwen/Qwen3-VL-8B-Instruct", "ui-tars-1.5", "which writes coordinates of qwen3-vl"),
        ("my-model", None, "--mllm-url: the name my-model tells no model family"),
    ],
)
async def test_a_dialect_that_does_not_fit_is_refused_before_anything_is_asked(
    served: str, dialect: str | None, says: str
) -> None:
    async with serving(ModelServer(Say("{}"), models=(served,))) as server:
        settings = given(mllm_url=[server.url], dialect=dialect)
        with pytest.raises(BadInput) as refused:
            await check_models(settings, role_models(settings))
    assert says in str(refused.value)
    assert str(refused.value).startswith("--mllm-url" if dialect is None else f"--dialect {dialect} does not fit")
    assert "\n" not in str(refused.value)
    assert server.received == []


async def test_coordinates_of_another_space_are_found_out_by_drawn_crosses() -> None:
    async with SeeingModel(name="mine", dialect="qwen2.5-vl") as model:
        settings = given(mllm_url=[model.url])
        with pytest.raises(BadInput) as refused:
            await check_models(settings, role_models(settings))
    assert str(refused.value).startswith(f"--mllm-url: {model.url} writes other coordinates than --dialect qwen3-vl")
    assert "say --dialect qwen2.5-vl" in str(refused.value)


async def test_answers_that_fit_no_space_are_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    async with SeeingModel(finds=False) as model:
        settings = given(mllm_url=[model.url], dialect=None)
        models = await check_models(settings, role_models(settings))
    assert models[Role.PLAN].dialect == "qwen3-vl"
    assert "its coordinates could not be checked: crosses at" in caplog.text


async def test_a_role_may_have_a_dialect_of_its_own() -> None:
    big, small = (
        ModelServer(Say("{}"), models=("Qwen/Qwen3-VL-8B",)),
        ModelServer(Say("{}"), models=("mine",)),
    )
    async with serving(big), serving(small):
        own = {"note": {"url": small.url, "dialect": "gui-owl"}}
        settings = given(mllm_url=[big.url], dialect=None, models=own)
        models = await check_models(settings, role_models(settings))
    assert (models[Role.NOTE].dialect, models[Role.PLAN].dialect) == ("gui-owl", "qwen3-vl")


async def test_the_rehearsed_model_is_called_so_however_it_is_reached() -> None:
    server = ModelServer(Say(""), models=(REHEARSED_MODEL,))
    async with serving(server):
        settings = given(mllm_url=[server.url])
        models = await check_models(settings, role_models(settings))
    assert model_source(models) == REHEARSED_SOURCE


TEXT_ONLY = "some/Text-7B is not a multimodal model"


@pytest.mark.parametrize("refusal", [Fail(400, TEXT_ONLY), Fail(500, "image input is not supported"), Drop()])
async def test_a_server_that_refuses_every_request_is_found_before_the_first_task(refusal: Answer) -> None:
    good, bad = ModelServer(Say("{}")), ModelServer(refusal)
    async with serving(good), serving(bad):
        settings = given(mllm_url=[good.url, bad.url])
        with pytest.raises(BadInput) as refused:
            await check_models(settings, role_models(settings))
    said = str(refused.value)
    assert said.startswith(f"--mllm-url: the model refuses what every task asks it: {bad.url} ")
    if isinstance(refusal, Fail):
        assert f"{bad.url} answered {refusal.status}: {refusal.message}" in said, "the status is told once"
        assert said.endswith("this model sees no pictures, serve one that does, such as Qwen3-VL")


async def test_a_role_with_a_model_of_its_own_is_tried_with_what_it_asks() -> None:
    small = ModelServer(Fail(400, "response_format is not supported"), models=("small",))
    async with serving(ModelServer(Say("{}"))) as server, serving(small):
        settings = given(mllm_url=[server.url], models={"note": {"url": small.url, "max_tokens": 77}})
        with pytest.raises(BadInput, match=r"models.note.url: .*response_format is not supported"):
            await check_models(settings, role_models(settings))
        small.script[0] = Say("{}")
        await check_models(settings, role_models(settings))
    for received in trials(small):
        assert received.json["response_format"]["json_schema"]["name"] == "AddedNotesReply"
        assert received.json["max_tokens"] == 77
    question = trials(server)[-1].json
    assert question["response_format"]["json_schema"]["name"] == "ReflectChangeReply"
    pictures = [part for part in question["messages"][1]["content"] if part["type"] == "image_url"]
    assert len(pictures) == 2


@pytest.mark.parametrize("busy", [Fail(503), Fail(429), Hang()])
async def test_a_server_that_is_too_busy_for_the_question_is_taken_as_it_is(
    busy: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(startup, "_TRIAL_S", 0.3)
    async with serving(ModelServer(busy)) as server:
        settings = given(mllm_url=[server.url])
        assert (await check_models(settings, role_models(settings)))[Role.PLAN].model == "stand-in"


async def test_a_server_that_does_not_schedule_by_priority_or_fails_once_is_no_refusal() -> None:
    priority = Fail(400, "Got priority 5 but Priority scheduling is not enabled.")
    for first in (priority, Fail(500, "for once")):
        async with serving(ModelServer(first, Say("{}"))) as server:
            settings = given(mllm_url=[server.url])
            await check_models(settings, role_models(settings))
            assert len(trials(server)) == 2


def test_several_servers_may_be_written_with_commas() -> None:
    given = ["http://a/v1,http://b/v1", "https://c/v1"]
    assert given_settings("run", {"mllm_url": given}) == {"mllm_url": ["http://a/v1", "http://b/v1", "https://c/v1"]}
    assert given_settings("run", {"mllm_url": []}) == {}
    assert load_settings({"mllm_url": given[0]}).mllm_url == ("http://a/v1", "http://b/v1")


def test_captions_have_a_model_where_they_are_wanted_and_not_the_rehearsed_one() -> None:
    wanted = {"episode": {"captions": True}, "models": {"caption": {"url": ["http://small/v1"]}}}
    settings = load_settings({"mllm_url": ["rehearsed"], **wanted})
    assert role_models(settings)[Role.CAPTION].urls == ("http://small/v1",)
    rehearsed = load_settings({"mllm_url": ["rehearsed"], "episode": {"captions": True}})
    assert rehearsed_roles(rehearsed) == set(ROLES)
    assert role_models(rehearsed) == {}


def test_the_judge_asks_its_own_servers_or_those_of_the_run() -> None:
    own = {"url": ["http://judge/v1"], "model": "judge", "temperature": 0.2, "output": "headers"}
    judge = role_models(given(model="m", models={"judge": own}))[Role.JUDGE]
    assert (judge.urls, judge.model, judge.temperature, judge.output) == (("http://judge/v1",), "judge", 0.2, "headers")
    assert role_models(given(model="m"))[Role.JUDGE].urls == ("http://run/v1",)
    assert role_models(given(model="m", models={"judge": {"url": ["rehearsed"]}})).keys() == set(STEP_ROLES)


def test_a_run_whose_roles_have_servers_of_their_own_needs_none_for_the_judge() -> None:
    models = {role.value: {"url": [f"http://{role.value}/v1"]} for role in STEP_ROLES}
    assert role_models(load_settings({"models": models})).keys() == set(STEP_ROLES)


@pytest.mark.parametrize("profile", ["e", "bare"])
async def test_a_server_is_asked_as_by_the_judge_only_if_nobody_else_asks_it(profile: str) -> None:
    async with serving(ModelServer(Say("{}"))) as shared, serving(ModelServer(Say("{}"))) as own:
        for judge, asked in ((shared, ["shared"]), (own, ["shared", "own"])):
            settings = given(
                mllm_url=[shared.url], episode={"profile": profile}, models={"judge": {"url": [judge.url]}}
            )
            shared.received.clear()
            await check_models(settings, role_models(settings))
            names = [one.json["response_format"]["json_schema"]["name"] for one in (*trials(shared), *trials(own))]
            assert (len(names), names.count("JudgeReply")) == (len(asked), len(asked) - 1)


# ---------------------------------------------------------------------------- the model's own form
@pytest.mark.parametrize(
    ("served", "output", "frequency"),
    [
        ("Qwen/Qwen3-VL-8B-Instruct", "native", None),
        ("mPLUG/GUI-Owl-1.5-8B-Instruct", "native", None),
        ("zai-org/AutoGLM-Phone-9B", "native", 0.2),
        ("mPLUG/GUI-Owl-7B", "native", None),
        (REHEARSED_MODEL, "json", None),
    ],
)
async def test_the_agent_of_native_is_asked_as_its_models_family_was_trained(
    served: str, output: str, frequency: float | None
) -> None:
    async with serving(ModelServer(Say("{}"), models=(served,))) as server:
        settings = given(mllm_url=[server.url], dialect=None, episode={"profile": "native"})
        models = await check_models(settings, role_models(settings))
    assert (models[Role.DECIDE].output, models[Role.DECIDE].frequency_penalty) == (output, frequency)
    assert models[Role.PLAN].output == "json"
    assert asked_models(models)["decide"].output == output


async def test_the_trial_asks_the_agent_of_native_in_its_own_form() -> None:
    async with serving(ModelServer(Say("{}"), models=("zai-org/AutoGLM-Phone-9B",))) as server:
        settings = given(mllm_url=[server.url], dialect=None, episode={"profile": "native", "chat_pictures": 5})
        await check_models(settings, role_models(settings))
        (own,) = (one.json for one in server.received if "response_format" not in one.json)
    assert (own["frequency_penalty"], own["top_p"]) == (0.2, 0.85)
    parts = [
        part["type"]
        for message in own["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
    ]
    assert parts.count("image_url") == 5


@pytest.mark.parametrize("own", [{}, {"dialect": "ui-venus-2", "output": "native"}])
async def test_a_native_run_on_the_rehearsed_model_has_no_model_to_check(own: dict[str, str]) -> None:
    settings = load_settings({"mllm_url": ["rehearsed"], "episode": {"profile": "native"}, **own})
    assert await check_models(settings, role_models(settings)) == {}


async def test_what_is_given_comes_before_the_family() -> None:
    async with serving(ModelServer(Say("{}"), models=("AutoGLM-Phone-9B",))) as server:
        own = {"mllm_url": [server.url], "dialect": None, "episode": {"profile": "native"}}
        ours = given(**own, output="json")
        assert (await check_models(ours, role_models(ours)))[Role.DECIDE].output == "json"
        agent = given(**own, output="json", models={"decide": {"output": "native"}})
        assert (await check_models(agent, role_models(agent)))[Role.DECIDE].frequency_penalty is not None
        penalty = given(**own, frequency_penalty=1.0, top_k=5)
        decide = (await check_models(penalty, role_models(penalty)))[Role.DECIDE]
        assert (decide.output, decide.frequency_penalty, decide.top_p, decide.top_k) == ("native", 1.0, 0.85, 5)
        other = given(mllm_url=[server.url], dialect=None)
        assert (await check_models(other, role_models(other)))[Role.DECIDE].output == "json"


def test_the_models_card_goes_to_the_agent_of_native_and_its_hash_is_recorded(tmp_path: Path) -> None:
    card = tmp_path / "card.txt"
    card.write_bytes(b"  You are a phone.\r\n<|box_start|>\n")
    settings = given(model="m", episode={"profile": "native"}, system_prompt=card)
    models = role_models(settings)
    assert models[Role.DECIDE].system_prompt == "  You are a phone.\r\n<|box_start|>\n"
    assert models[Role.PLAN].system_prompt == ""
    recorded = asked_models(models)
    assert recorded["decide"].system_prompt_sha256 == sha256(card.read_bytes()).hexdigest()
    assert recorded["plan"].system_prompt_sha256 is None


def test_a_card_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="only the profile native takes one"):
        role_models(given(model="m", system_prompt=tmp_path))
    native = {"model": "m", "episode": {"profile": "native"}}
    with pytest.raises(BadInput, match="cannot be read"):
        role_models(given(**native, system_prompt=tmp_path / "none.txt"))
    (tmp_path / "empty.txt").write_text(" \n")
    with pytest.raises(BadInput, match="is empty"):
        role_models(given(**native, system_prompt=tmp_path / "empty.txt"))
