"""A log file never becomes longer than it may, and says what it has lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.store.folder import append_log
from manyhands.protocol.phones import LogHeader, PhoneLog

MOST = 2000


def header_of(path: Path) -> LogHeader:
    header = LogHeader.read(path.read_text().splitlines()[0])
    assert header is not None
    return header


def test_parts_are_appended_behind_a_header(tmp_path: Path) -> None:
    path = tmp_path / "logcat.txt"
    append_log(path, PhoneLog(text="one\ntwo\n", clock_offset_s=3600.5), now=1_700_000_000.0)
    append_log(path, PhoneLog(text="三\n", left_out=12), now=1_700_000_005.0)
    assert path.read_text().splitlines()[1:] == ["one", "two", "三"]
    header = header_of(path)
    assert (header.first_at, header.clock_offset_s, header.left_out) == (1_700_000_000.0, 3600.5, 12)
    assert path.stat().st_mode & 0o077 == 0


def test_a_clock_that_becomes_known_later_is_added(tmp_path: Path) -> None:
    path = tmp_path / "logcat.txt"
    append_log(path, PhoneLog(text="# not recorded\n"), now=1.0)
    append_log(path, PhoneLog(text="x\n", clock_offset_s=-2.0), now=2.0)
    assert header_of(path).clock_offset_s == -2.0
    assert path.read_text().splitlines()[1:] == ["# not recorded", "x"]


@given(st.lists(st.lists(st.text("ab会", max_size=60), max_size=20), max_size=30))
def test_the_newest_lines_stay(tmp_path_factory: pytest.TempPathFactory, parts: list[list[str]]) -> None:
    path = tmp_path_factory.mktemp("log") / "logcat.txt"
    told = ""
    for part in parts:
        text = "".join(f"{line}\n" for line in part)
        told += text
        append_log(path, PhoneLog(text=text, clock_offset_s=0.0), now=1.0, most=MOST)
        kept = path.read_bytes()
        body = kept[kept.index(b"\n") + 1 :]
        assert told.encode().endswith(body)
        assert header_of(path).left_out + len(body) == len(told.encode())
        assert len(body) <= max(MOST, len(text.encode()))
