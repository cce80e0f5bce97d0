"""The figures of bench service: what is beyond its limit is said, and a service is loaded as it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.benchmarks.service import FILTERS, LoadPlan, ServiceLoad, measure, rows, service_figures


def load(**changed: object) -> ServiceLoad:
    given = {
        "phones": 200,
        "watchers": 20,
        "seconds": 100.0,
        "cpu_s": 5.0,
        "resident_mib": 150.0,
        "grown_mib": 0.5,
        "events": 4000,
        "accept_s": 0.5,
        "tasks": 100_000,
        "page_ms": {"all": (10.0,) * 20},
    }
    return ServiceLoad.model_validate({**given, **changed})


@pytest.mark.parametrize(
    ("changed", "beyond"),
    [
        ({}, ()),
        ({"cpu_s": 11.0}, ("the service takes 11 % of a core; it may take 10 %",)),
        ({"resident_mib": 301.0}, ("the service's process has 301 MiB; it may have 300",)),
        ({"wall_bytes": 600_000_000}, ("the wall sends 6.0 MB a second; it may send 5",)),
        ({"accept_s": 2.5}, ("1,000 tasks are accepted in 2.5 s; it may take 2",)),
        ({"page_ms": {"all": (60.0,) * 20}}, ("a page of all takes 60 ms at p95; it may take 50",)),
        ({"page_ms": {"all": (*(10.0,) * 30, 900.0)}}, ()),
    ],
)
def test_what_is_beyond_its_limit_is_said(changed: dict[str, object], beyond: tuple[str, ...]) -> None:
    assert service_figures(load(**changed)).beyond == beyond


def test_the_table_has_each_figure_with_its_limit() -> None:
    table = {row[0]: row[1:] for row in rows(service_figures(load()))}
    assert table["share of a core, busy and watched"] == ("5.0 %", "10 %")
    assert table["events to each watcher"] == ("40.0 a second", "")
    assert table["a page of all, of 100,000 tasks, p95"] == ("10.0 ms", "50 ms")


@pytest.mark.slow
async def test_a_service_is_loaded_as_asked(tmp_path: Path) -> None:
    found = await measure(tmp_path / "service", LoadPlan(phones=5, watchers=2, seconds=6, tasks=3000))
    assert (found.phones, found.watchers, found.tasks) == (5, 2, 3000)
    assert found.events > 0
    assert found.wall_phones >= 5
    assert found.wall_bytes > 1000 * found.wall_phones
    assert found.page_ms.keys() == FILTERS.keys()
    assert found.cpu_s < found.seconds
