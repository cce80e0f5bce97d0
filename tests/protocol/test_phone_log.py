"""Lines of a phone's log get the times of the host, whatever the phone's clock and zone say."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.phones import LogHeader, lines_in_unix_time

LINE = "  1234  1250 I ActivityManager: START u0 {cmp=com.example.notes/.Main}"


def unix(*moment: int) -> float:
    return datetime(*moment, tzinfo=UTC).timestamp()  # type: ignore[misc]


@given(
    st.floats(0, 4e9),
    st.none() | st.floats(-1e9, 1e9),
    st.integers(0, 10**11),
)
def test_a_header_is_read_as_it_was_written(first_at: float, offset: float | None, left_out: int) -> None:
    header = LogHeader(first_at=first_at, clock_offset_s=offset, left_out=left_out)
    read = LogHeader.read(header.text())
    assert read is not None
    assert read.left_out == left_out
    if offset is None:
        assert read.clock_offset_s is None
    else:
        assert read.clock_offset_s == pytest.approx(offset, abs=0.001)
        assert read.first_at == pytest.approx(first_at, abs=0.001)


@pytest.mark.parametrize("offset", [0.0, 8 * 3600 + 0.25, -86_400.0 * 400])
def test_times_of_the_phone_become_unix_seconds_of_the_host(offset: float) -> None:
    at = unix(2026, 11, 26, 22, 33, 14) + 0.125
    on_phone = datetime.fromtimestamp(at + offset, UTC)
    header = LogHeader(first_at=at - 5, clock_offset_s=offset).text()
    line = f"{on_phone:%m-%d %H:%M:%S}.{on_phone.microsecond // 1000:03d}{LINE}"
    assert list(lines_in_unix_time([header, line])) == [header, f"{at:.3f}{LINE}"]


def test_a_year_that_ends_meanwhile_is_known() -> None:
    header = LogHeader(first_at=unix(2026, 12, 31, 23, 59, 50), clock_offset_s=0.0).text()
    told = list(lines_in_unix_time([header, f"12-31 23:59:59.500{LINE}", f"01-01 00:00:01.000{LINE}"]))
    assert [line.split()[0] for line in told[1:]] == [
        f"{unix(2026, 12, 31, 23, 59, 59) + 0.5:.3f}",
        f"{unix(2027, 1, 1, 0, 0, 1):.3f}",
    ]


@given(st.lists(st.text(alphabet=st.characters(blacklist_categories=["Cs"]))))
def test_other_lines_stay(lines: list[str]) -> None:
    header = LogHeader(first_at=1e9, clock_offset_s=0.0).text()
    assert list(lines_in_unix_time([header, "02-30 10:00:00.000 x", *lines]))[1:] == ["02-30 10:00:00.000 x", *lines]


def test_without_a_header_or_a_clock_nothing_changes() -> None:
    line = f"11-26 22:33:14.335{LINE}"
    assert list(lines_in_unix_time([line])) == [line]
    header = LogHeader(first_at=1e9).text()
    assert list(lines_in_unix_time([header, line])) == [header, line]
