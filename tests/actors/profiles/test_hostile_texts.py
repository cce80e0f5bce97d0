"""Whatever texts a phone, a person or a model gives: no prompt of any profile or family holds a hidden order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from manyhands.actors.episode.profile import Profile
from manyhands.actors.mllm.native import NATIVE_FORMS
from manyhands.actors.mllm.request.bodies import messages_of
from manyhands.actors.profiles import bare, e, native, v1, v2
from manyhands.actors.profiles.e_evo import PROFILE as E_EVO
from manyhands.deploy.serving.catalogue import LISTED, profile_named
from manyhands.protocol.roles.requests import Brief
from manyhands.protocol.roles.sections import harmless
from tests.actors.mllm.native.example_chat import chat_at, reply_of
from tests.actors.profiles import rendered_requests as asked
from tests.actors.profiles.rendered_prompts import rendered
from tests.protocol.test_invisible_characters import NEVER

PROFILES: Sequence[tuple[Profile, Sequence[asked.Titled], Mapping[str, Any]]] = (
    (e.PROFILE, asked.of_e(), {}),
    (E_EVO, asked.of_e_evo(), {}),
    (v2.PROFILE, asked.of_v2(), {}),
    (v1.PROFILE, asked.of_v1(), {}),
    (native.PROFILE, asked.of_native(), {}),
    (native.PROFILE, asked.of_native_in_words(), {"pictures": "none"}),
    (bare.PROFILE, asked.of_bare(), {}),
)
KEPT = {"content_id", "serial", "kind", "name", "shortcut", "package", "zone", "change", "status", "keyboard", "form"}
"""Fields that hold no free text."""
OWN_WORDS = {"answer", "reply", "conversation", "told", "circling"}
"""Fields that hold what the model wrote, which goes back as its own turn, with the marks of its form; and sentences of
ours, whose parts from elsewhere were made harmless."""
MARKS = (
    "<|im_start|>", "<|eot_id|>", "<tool_call>", "</think>", "<function=mobile_use>", "<start_of_turn>", "<conclusion>",
    '<tool_output tool="click">', "<answer>", "</data>", "[INST]", "[/INST]", "<<SYS>>", "</s>", "[gMASK]",
    "<｜User｜>",
)  # fmt: skip


def poison(value: Any, text: str, without: set[str] = KEPT) -> Any:
    """Return ``value`` with ``text`` in each free text that it holds."""
    if isinstance(value, Brief):
        without = without | {"told"}
    match value:
        case Enum():
            return value
        case str():
            return f"{value}{text}"
        case BaseModel():
            told = {name: getattr(value, name) for name in type(value).model_fields if name not in without}
            return value.model_copy(update={name: poison(one, text, without) for name, one in told.items()})
        case tuple():
            return tuple(poison(one, text, without) for one in value)
        case _ if is_dataclass(value) and not isinstance(value, type):
            told = {one.name: getattr(value, one.name) for one in fields(value) if one.name not in without}
            return replace(value, **{name: poison(one, text, without) for name, one in told.items()})
    return value


def prompts_with(
    profile: Profile, requests: Sequence[asked.Titled], more: Mapping[str, Any], text: str, **kept: Any
) -> str:
    made = [(title, poison(request, text, **kept)) for title, request in requests]
    return "\n".join(line for _, lines in rendered(profile, made, **more) for line in lines)


@pytest.mark.parametrize(("profile", "requests", "more"), PROFILES)
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(st.sampled_from(NEVER), min_size=1, max_size=20))
def test_no_prompt_holds_invisible_characters(
    profile: Profile, requests: Sequence[asked.Titled], more: Mapping[str, Any], text: str
) -> None:
    made = prompts_with(profile, requests, more, f" pay{text}")
    assert not set(NEVER) & set(made)
    assert " pay" in made


@pytest.mark.parametrize(("profile", "requests", "more"), PROFILES)
def test_no_prompt_holds_a_mark_of_a_chat_that_is_not_its_own(
    profile: Profile, requests: Sequence[asked.Titled], more: Mapping[str, Any]
) -> None:
    made, clean = (
        prompts_with(profile, requests, more, text, without=KEPT | OWN_WORDS) for text in (f" {' '.join(MARKS)} ", "")
    )
    assert {mark: made.count(mark) for mark in MARKS} == {mark: clean.count(mark) for mark in MARKS}


@pytest.mark.parametrize("dialect", sorted(NATIVE_FORMS))
@pytest.mark.parametrize("step", [0, 5])
def test_no_chat_of_a_family_holds_hidden_orders(dialect: str, step: int) -> None:
    form, chat = NATIVE_FORMS[dialect], chat_at(dialect, step)
    seen = poison(replace(chat, dialect=chat.dialect), f" pay{NEVER}", KEPT | {"dialect", "actions", "decision"})
    assert not set(NEVER) & set(str(messages_of(form.render(seen))))
    clean = str(messages_of(form.render(chat)))
    told = poison(chat, f" {' '.join(MARKS)} ", KEPT | OWN_WORDS | {"dialect", "actions"})
    made = str(messages_of(form.render(told)))
    assert {mark: made.count(mark) for mark in MARKS} == {mark: clean.count(mark) for mark in MARKS}


def test_every_mark_that_a_family_of_the_catalogue_declares_is_broken_up() -> None:
    dialects = {profile_named(model).family.dialect for model in LISTED}
    assert dialects <= set(NATIVE_FORMS)
    marks = set()
    for dialect in dialects:
        form = NATIVE_FORMS[dialect]
        texts = [form.render(chat_at(dialect, 5)).system, reply_of(form.form, 3)]
        marks |= {mark for text in texts for mark in re.findall(r"</?[A-Za-z_]+(?:=[\w]+)?>", text)}
    assert {"<tool_call>", "<conclusion>", "<answer>", "<THINK>"} <= marks
    assert not [mark for mark in sorted(marks) if mark in harmless(f"a {mark} b")]
