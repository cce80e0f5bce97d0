"""A task with a matrix is carried out once for each value that phones have of its label."""

from __future__ import annotations

import pytest

from manyhands.deploy.command_line.summary_table import matrix_lines
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.runs.run_summary import TaskRow
from manyhands.protocol.service.batches import BatchRequest
from manyhands.protocol.tasks.matrix import expand_matrix
from manyhands.protocol.tasks.selectors import selects
from manyhands.protocol.tasks.task import TaskSpec

PHONES = {
    "a": {"serial": "a", "model": "Pixel 8", "android": "14"},
    "b": {"serial": "b", "model": "Pixel 8", "android": "13"},
    "c": {"serial": "c", "model": "Galaxy", "android": "14"},
    "d": {"serial": "d"},
}


def task(**more: str) -> TaskSpec:
    return TaskSpec.model_validate({"id": "look", "goal": "Look.", **more})


@pytest.mark.parametrize(
    ("label", "phones", "values"),
    [
        ("serial", "", ["a", "b", "c", "d"]),
        ("model", "", ["Galaxy", "Pixel 8"]),
        ("model", "android>=14", ["Galaxy", "Pixel 8"]),
        ("android", "model=Galaxy", ["14"]),
    ],
)
def test_each_value_has_a_task_that_its_phones_alone_carry_out(label: str, phones: str, values: list[str]) -> None:
    expanded = expand_matrix([task(matrix=label, phones=phones), task(id="other")], PHONES)
    *ones, other = expanded
    assert [one.matrix_value for one in ones] == values
    assert [one.id for one in ones] == [f"look.{number}" for number in range(1, len(values) + 1)]
    assert {one.repeat_of for one in ones} == {"look"}
    for one in ones:
        chosen = [labels for labels in PHONES.values() if selects(one.phones, labels)]
        assert chosen
        assert {labels.get(label) for labels in chosen} == {one.matrix_value}
    assert (other.id, other.matrix_value) == ("other", "")
    assert expand_matrix(expanded, PHONES) == expanded, "once is enough: a run that goes on has them already"


def test_a_label_that_no_phone_has_is_one_line() -> None:
    with pytest.raises(
        BadInput, match="task look: matrix 'colour': no phone has this label; labels are android, model"
    ):
        expand_matrix([task(matrix="colour")], PHONES)


@pytest.mark.parametrize(
    ("more", "said"),
    [({"matrix": "a=b"}, "names a label of phones"), ({"matrix": "model", "group": 2}, "a 'matrix' or a 'group'")],
)
def test_a_wrong_matrix_is_refused(more: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        task(**more)


def test_a_service_refuses_it() -> None:
    with pytest.raises(BadInput, match="a 'matrix' needs the phones of one run"):
        BatchRequest(tasks=(task(matrix="model"),))


def row(value: str, reason: str = "") -> TaskRow:
    return TaskRow(
        id=f"look.{value}", repeat_of="look", matrix="model", matrix_value=value, phone="p", rubrics={}, steps=1,
        finished=Ending.FAILURE_LIMIT if reason else Ending.FINISHED, verified=not reason, human_steps=None, attempts=1,
        reason=reason, has_check=True,
    )  # fmt: skip


def test_the_summary_groups_failures_by_their_cause() -> None:
    rows = [row("Galaxy", "no button"), row("Pixel 8"), row("Nokia", "no button"), row("Fairphone", "it crashed")]
    assert list(matrix_lines(rows)) == [
        "look by model: 1 of 4 passed",
        "  Galaxy, Nokia: no button",
        "  Fairphone: it crashed",
    ]
