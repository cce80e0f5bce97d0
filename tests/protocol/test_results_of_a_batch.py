"""The result of a batch: a sequence of results, and a table in a notebook."""

from __future__ import annotations

import re
import xml.etree.ElementTree as xml

from manyhands import BatchResult, Ending, EpisodeResult
from manyhands.protocol.tasks.unmet_tests import UnmetTest


def ended(task: str, verified: bool | None, reason: str = "", unmet: tuple[UnmetTest, ...] = ()) -> EpisodeResult:
    """Return the result of a task."""
    return EpisodeResult(
        episode=f"{task}-1",
        task=task,
        serial="p1",
        attempt=1,
        ending=Ending.FINISHED,
        reason=reason,
        steps=4,
        verified=verified,
        rubrics={},
        unmet=unmet,
        started_at=1.0,
        ended_at=2.0,
    )


def test_a_batch_is_a_sequence_that_a_notebook_shows_as_a_table() -> None:
    unmet = UnmetTest(expected="dark is <true>", found="false")
    batch = BatchResult([ended("a", True), ended("b", False, unmet=(unmet,)), ended("c", None, "done & dusted")])
    assert [result.task for result in batch] == ["a", "b", "c"]
    table = xml.fromstring(batch._repr_html_())
    rows = [[cell.text or "" for cell in row] for row in table.iter("tr")]
    assert rows == [
        ["task", "check", "ending", "steps", "phone", "reason"],
        ["a", "holds", "finished", "4", "p1", ""],
        ["b", "does not hold", "finished", "4", "p1", "expected dark is <true>; found false"],
        ["c", "not checked", "finished", "4", "p1", "done & dusted"],
    ]
    judged = ended("d", True).model_copy(update={"verified_by": "judge"})
    assert "<td>holds, says a judge</td>" in BatchResult([judged])._repr_html_()
    assert not re.search(r"<true>", batch._repr_html_())
