"""The judging page over HTTP: who may ask, what is shown as text, what is stored."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from manyhands.evaluation.judgements.judgements import (
    MODEL_JUDGE,
    EpisodeJudgement,
    Judgements,
    judgements_path,
    read_all_judgements,
    write_judgements,
)
from manyhands.evaluation.judgements.server import JudgementServer
from manyhands.evaluation.judgements.session import JudgementSession
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput
from tests.evaluation.judged_run import (
    FIRST,
    FOUND,
    HOSTILE,
    LOST,
    OPENED,
    RESTORED,
    SECOND,
    WRONG,
    screen,
    write_judged_run,
)
from tests.evaluation.statements_run import ENDS, STATEMENT, write_statements_run


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder(write_judged_run(tmp_path / "run"))


@pytest.fixture
async def server(run: RunFolder) -> AsyncIterator[JudgementServer]:
    async with JudgementServer(JudgementSession(run, "ann"), 0) as server:
        yield server


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


def origin(server: JudgementServer) -> str:
    return "/".join(server.url.split("/")[:3])


def own(server: JudgementServer) -> dict[str, str]:
    """The headers of a change that the page itself makes."""
    return {"Origin": origin(server)}


def said(kind: str, name: str, *value: Any, episode: str = FIRST) -> dict[str, Any]:
    return {"episode": episode, "kind": kind, "name": name, **({"value": value[0]} if value else {})}


def stored(run: RunFolder) -> EpisodeJudgement:
    (judgements,) = read_all_judgements(run)
    return judgements.episodes[FIRST]


# ---------------------------------------------------------------------------- the page
async def test_it_begins_with_the_first_open_episode(server: JudgementServer, http: aiohttp.ClientSession) -> None:
    async with http.get(server.url) as page:
        assert page.status == 200
        assert str(page.url).endswith("/episodes/0")
        assert "Turn on dark mode" in await page.text()


async def test_its_head_names_stand_ins_as_the_run_does(server: JudgementServer, http: aiohttp.ClientSession) -> None:
    async with http.get(server.url) as page:
        head = (await page.text()).partition("<header>")[2].partition("</header>")[0]
    assert "model: a stand-in for a model<" in head
    assert "phones: stand-ins &lt;/script&gt;" in head


async def test_what_models_and_screens_wrote_is_text(server: JudgementServer, http: aiohttp.ClientSession) -> None:
    for number in (0, 1):
        async with http.get(f"{server.url}episodes/{number}") as page:
            text = await page.text()
        assert HOSTILE not in text
        assert re.findall(r"<(?:script|img|b>S)[^>]*", text) == ['<script src="../judge.js" defer']
        assert " style=" not in text
        assert not re.search(r"<[^>]*\son\w+=", text)
        escaped = "&lt;/script&gt;&lt;script&gt;document.title"
        assert text.count(escaped) > 0
        if number == 0:
            for place in ('id="goal"', 'id="answer"', "<dt>thought</dt>", "<dt>expects</dt>", "<dt>progress</dt>"):
                assert escaped in text.partition(place)[2][:120], place


async def test_the_action_is_drawn_on_the_screen_before_it(
    server: JudgementServer, http: aiohttp.ClientSession
) -> None:
    async with http.get(f"{server.url}episodes/0") as page:
        text = await page.text()
    step = text.partition('data-step="3" hidden')[2].partition("</article>")[0]
    before, after = step.split("<figure>")[1:]
    assert f'data-screen="{screen(60)[0]}"' in before
    assert '<circle cx="13" cy="20"' in before
    assert f'data-screen="{screen(80)[0]}"' in after
    assert "<circle" not in after


async def test_what_a_wrong_action_led_to_is_shown_and_not_the_page_that_was_restored(
    server: JudgementServer, http: aiohttp.ClientSession
) -> None:
    async with http.get(f"{server.url}episodes/0") as page:
        text = await page.text()
    steps = [text.partition(f'data-step="{step}" hidden')[2].partition("</article>")[0] for step in (RESTORED, 6)]
    (before, after), (next_before, _) = (step.split("<figure>")[1:] for step in steps)
    assert f'data-screen="{screen(20 * RESTORED)[0]}"' in before
    assert f'data-screen="{screen(WRONG)[0]}"' in after
    assert f'data-screen="{screen(120)[0]}"' in next_before
    async with http.get(f"{server.url}screens/{screen(WRONG)[0]}.png") as answer:
        assert answer.status == 200


async def test_a_judge_is_not_told_what_the_phone_says(server: JudgementServer, http: aiohttp.ClientSession) -> None:
    async with http.get(f"{server.url}episodes/0") as page:
        text = await page.text()
    assert "verified" not in text
    assert "held" not in text


async def test_screens_of_the_run_are_served_and_no_other_file(
    server: JudgementServer, http: aiohttp.ClientSession, run: RunFolder
) -> None:
    name, png = screen(60)
    async with http.get(f"{server.url}screens/{name}.png") as answer:
        assert (answer.status, await answer.read()) == (200, png)
    (run.path / "screens" / f"{'a' * 32}.png").write_bytes(b"not of this run")
    for path in (f"screens/{'a' * 32}.png", "screens/..%2Frun.yaml", "run.yaml", "episodes/9", "screens/x.png"):
        async with http.get(f"{server.url}{path}") as answer:
            assert answer.status == 404, path


async def test_every_answer_has_a_policy_without_inline_anything(
    server: JudgementServer, http: aiohttp.ClientSession
) -> None:
    for url in (f"{server.url}episodes/0", f"{server.url}judge.js", f"{server.url}nowhere", origin(server) + "/"):
        async with http.get(url) as answer:
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert answer.headers["Cache-Control"] == "no-store"


# ---------------------------------------------------------------------------- who may ask
@pytest.mark.parametrize(
    "path", ["", "/", "/episodes/0", "/wrong/", "/wrong/episodes/0", "/wrong/judge.js", "/%C3%A9/"]
)
async def test_nothing_is_told_without_the_token(
    server: JudgementServer, http: aiohttp.ClientSession, path: str
) -> None:
    async with http.get(origin(server) + path) as answer:
        assert answer.status == 403
        assert "dark mode" not in await answer.text()
    async with http.put(
        f"{origin(server)}/wrong/judgements", json=said("success", "success", True), headers=own(server)
    ) as answer:
        assert answer.status == 403


async def test_two_servers_have_two_tokens(run: RunFolder) -> None:
    urls = []
    for name in ("ann", "bob"):
        async with JudgementServer(JudgementSession(run, name), 0) as server:
            urls.append(server.url)
    tokens = {url.split("/")[3] for url in urls}
    assert len(tokens) == 2
    assert all(len(token) >= 43 for token in tokens)


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
        {"Host": "localhost"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
async def test_other_names_and_other_sites_are_refused(
    server: JudgementServer, http: aiohttp.ClientSession, headers: dict[str, str]
) -> None:
    async with http.get(f"{server.url}episodes/0", headers=headers) as answer:
        assert answer.status == 403
        assert "dark mode" not in await answer.text()
    body = said("success", "success", True)
    async with http.put(f"{server.url}judgements", json=body, headers={**own(server), **headers}) as answer:
        assert answer.status == 403


async def test_a_change_needs_an_origin(server: JudgementServer, http: aiohttp.ClientSession, run: RunFolder) -> None:
    for ask in (http.put, http.delete):
        async with ask(f"{server.url}judgements", json=said("success", "success", True)) as answer:
            assert answer.status == 403
    assert read_all_judgements(run) == ()


async def test_it_listens_on_loopback_alone(server: JudgementServer) -> None:
    port = int(origin(server).rpartition(":")[2])
    assert origin(server) == f"http://127.0.0.1:{port}"
    with socket.socket() as probe, pytest.raises(OSError):
        probe.connect(("127.0.0.2", port))


async def test_a_port_that_is_taken_is_named(run: RunFolder, server: JudgementServer) -> None:
    port = int(origin(server).rpartition(":")[2])
    with pytest.raises(BadInput, match=f"--port {port}: cannot listen at 127.0.0.1"):
        async with JudgementServer(JudgementSession(run, "bob"), port):
            raise AssertionError


# ---------------------------------------------------------------------------- answers
async def test_an_answer_is_on_disk_when_the_page_hears_of_it(
    server: JudgementServer, http: aiohttp.ClientSession, run: RunFolder
) -> None:
    answers = [
        said("actions", "0", True),
        said("actions", "1", False),
        said("reflections", "1", True),
        said("rubrics", OPENED, 0),
        said("rubrics", FOUND, None),
        said("operations", "2", False),
        said("success", "success", False),
    ]
    for count, body in enumerate(answers, start=1):
        async with http.put(f"{server.url}judgements", json=body, headers=own(server)) as answer:
            assert answer.status == 200
            told = await answer.json()
        more = int(count >= 2)  # what the wrong action led to
        assert told == {
            "run": {"judged": count, "questions": 27 + more},
            "episode": {"judged": count, "questions": 25 + more},
        }
    assert stored(run) == EpisodeJudgement(
        success=False,
        rubrics={OPENED: 0, FOUND: None},
        actions={0: True, 1: False},
        reflections={1: True},
        operations={2: False},
    )


async def test_an_answer_is_changed_and_taken_back(
    server: JudgementServer, http: aiohttp.ClientSession, run: RunFolder
) -> None:
    for value in (True, False):
        async with http.put(f"{server.url}judgements", json=said("actions", "4", value), headers=own(server)) as answer:
            assert answer.status == 200
        assert stored(run).actions == {4: value}
    async with http.delete(f"{server.url}judgements", json=said("actions", "4"), headers=own(server)) as answer:
        assert (await answer.json())["run"]["judged"] == 0
    assert stored(run) == EpisodeJudgement()


async def test_the_two_kinds_of_wrong_are_judged_apart(
    server: JudgementServer, http: aiohttp.ClientSession, run: RunFolder
) -> None:
    url, headers = f"{server.url}judgements", own(server)
    for kind, value, questions in (("actions", False, 28), ("effects", False, 28), ("actions", True, 27)):
        async with http.put(url, json=said(kind, "4", value), headers=headers) as answer:
            assert answer.status == 200
            assert (await answer.json())["run"]["questions"] == questions
        assert stored(run).effects == ({4: False} if kind == "effects" else {})
    async with http.put(url, json=said("effects", "4", True), headers=headers) as answer:
        assert answer.status == 400
        assert (await answer.json())["error"] == f"{FIRST}: nobody is asked about effects '4'"


@pytest.mark.parametrize(
    ("body", "mistake"),
    [
        (said("actions", "77", True), f"{FIRST}: nobody is asked about actions '77'"),
        (said("rubrics", "gone", 0), f"{FIRST}: nobody is asked about rubrics 'gone'"),
        (said("rubrics", FOUND, 77), f"episodes.{FIRST}.rubrics.{FOUND}: the episode has no step 77"),
        (said("rubrics", FOUND, True), "must be a whole number"),
        (said("actions", "0", 1), "must be true or false"),
        (said("actions", "0", None), "must be true or false"),
        (said("success", "success", True, episode="gone"), "no episode 'gone' is judged here"),
        (said("success", "success", True, episode=LOST), f"no episode {LOST!r} is judged here"),
        (said("feelings", "0", True), "kind: must be"),
        (said("actions", "0", "yes"), "value."),
        ({"episode": FIRST}, "kind: is missing"),
    ],
)
async def test_what_nobody_asked_is_refused_and_not_stored(
    server: JudgementServer, http: aiohttp.ClientSession, run: RunFolder, body: dict[str, Any], mistake: str
) -> None:
    async with http.put(f"{server.url}judgements", json=body, headers=own(server)) as answer:
        assert answer.status == 400
        assert mistake in (await answer.json())["error"]
    assert read_all_judgements(run) == ()


async def test_an_answer_that_cannot_be_stored_is_not_counted(
    server: JudgementServer, http: aiohttp.ClientSession, run: RunFolder
) -> None:
    judgements_path(run, "ann").mkdir()
    async with http.put(f"{server.url}judgements", json=said("actions", "0", True), headers=own(server)) as answer:
        assert answer.status == 500
        assert "ann.json: cannot be written" in (await answer.json())["error"]
    async with http.get(f"{server.url}episodes/0") as page:
        assert '<progress id="run" value="0"' in await page.text()


async def test_a_later_page_goes_on_where_the_one_before_stopped(run: RunFolder, http: aiohttp.ClientSession) -> None:
    first = JudgementSession(run, "ann")
    async with JudgementServer(first, 0) as server:
        for question in first.sheets[FIRST].due_questions(EpisodeJudgement()):
            value = 3 if question.kind == "rubrics" else True
            body = said(question.kind, question.name, value)
            async with http.put(f"{server.url}judgements", json=body, headers=own(server)) as answer:
                assert answer.status == 200
    async with JudgementServer(JudgementSession(run, "ann"), 0) as server:
        async with http.get(server.url) as page:
            text = await page.text()
    assert "Say five" in text
    assert '<progress id="run" value="25" max="27">' in text


# ---------------------------------------------------------------------------- who judges
async def test_one_name_is_judged_by_one_page_at_a_time(run: RunFolder, server: JudgementServer) -> None:
    with pytest.raises(BadInput, match=r"somebody is judging .* by that name already"):
        async with JudgementServer(JudgementSession(run, "ann"), 0):
            raise AssertionError
    async with JudgementServer(JudgementSession(run, "bob"), 0) as other:
        assert other.url != server.url


@pytest.mark.parametrize("name", ["", "../ann", "a b", ".ann", "a" * 41, "a/b"])
def test_a_name_that_is_no_file_name_is_refused(run: RunFolder, name: str) -> None:
    with pytest.raises(BadInput, match="--judge"):
        JudgementSession(run, name)


def test_a_models_judgements_are_not_a_persons_to_change(run: RunFolder) -> None:
    write_judgements(run, Judgements(judge="model", source="model"))
    with pytest.raises(BadInput, match="is what a model said; take another name"):
        JudgementSession(run, "model")


def test_a_file_about_an_unknown_episode_is_refused_before_anything_is_served(run: RunFolder) -> None:
    path = judgements_path(run, "ann")
    path.parent.mkdir()
    path.write_text(json.dumps({"judge": "ann", "source": "person", "episodes": {"gone": {}}}))
    with pytest.raises(BadInput, match=r"episodes\.gone: the run has no such episode"):
        JudgementSession(run, "ann")


def test_a_run_without_a_step_has_nothing_to_judge(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text("run_id: r\n")
    with pytest.raises(BadInput, match="no episode of it decided a task"):
        JudgementSession(RunFolder(tmp_path), "ann")


def test_what_is_judged_of_the_second_episode_is_its_last_attempt(run: RunFolder) -> None:
    assert list(JudgementSession(run, "ann").sheets) == [FIRST, SECOND]


async def test_a_request_for_no_path_is_refused(server: JudgementServer) -> None:
    """``OPTIONS *`` names no path at all."""
    authority = origin(server).removeprefix("http://")
    reader, writer = await asyncio.open_connection(*authority.split(":"))
    head = f"OPTIONS * HTTP/1.1\r\nHost: {authority}\r\nOrigin: {origin(server)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode())
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    assert answer.startswith(b"HTTP/1.1 4"), answer


async def test_a_person_judges_what_a_model_was_asked_without_its_verdict(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    run = RunFolder(write_statements_run(tmp_path / "statements"))
    async with JudgementServer(JudgementSession(run, "ann"), 0) as server:
        number = list(ENDS).index("judge_no")
        async with http.get(f"{server.url}episodes/{number}") as page:
            text = await page.text()
        assert f'data-kind="statements" data-name="{STATEMENT}"' in text
        assert "seen" not in text  # the model's reason
        assert "at the end</figcaption>" in text
        answer = said("statements", STATEMENT, True, episode="judge_no")
        async with http.put(f"{server.url}judgements", json=answer, headers=own(server)) as answered:
            assert answered.status == 200
        other = said("statements", "The moon is full.", True, episode="judge_no")
        async with http.put(f"{server.url}judgements", json=other, headers=own(server)) as refused:
            assert refused.status == 400
    assert [one.episodes["judge_no"].statements for one in read_all_judgements(run)] == [
        {STATEMENT: True},
        {STATEMENT: False},
    ]


def test_the_name_of_the_model_is_no_persons(tmp_path: Path) -> None:
    run = RunFolder(write_statements_run(tmp_path / "statements"))
    with pytest.raises(BadInput, match="the model that judges checks has this name"):
        JudgementSession(run, MODEL_JUDGE)
