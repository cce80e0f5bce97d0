"""A whole run on virtual phones against a tiny random model ends every task in a way that has a name."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from manyhands.actors.mllm import parse
from manyhands.actors.mllm.native import NATIVE_FORMS
from manyhands.evaluation.recorded_calls import recorded_calls
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.journals.records import ActionDecided
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.profiles.native import NativeFirstReply, NativeReply
from manyhands.protocol.roles.replies import in_form
from manyhands.protocol.roles.role import Role
from tests.vllm.running import MAX_STEPS, OF_THE_MODEL, PHONES, Run
from tests.vllm.server import VllmServer

LONGEST_REPLY = 64
"""Tokens of a reply in the model's own form, which no schema ends."""
GOALS = [f"Turn on dark mode in app number {number}" for number in range(4)]


@pytest.mark.ray
@pytest.mark.parametrize("profile", ["e", "v1", "v2", "native"])
def test_a_run_ends_with_named_endings_only(
    qwen3: VllmServer, adb_server: tuple[str, int], tmp_path: Path, profile: str
) -> None:
    run = Run(GOALS, adb_server[1], tmp_path, qwen3, profile=profile, extra=("--output-format", "json"))
    try:
        summary = run.summary()
    finally:
        run.stop()
    assert (summary.tasks, summary.phones, summary.profile) == (len(GOALS), PHONES, profile)
    for row in summary.by_task:
        assert row.finished in OF_THE_MODEL, row
        # The answer that judges the last action of native may be Stop, which sends nothing.
        stops = profile == "native" and row.finished is Ending.FINISHED
        assert row.steps <= MAX_STEPS + stops
    assert set(summary.servers) == {qwen3.url}
    # A random planner may find a goal reached or impossible at once: then nobody is asked for an action.
    begun = [row for row in summary.by_task if row.finished not in (Ending.FINISHED, Ending.IMPOSSIBLE)]
    assert (summary.steps > 0) >= bool(begun)
    assert not begun or summary.model["decide"].calls >= len(begun)
    assert profile not in ("e", "native") or summary.model["plan"].calls >= len(GOALS)
    for one in recorded_calls(RunFolder(run.out)):
        held_to_its_schema(one.call)


def held_to_its_schema(call: ModelCall) -> None:
    """What a server answered in whole is what it was asked for."""
    assert call.error is None
    assert call.reply is not None
    if call.usage.output_tokens < call.request["max_tokens"]:
        jsonschema.validate(json.loads(call.reply), call.request["response_format"]["json_schema"]["schema"])


@pytest.mark.ray
def test_a_run_in_the_models_own_form_does_nothing_that_is_not_in_it(
    qwen3: VllmServer, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    """No schema holds the agent's replies, so a random model hardly ever writes one that can be read."""
    short = tmp_path / "short.yaml"
    short.write_text(f"models: {{decide: {{max_tokens: {LONGEST_REPLY}}}}}\n")
    run = Run(GOALS[:2], adb_server[1], tmp_path, qwen3, profile="native", extra=("--config", str(short)))
    try:
        summary = run.summary()
    finally:
        run.stop()
    assert {row.finished for row in summary.by_task} <= OF_THE_MODEL, summary.by_task
    folder = RunFolder(run.out)
    written: set[tuple[str, int]] = set()
    for one in recorded_calls(folder):
        if one.role is not Role.DECIDE:
            held_to_its_schema(one.call)
            continue
        assert "response_format" not in one.call.request
        if is_in_form(one.call):
            written.add((one.episode, one.step))
    decided = [
        (episode, record)
        for episode, scan in folder.journals.items()
        for record in scan.records
        if isinstance(record, ActionDecided)
    ]
    assert decided or summary.steps == 0
    for episode, record in decided:
        assert record.decision.action is None or (episode, record.step) in written


def is_in_form(call: ModelCall) -> bool:
    """Whether the agent's reply can be read in the form of its family."""
    assert call.reply is not None
    kind = NativeFirstReply if call.reply_type.startswith(NativeFirstReply.__name__) else NativeReply
    try:
        parse(in_form(kind, NATIVE_FORMS["qwen3-vl"].form), call.reply)
    except ReplyUnusable:
        return False
    return True
