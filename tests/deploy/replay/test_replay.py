"""A recorded run, sent to real HTTP servers that agree, disagree, fail and hang."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest

from manyhands.actors.frames import encode_jpeg, make_jpeg
from manyhands.actors.mllm import dialect_named, restore_request
from manyhands.deploy.replay import read_reply, recorded_answer
from manyhands.evaluation.recorded_calls import RecordedCall, recorded_calls
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Message
from manyhands.protocol.errors import StoreError
from manyhands.protocol.roles.memory import Shortcut, ShortcutStep
from manyhands.protocol.roles.requests import Recollection, ReplyContext, TipsLearned
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.crops import Crop, PromptPicture, parse_content_id
from manyhands.protocol.screens.geometry import Box
from manyhands.rollouts.pictures import Pictures
from tests.deploy.replay.recorded_run import (
    DECISION,
    EPISODE,
    NOTE,
    PLAN,
    SIZE,
    VERDICT,
    Answering,
    answering,
    as_recorded,
    call,
    frame,
    record_run,
    shot,
)

MANYHANDS = (sys.executable, "-m", "manyhands")


@pytest.fixture
async def run(tmp_path: Path) -> Path:
    return await record_run(tmp_path / "run")


async def begin(*arguments: object) -> Process:
    return await asyncio.create_subprocess_exec(*MANYHANDS, *map(str, arguments), stdout=PIPE, stderr=PIPE)


async def ended(process: Process) -> tuple[int | None, str, str]:
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def report(run: Path, server: Answering, *options: object, code: int = 0) -> dict[str, Any]:
    process = await begin("replay", run, "--mllm-url", server.url, "--json", *options)
    returned, out, err = await ended(process)
    assert returned == code, (out, err)
    found: dict[str, Any] = json.loads(out)
    return found


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def test_what_is_sent_is_what_was_sent(run: Path) -> None:
    async with answering(as_recorded) as server:
        await report(run, server, "--role", "reflect", "--limit", 1)
    recorded = call(Role.REFLECT, 0, 1)
    jpegs = {shot(step).content_id: encode_jpeg(frame(step).rgb()) for step in (0, 1)}
    request = {**recorded.request, "model": "another"}
    del request["priority"]
    assert server.bodies == [restore_request(recorded.model_copy(update={"request": request}), jpegs)]


async def test_the_rehearsed_model_is_started_as_by_a_run_and_ends_with_the_command(run: Path) -> None:
    process = await begin(
        "replay", run, "--mllm-url", "rehearsed", "--role", "operator", "--api-key-env", "X", "--json"
    )
    returned, out, err = await ended(process)
    assert returned in (0, 1), (out, err)
    found = json.loads(out)
    assert (found["model"], found["requests"], found["replayed"]) == ("manyhands-rehearsed", 2, 2)
    assert "a stand-in for Qwen-VL" in found["source"]
    address = urlsplit(found["server"])
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(address.hostname, address.port)


async def test_the_same_replies_agree_in_everything(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "replies.jsonl"
    async with answering(as_recorded) as server:
        found = await report(run, server, "--out", out, "--concurrency", 2)
    assert out.stat().st_mode & 0o777 == 0o600
    assert server.most_running <= 2
    assert (found["requests"], found["replayed"], found["model"]) == (9, 9, "another")
    for role in found["roles"].values():
        assert role["answered"] == role["parsed"] == role["recorded_parsed"] == role["identical"] == role["requests"]
        assert role["failures"] == {}
    decide = found["roles"]["decide"]["agreement"]
    assert (decide["same_action"], decide["on_element"], decide["same_element"]) == (2, 2, 2)
    assert found["roles"]["reflect"]["agreement"]["outcomes"] == {"A": {"A": 2}}
    assert found["roles"]["plan"]["tokens"] == {"input": 150, "cached": 120, "output": 15}
    assert found["roles"]["plan"]["recorded_tokens"] == {"input": 516, "cached": 0, "output": 60}
    written = lines(out)
    assert [line["number"] for line in written] == list(range(9))
    assert [(line["step"], line["role"]) for line in written[:5]] == [
        (0, "plan"),
        (0, "decide"),
        (0, "reflect"),
        (0, "note"),
        (1, "plan"),
    ]
    assert written[1]["now"][0]["reading"]["action"] == {"name": "Tap", "x": 50, "y": 20}


async def test_other_replies_are_told_apart(run: Path) -> None:
    others = {
        Role.PLAN: {**PLAN, "change": "replan", "status": "impossible"},
        Role.DECIDE: {**DECISION, "action": {"name": "Tap", "x": 400, "y": 150}},
        Role.REFLECT: {**VERDICT, "outcome": "C"},
        Role.NOTE: {**NOTE, "notes": "12 EUR"},
    }

    async def answer(role: Role) -> str:
        return json.dumps(others[role])

    async with answering(answer) as server:
        found = (await report(run, server))["roles"]
    decide = found["decide"]["agreement"]
    assert (decide["same_kind"], decide["same_action"], decide["on_element"], decide["same_element"]) == (2, 0, 2, 0)
    assert decide["distance_px"]["p50"] == 50  # from (50, 20) to (80, 60)
    assert found["reflect"]["agreement"]["outcomes"] == {"A": {"C": 2}}
    # The first plan of an episode is a new one, whatever the reply calls it.
    assert found["plan"]["agreement"]["changes"] == {"next": {"next": 1, "replan": 2}}
    assert found["plan"]["agreement"]["same_status"] == 0
    assert found["note"]["agreement"]["shared_words"]["p50"] == 0.4
    assert all(role["identical"] == 0 for role in found.values())


async def test_failures_are_counted_by_their_error(run: Path, tmp_path: Path) -> None:
    (run / "screens" / f"{shot(1).content_id}.png").unlink()
    answers: dict[Role, str | int | None] = {Role.PLAN: 400, Role.DECIDE: "I would tap it.", Role.NOTE: None}

    async def answer(role: Role) -> str | int | None:
        return answers[role]

    out = tmp_path / "replies.jsonl"
    async with answering(answer) as server:
        found = await report(run, server, "--out", out, code=1)
    failures = {role: figures["failures"] for role, figures in found["roles"].items()}
    assert failures == {
        "plan": {"model_refused": 2, "store": 1},
        "decide": {"reply_unusable": 1, "store": 1},
        "reflect": {"store": 2},
        "note": {"model_unreachable": 1, "store": 1},
    }
    refused = lines(out)[0]["now"][0]
    assert refused["text"] is None
    assert "400" in refused["error"]
    assert f"{shot(1).content_id}.png is missing" in lines(out)[2]["now"][0]["error"]


async def test_an_answer_that_was_cut_off_is_no_reply_as_it_is_none_in_a_run(run: Path) -> None:
    async with answering(as_recorded) as server:
        server.finish_reason = "length"
        found = await report(run, server, "--role", "decide")
    decide = found["roles"]["decide"]
    assert (decide["answered"], decide["recorded_parsed"], decide["parsed"]) == (2, 2, 0)
    assert decide["failures"] == {"reply_unusable": 2}


async def test_a_recorded_answer_of_as_many_tokens_as_were_allowed_was_cut_off(run: Path) -> None:
    (recorded, *_) = recorded_calls(RunFolder(run))
    cut = replace(
        recorded, call=recorded.call.model_copy(update={"request": {**recorded.call.request, "max_tokens": 20}})
    )
    dialect = dialect_named("qwen3-vl")
    assert recorded_answer(recorded, dialect).code is None
    assert recorded_answer(cut, dialect).code == "reply_unusable"


def test_what_learners_and_retrievers_wrote_is_read_as_they_read_it() -> None:
    told = {"tips": "1. Look first.\n2. Wait.", "shortcuts": "Search, Fly"}
    known = ReplyContext(size=SIZE, shortcuts=(Shortcut(name="Search", steps=(ShortcutStep(name="Enter"),)),), tips=2)

    def read(role: Role) -> Message:
        reply = role.spec.replies[0]
        made = call(Role.PLAN).model_copy(update={"role": role, "reply_type": reply.__name__})
        text = json.dumps({name: value for name, value in told.items() if name in reply.model_fields})
        return read_reply(RecordedCall(EPISODE, 0, 0, made, (), known), text, dialect_named("qwen3-vl"))

    assert read(Role.LEARN_TIPS) == TipsLearned(tips=("Look first.", "Wait."))
    assert read(Role.RECALL) == Recollection(tips=(0, 1), shortcuts=(0,))


async def test_an_action_outside_the_screen_is_no_action(run: Path) -> None:
    async def answer(role: Role) -> str:
        return json.dumps({**DECISION, "action": {"name": "Tap", "x": 250, "y": 2000}})

    async with answering(answer) as server:
        found = await report(run, server, "--role", "decide")
    assert found["roles"]["decide"]["failures"] == {"outside_screen": 2}
    assert found["roles"]["decide"]["agreement"]["compared"] == 0


async def test_a_server_that_does_not_answer_in_time(run: Path) -> None:
    async def answer(role: Role) -> str:
        await asyncio.Event().wait()
        raise AssertionError

    async with answering(answer) as server:
        found = await report(run, server, "--limit", 1, "--timeout", 0.3, code=1)
        await server.hung_up.wait()
    assert found["roles"]["plan"]["failures"] == {"deadline": 1}


async def test_a_server_may_answer_the_same_request_differently(run: Path) -> None:
    drawn = iter(range(100))

    async def answer(role: Role) -> str:
        return json.dumps({**NOTE, "notes": f"draw {next(drawn) // 2}"})

    async with answering(answer) as server:
        found = await report(run, server, "--role", "note", "--repeat", 3, "--concurrency", 1)
    # Draws of the first request: 0, 0, 1; of the second: 1, 2, 2.
    assert (found["roles"]["note"]["repeats"], found["roles"]["note"]["repeats_identical"]) == (4, 1)


async def test_ctrl_c_gives_the_report_so_far(run: Path, tmp_path: Path) -> None:
    waiting = asyncio.Event()

    async def answer(role: Role) -> str:
        if role is not Role.PLAN:
            waiting.set()
            await asyncio.Event().wait()
        return await as_recorded(role)

    out = tmp_path / "replies.jsonl"
    async with answering(answer) as server:
        options = ("--out", out, "--concurrency", 1, "--json")
        process = await begin("replay", run, "--mllm-url", server.url, *options)
        async with asyncio.timeout(60):
            await waiting.wait()
        process.send_signal(signal.SIGINT)
        code, said, err = await ended(process)
        await server.hung_up.wait()
    assert code == 130, err
    found = json.loads(said)
    assert (found["requests"], found["replayed"]) == (9, 1)
    assert [line["role"] for line in lines(out)] == ["plan"]


async def test_another_convention_is_refused_before_anything_is_sent(run: Path) -> None:
    async with answering(as_recorded) as server:
        process = await begin("replay", run, "--mllm-url", server.url, "--dialect", "qwen2.5-vl")
        code, _, err = await ended(process)
    assert code == 2
    assert err.startswith("error: --dialect qwen2.5-vl: the run's prompts have coordinates of qwen3-vl")
    assert len(err.splitlines()) == 1
    assert server.bodies == []


async def test_another_pixel_cap_is_another_space(tmp_path: Path) -> None:
    run = await record_run(tmp_path / "run", dialect="qwen2.5-vl")
    async with answering(as_recorded) as server:
        process = await begin("replay", run, "--mllm-url", server.url, "--max-pixels", 28 * 28 * 20)
        code, _, err = await ended(process)
        assert code == 2, err
        assert "screen of 200x400" in err
        assert server.bodies == []
        # The cap is beyond the picture's size: the same space.
        await report(run, server, "--max-pixels", 10**6, "--dialect", "qwen2_5_vl", "--limit", 1)


async def test_elements_by_number(run: Path) -> None:
    async def answer(role: Role) -> str:
        return json.dumps({**DECISION, "action": {"name": "Tap_Element", "number": 1}})

    async with answering(answer) as server:
        found = await report(run, server, "--role", "decide")
    assert found["roles"]["decide"]["agreement"]["same_action"] == 2


async def test_a_server_that_is_busy_for_a_moment(run: Path) -> None:
    first: list[str | int | None] = [503, None]

    async def answer(role: Role) -> str | int | None:
        return first.pop() if first else await as_recorded(role)

    async with answering(answer) as server:
        found = await report(run, server, "--role", "decide", "--limit", 1)
    assert len(server.bodies) == 3
    assert found["roles"]["decide"]["identical"] == 1


async def test_the_report_as_text(run: Path) -> None:
    async with answering(as_recorded) as server:
        code, out, err = await ended(await begin("replay", run, "--mllm-url", server.url))
    assert code == 0, err
    assert "same kind of action 2/2 100%" in out
    assert max(map(len, out.splitlines())) <= 100, out


async def test_bad_input(run: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.jsonl"
    there.write_text("")
    async with answering(as_recorded) as server:
        for options, said in (
            ((tmp_path, "--mllm-url", server.url), "not a run folder"),
            ((run, "--mllm-url", "127.0.0.1:8000"), "write http://127.0.0.1:8000/v1"),
            ((run, "--mllm-url", server.url.replace("//", "//me:secret@")), "must not hold a password"),
            ((run, "--mllm-url", server.url, "--out", there), "is there already"),
            ((run, "--mllm-url", server.url, "--model", "none"), "serves another"),
            ((run, "--mllm-url", server.url, "--dialect", "gpt"), "unknown dialect 'gpt'"),
        ):
            code, _, err = await ended(await begin("replay", *options))
            assert code == 2, err
            assert said in err
            assert "secret" not in err
    assert server.bodies == []


def test_pictures_that_were_made_from_screenshots_are_made_again(tmp_path: Path) -> None:
    run = RunFolder(asyncio.run(record_run(tmp_path / "run")))
    source = shot(0).content_id
    crop = PromptPicture(source, crop=Crop.with_margin(Box(x1=20, y1=30, x2=60, y2=50), 2, SIZE, (30, 40)))
    ids = [source, PromptPicture(source, half=True).content_id, crop.content_id]
    pictures = [{"type": "image_url", "image_url": {"url": f"manyhands:{one}"}} for one in ids]
    again = Pictures(run).of({"messages": [{"role": "user", "content": pictures}]})
    jpeg = encode_jpeg(frame(0).rgb())
    assert again == {source: jpeg, ids[1]: make_jpeg(jpeg, parse_content_id(ids[1])), ids[2]: make_jpeg(jpeg, crop)}
    sizes = {one: cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) for one, data in again.items()}
    for one, picture in sizes.items():
        assert picture is not None
        size = parse_content_id(one).size(SIZE)
        assert picture.shape[:2] == (size.height, size.width)
    pictures[0]["image_url"] = {"url": f"manyhands:{'0' * 32}-half"}
    with pytest.raises(StoreError, match="is missing"):
        Pictures(run).of({"messages": [{"role": "user", "content": pictures[:1]}]})
