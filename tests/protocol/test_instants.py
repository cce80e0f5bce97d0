"""Every moment that the service sends is there twice: in Unix seconds and as a text in ISO 8601."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol import episode_report, run_report, service
from manyhands.protocol.service.access import AccessRole, ServiceAnswer, TokenStatus
from manyhands.protocol.service.schedules import ScheduleTimes

YEAR_10000 = 253_402_300_800
moments = st.floats(-1e9, YEAR_10000 - 1)


def answers(base: type[ServiceAnswer] = ServiceAnswer) -> Iterator[type[ServiceAnswer]]:
    """Yield all kinds of answers."""
    for module in pkgutil.iter_modules(service.__path__, f"{service.__name__}."):
        importlib.import_module(module.name)
    for kind in base.__subclasses__():
        yield kind
        yield from answers(kind)


PLACES = (service.__name__, run_report.__name__, episode_report.__name__)
KINDS = {kind.__name__: kind for kind in answers() if kind.__module__.startswith(PLACES)}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_each_moment_of_an_answer_has_a_text(kind: type[ServiceAnswer]) -> None:
    fields = kind.model_fields.items()
    moments = {name for name, field in fields if "in Unix seconds" in (field.description or "")}
    texts = {name for name in kind.model_computed_fields if name.endswith("_iso")}
    assert texts == {f"{name}_iso" for name in moments}
    assert texts <= kind.model_json_schema(mode="serialization")["properties"].keys()


@given(moments, st.none() | moments)
def test_number_and_text_are_the_same_instant(made: float, revoked: float | None) -> None:
    token = TokenStatus(id="t1", owner="ann", role=AccessRole.READ, created_at=made, revoked_at=revoked)
    sent = token.model_dump(mode="json")
    for number, text in ((made, sent["created_at_iso"]), (revoked, sent["revoked_at_iso"])):
        assert (number is None) == (text is None)
        if number is not None:
            assert text.endswith("Z")
            assert abs(datetime.fromisoformat(text).timestamp() - number) < 0.002
    assert TokenStatus.model_validate_json(token.model_dump_json()) == token


@given(st.lists(moments, max_size=5))
def test_many_moments_have_many_texts(times: list[float]) -> None:
    sent = ScheduleTimes(next_times=tuple(times)).model_dump(mode="json")
    assert [datetime.fromisoformat(text).timestamp() for text in sent["next_times_iso"]] == pytest.approx(
        times, rel=0, abs=0.002
    )


@pytest.mark.parametrize("number", [YEAR_10000, 1e300, -1e15])
def test_a_moment_out_of_the_calendar_has_no_text(number: float) -> None:
    token = TokenStatus(id="t1", owner="ann", role=AccessRole.READ, created_at=number)
    assert token.model_dump(mode="json")["created_at_iso"] is None
