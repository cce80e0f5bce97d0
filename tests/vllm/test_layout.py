"""The order of a prompt's parts, on a real engine: how much of an episode's input its caches hold."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from manyhands.evaluation.recorded_calls import recorded_calls
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import Acted
from tests.vllm.layouts import Answer, Call, Engine, Layout, Picture, list_after_its_picture, pictures_first, recorded
from tests.vllm.rehearsing import rehearsed_run
from tests.vllm.server import VllmServer

TASKS = ("laptop_cart", "tidy_notes")


@pytest.fixture(scope="module")
def run(adb_server: tuple[str, int], tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Prompts of whole episodes."""
    return rehearsed_run(tmp_path_factory.mktemp("rehearsed"), adb_server[1], TASKS)


@pytest.mark.ray
def test_the_order_that_is_measured_is_the_one_that_is_sent(run: RunFolder) -> None:
    made = recorded_calls(run)
    sent = {call.call.started_at: call.call.request for call in made}
    assert len(sent) == len(made) > 20
    for call, at in zip(recorded(run), sorted(sent), strict=True):
        system, user = sent[at]["messages"]
        wanted_system, wanted = list_after_its_picture(call)
        assert system["content"] == wanted_system
        assert [_shown(part) for part in user["content"]] == [_text(part) for part in wanted if part]


@pytest.mark.ray
def test_most_of_an_episodes_input_is_cached(qwen3: VllmServer, run: RunFolder) -> None:
    calls = recorded(run)
    steps = sum(isinstance(record, Acted) for scan in run.journals.values() for record in scan.records)
    engine = Engine(qwen3.url, qwen3.model.name, run)
    used = _sent(engine, calls, list_after_its_picture)
    other = _sent(engine, calls, pictures_first)
    assert 1 - _fresh(used) / sum(answer.prompt_tokens for answer in used) >= 0.6
    assert _fresh(used) / steps <= 7000
    assert _fresh(used) < _fresh(other)


def _sent(engine: Engine, calls: Sequence[Call], layout: Layout) -> list[Answer]:
    return [engine.ask(call.role, *layout(call), layout.__name__) for call in calls]


def _fresh(answers: Sequence[Answer]) -> int:
    return sum(answer.prompt_tokens - answer.cached_tokens for answer in answers)


def _shown(part: dict[str, object]) -> object:
    return part["text"] if part["type"] == "text" else part["uuid"]


def _text(part: str | Picture) -> str:
    return f"{part}\n" if isinstance(part, str) else part.content_id
