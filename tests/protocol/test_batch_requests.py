"""What a batch may be made of: ids, selectors and numbers that the service can store and hand on."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from manyhands.protocol.service.batches import BatchRequest
from manyhands.protocol.tasks.selectors import join_selectors, parse_selector


def request(*ids: str, **fields: Any) -> BatchRequest:
    return BatchRequest.model_validate({"tasks": [{"id": id, "goal": "Buy milk."} for id in ids], **fields})


def test_ids_differ_within_a_batch() -> None:
    assert len(request("a", "b").tasks) == 2
    with pytest.raises(ValidationError, match="two tasks have the id 'a'"):
        request("a", "b", "a")


def test_ids_leave_room_for_the_batch() -> None:
    assert request("x" * 80).tasks[0].id == "x" * 80
    with pytest.raises(ValidationError, match="has 81 characters; at most 80"):
        request("x" * 81)


def test_selectors_of_batch_and_task_fit_in_one() -> None:
    task = {"id": "a", "goal": "Buy milk.", "phones": f"model={'y' * 290}"}
    with pytest.raises(ValidationError, match=r"'phones' of the batch and of the task 'a'.*more than 500"):
        BatchRequest.model_validate({"tasks": [task], "phones": f"model={'x' * 290}"})
    assert BatchRequest.model_validate({"tasks": [task], "phones": "lab=north"}).phones == "lab=north"


def test_selectors_are_joined_to_one_that_needs_both() -> None:
    assert join_selectors(" model=pixel ", "", "app:Maps>=11") == "model=pixel, app:Maps>=11"
    assert len(parse_selector(join_selectors("model=pixel", "!old, lab=north"))) == 3
    assert join_selectors("", " ") == ""


@pytest.mark.parametrize("deadline", [float("inf"), float("nan"), -1.0])
def test_a_deadline_is_a_moment(deadline: float) -> None:
    with pytest.raises(ValidationError, match="deadline"):
        request("a", deadline=deadline)
