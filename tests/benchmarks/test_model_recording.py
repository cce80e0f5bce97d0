"""Recorded prompts that phones send again: their order, and what differs between phones."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manyhands.actors.frames import decode_jpeg
from manyhands.benchmarks.model.phone import VariedRequests
from manyhands.benchmarks.model.recording import (
    PromptRecording,
    order_calls,
    pack,
    read_recording,
    shipped_profiles,
    unpack,
)
from manyhands.evaluation.recorded_calls import shown_ids
from manyhands.protocol.errors import BadInput


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> PromptRecording:
    return read_recording(unpack("e", tmp_path_factory.mktemp("recordings")))


@pytest.mark.parametrize("profile", shipped_profiles())
def test_every_recording_that_ships_can_be_sent_again(profile: str, tmp_path: Path) -> None:
    found = read_recording(unpack(profile, tmp_path))
    assert found.profile == profile
    assert found.steps >= 5
    assert found.source.startswith("the rehearsed model, a stand-in")
    requests = VariedRequests(found.folder, "m")
    for call in found.calls:
        assert json.loads(requests.make(call.call.request, "1"))["model"] == "m"


def test_calls_that_overlapped_may_overlap_again(recording: PromptRecording) -> None:
    (sequence,) = recording.sequences
    for number, call in enumerate(sequence.calls):
        for other, earlier in enumerate(sequence.calls[:number]):
            ended = earlier.recorded.call.started_at + earlier.recorded.call.latency_ms / 1000
            assert (other in call.after) == (ended <= call.recorded.call.started_at)
    assert any(len(call.after) < number for number, call in enumerate(sequence.calls))


def test_the_order_is_that_of_the_begins(recording: PromptRecording) -> None:
    backwards = order_calls("e", recording.calls[::-1])
    assert backwards.calls == recording.sequences[0].calls


def test_phones_share_the_system_text_and_no_picture(recording: PromptRecording) -> None:
    requests = VariedRequests(recording.folder, "m")
    call = next(call for call in recording.calls if shown_ids(call.call.request))
    one, again, other = (json.loads(requests.make(call.call.request, phone)) for phone in ("1", "1", "2"))
    assert one == again
    assert one["messages"][0] == other["messages"][0] == call.call.request["messages"][0]
    assert one["messages"][1]["content"][0] != other["messages"][1]["content"][0]
    pairs = list(zip(pictures(one), pictures(other), strict=True))
    assert len(pairs) == len(shown_ids(call.call.request))
    for mine, theirs in pairs:
        assert mine["uuid"] != theirs["uuid"]
        different = np.any(pixels(mine) != pixels(theirs), axis=2)
        assert 0 < different.sum() <= 4096
        assert different[-32:, -32:].sum() == different.sum()


def test_a_run_without_calls_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text("profile: e\n")
    (tmp_path / "episodes").mkdir()
    with pytest.raises(BadInput, match="no answered model call"):
        read_recording(tmp_path)


def test_an_unknown_recording_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"there are .*\be\b"):
        unpack("nothing", tmp_path)


def test_a_recording_of_no_picture_is_not_packed(recording: PromptRecording, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no call of these tasks"):
        pack(recording.folder, ("other_task",), tmp_path / "other.zip")


def pictures(body: dict[str, Any]) -> list[dict[str, Any]]:
    content = [
        part for message in body["messages"] if isinstance(message["content"], list) for part in message["content"]
    ]
    return [part for part in content if part["type"] == "image_url"]


def pixels(part: dict[str, Any]) -> np.ndarray:
    return decode_jpeg(base64.b64decode(part["image_url"]["url"].partition(",")[2]))
