"""What is counted of stages that were asked ahead of time."""

from __future__ import annotations

import pytest

from manyhands.evaluation.summary import speculation_of
from manyhands.evaluation.usage import calls_of
from manyhands.protocol.journals.records import StageDropped
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.role import Role
from tests.evaluation.run_records import call, decided, planned, span


def dropped(stage: str, wrong: str | None, *calls: ModelCall) -> StageDropped:
    return StageDropped(step=1, span=span(0, 1), stage=stage, assumed=("verify",), wrong=wrong, calls=calls)


def test_kept_and_dropped_stages_are_counted_with_why_they_were_dropped() -> None:
    ahead = {"assumed": ("verify",)}
    records = [
        planned(0, span(0, 1)),
        planned(1, span(0, 1)).model_copy(update=ahead),
        decided(1, span(0, 1)).model_copy(update=ahead),
        decided(2, span(0, 1)).model_copy(update=ahead),
        dropped("decide", "plan"),
        dropped("decide", "verify"),
        dropped("plan", "verify"),
        dropped("plan", "plan"),
        dropped("decide", None),
    ]
    figures = speculation_of(records)
    assert figures is not None
    assert figures.kept == {"plan": 1, "decide": 2}
    assert figures.dropped == {"plan": 2, "decide": 3}
    assert figures.wrong == {"plan": 1, "verify": 2, "failed": 1, "ended": 1}
    assert figures.kept_share == pytest.approx(3 / 8)


def test_without_any_there_are_no_figures() -> None:
    assert speculation_of([planned(0, span(0, 1)), decided(0, span(0, 1))]) is None


def test_the_tokens_of_what_was_dropped_count_as_spent() -> None:
    assert calls_of([dropped("plan", "verify", call(Role.PLAN, 7))])[0].usage.input_tokens == 7
