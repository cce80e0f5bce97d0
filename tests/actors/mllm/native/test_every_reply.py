"""Whatever a model writes in its own form is one of our actions, with a verdict."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.actors.mllm import parse
from manyhands.actors.mllm.native import NATIVE_FORMS
from manyhands.actors.mllm.request.actions import NotAnAction, read_action
from manyhands.actors.mllm.request.dialects import dialect_named
from manyhands.protocol.profiles.native import NativeReply
from manyhands.protocol.roles.replies import in_form
from tests.actors.mllm.native.example_chat import SIZE
from tests.actors.mllm.native.reply_patterns import PATTERNS
from tests.examples import examples


@pytest.mark.parametrize("dialect", sorted(name for name, form in NATIVE_FORMS.items() if form.judges))
@settings(max_examples=examples(500), deadline=None, database=None)
@given(data=st.data())
def test_replies_in_each_form_are_read(dialect: str, data: st.DataObject) -> None:
    form = NATIVE_FORMS[dialect].form
    text = data.draw(st.from_regex(PATTERNS[form], fullmatch=True))
    reply = parse(in_form(NativeReply, form), text)
    lines = text.replace("\\n", "\n")
    assert f"Verdict: {reply.outcome}\n" in lines
    assert f"Change: {reply.change}\n" in lines
    assert reply.thought
    with suppress(NotAnAction):  # a swipe to where it began, a text of blanks
        read_action(reply.action, dialect_named(dialect), SIZE, ())
