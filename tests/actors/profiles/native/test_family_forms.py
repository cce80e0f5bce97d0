"""The agent of ``native`` in the form of its model's family, against a server that answers in it."""

from __future__ import annotations

import json

import pytest

from manyhands.actors.mllm.formats import Native
from manyhands.actors.mllm.native import NATIVE_FORMS
from manyhands.actors.mllm.native.family import task
from manyhands.actors.profiles.native.agent import NativeAgent
from manyhands.actors.roles import RoleSettings
from manyhands.protocol.base import Outcome
from manyhands.protocol.messages import Answered
from manyhands.protocol.profiles.native import NativeFirstReply, NativeReply
from manyhands.protocol.roles.requests import Decision
from manyhands.protocol.screens.actions import Stop, Tap
from tests.actors.mllm.model_servers import ModelServer, Raw, Say, serving, settings_for
from tests.actors.mllm.native.example_chat import reply_of
from tests.actors.profiles.native.test_prompts import PACKAGE, chat, images
from tests.actors.roles.test_roles import context

CARD = " The card, to the letter: click(start_box='<|box_start|>(x1,y1)<|box_end|>')\n"


async def answered(server: ModelServer, steps: int = 2, **settings: object) -> Answered[Decision]:
    model = settings_for(server, output=Native.name, **settings)
    agent = NativeAgent(RoleSettings(model=model, templates=PACKAGE, replies=(NativeReply, NativeFirstReply)))
    await agent.start()
    try:
        request = chat(steps)
        return await agent.answer(request, context(), *images(request))
    finally:
        await agent.stop()


@pytest.mark.parametrize("dialect", sorted(name for name, form in NATIVE_FORMS.items() if form.judges))
async def test_a_family_is_asked_and_read_in_its_own_form(dialect: str) -> None:
    form = NATIVE_FORMS[dialect]
    async with serving(ModelServer(Say(reply_of(form.form, 1)))) as server:
        found = await answered(server, dialect=dialect)
    assert isinstance(found.value.action, Tap)
    assert found.value.verdict is not None
    assert (found.value.verdict.outcome, found.value.verdict.reason) == (Outcome.A, "It opened.")
    assert len(found.calls) == 1
    (call,) = found.calls
    assert "response_format" not in call.request
    assert "Verdict: A, B or C" in call.request["messages"][0]["content"]


async def test_words_that_end_the_task_are_for_the_user() -> None:
    said = "Thought: I see the size.\nAction: finished(content='The font size is Large')"
    async with serving(ModelServer(Say(f"Change: It opened.\nVerdict: A\n{said}"))) as server:
        found = await answered(server, dialect="ui-tars-1.5")
    assert (found.value.action, found.value.answer) == (Stop(), "The font size is Large")


async def test_a_missing_verdict_is_asked_for_once_more() -> None:
    form = NATIVE_FORMS["qwen3-vl"]
    async with serving(ModelServer(Say(reply_of(form.form, 0)), Say(reply_of(form.form, 1)))) as server:
        found = await answered(server)
    assert len(found.calls) == 2
    assert found.value.verdict is not None
    assert found.value.verdict.outcome is Outcome.A


async def test_an_answer_that_cannot_be_read_is_told_by_the_form_that_was_asked_for() -> None:
    async with serving(ModelServer(Say("Hello!"), Say("Hello!"))) as server:
        found = await answered(server, dialect="gui-owl-1.5")
    assert found.value.action is None
    assert found.value.problem == "not a valid action: the answer holds no <tool_call> of mobile_use"
    assert "tool_call> of mobile_use" in found.calls[1].request["messages"][-1]["content"]


async def test_ui_venus_sees_its_thoughts_again_where_the_server_splits_them_off() -> None:
    first, split = reply_of("ui_venus", 0), {"reasoning_content": "Tap it.", "content": reply_of("ui_venus", 1)}
    split["content"] = split["content"].rpartition("\n")[2]
    body = json.dumps({"choices": [{"message": split, "finish_reason": "stop"}]})
    async with serving(ModelServer(Raw(body, "application/json"), Say(first))) as server:
        found = await answered(server, dialect="ui-venus-2")
    again = found.calls[1].request["messages"][-2]
    assert again == {"role": "assistant", "content": f"<think>Tap it.</think>\n{split['content']}"}


@pytest.mark.parametrize(
    ("card", "sent"),
    [("Do it.\n{user_task}\n", "Do it.\n{task}\n"), ("Do it.\n", "Do it.\n\n{task}")],
)
async def test_the_card_of_ui_venus_holds_the_task(card: str, sent: str) -> None:
    async with serving(ModelServer(Say(reply_of("ui_venus", 0)))) as server:
        found = await answered(server, dialect="ui-venus-2", system_prompt=card)
    system, *rest = found.calls[0].request["messages"]
    assert system["content"] == sent.format(task=task(chat(2).brief))
    assert "The user's task: " not in json.dumps(rest)


async def test_the_models_card_replaces_the_system_text_and_no_verdict_is_asked_for() -> None:
    form = NATIVE_FORMS["qwen3-vl"]
    async with serving(ModelServer(Say(reply_of(form.form, 0)))) as server:
        sampling = {"frequency_penalty": 0.2, "top_p": 0.85, "repetition_penalty": 1.05, "top_k": 20}
        found = await answered(server, system_prompt=CARD, **sampling)
    (call,) = found.calls
    assert call.request["messages"][0] == {"role": "system", "content": CARD}
    assert "Judge" not in json.dumps(call.request["messages"])
    assert found.value.verdict is not None
    assert found.value.verdict.outcome is None
    assert {name: call.request[name] for name in sampling} == sampling
    assert "presence_penalty" not in call.request
