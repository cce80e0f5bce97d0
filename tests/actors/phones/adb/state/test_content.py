"""Rows of content providers: what a shell prints is read back exactly, or refused."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from manyhands.actors.phones.adb.shell import ShellResult
from manyhands.actors.phones.adb.state import records
from manyhands.actors.phones.adb.state.records import ContentTable, parse_rows, read_rows
from manyhands.protocol.errors import StateUnavailable

COLUMNS = ("date", "address", "body")
TABLE = ContentTable("content://sms", COLUMNS)
PLAIN = st.text(st.characters(exclude_characters=",\n"), max_size=12)
IMITATION = st.sampled_from(
    ["\n", "Row: 0 ", "Row: 1 _id=2, ", "_id=1, ", ", body=", ", address=", "date=", "No result found.", "NULL"]
)
FREE = st.lists(IMITATION | st.text(max_size=5), max_size=8).map("".join)
ROWS = st.lists(st.tuples(st.integers(0, 10**13).map(str), PLAIN, FREE), max_size=5)


def printed(rows: Sequence[Sequence[str]]) -> tuple[str, list[str]]:
    """Return what Android prints for rows, and their ids."""
    ids = [str(index + 1) for index in range(len(rows))]
    lines = [
        f"Row: {index} _id={ids[index]}, "
        + ", ".join(f"{name}={value}" for name, value in zip(COLUMNS, row, strict=True))
        for index, row in enumerate(rows)
    ]
    return "".join(f"{line}\n" for line in lines), ids


@given(ROWS)
@example([("1", "5", "x\nRow: 1 _id=2, date=1, address=6, body=y"), ("2", "7", "z")])
def test_rows_are_read_back_or_refused(rows: list[tuple[str, str, str]]) -> None:
    text, ids = printed(rows)
    found = parse_rows(text, COLUMNS, ids)
    expected = [
        {name: "" if value == "NULL" else value for name, value in zip(COLUMNS, row, strict=True)} for row in rows
    ]
    imitated = any("\nRow: " in f"\n{row[-1]}" for row in rows)
    assert found == expected or (found is None and imitated)


@given(st.text(max_size=200), st.lists(st.integers(0, 9).map(str), max_size=3))
def test_any_text_is_read_or_refused(text: str, ids: list[str]) -> None:
    found = parse_rows(text, COLUMNS, ids)
    assert found is None or len(found) == len(ids)


def answers(*outputs: str, stderr: str = "") -> Callable[[str], Awaitable[ShellResult]]:
    """Return a shell that prints these outputs, one for each line that it is asked."""
    left = iter(outputs)

    async def ask(line: str) -> ShellResult:
        return ShellResult(next(left).encode(), stderr.encode(), 0)

    return ask


TRACE = "Error while accessing provider:sms\n{}\n\tat android.os.Parcel.createException(Parcel.java:2071)\n"


@pytest.mark.parametrize(
    ("trace", "said"),
    [
        (
            "java.lang.SecurityException: Permission Denial: opening provider from null requires READ_SMS",
            "the shell may not read content://sms (SecurityException)",
        ),
        (
            "java.lang.IllegalStateException: Could not find provider: sms",
            "content://sms cannot be read (IllegalStateException: Could not find provider: sms)",
        ),
        (
            "android.database.sqlite.SQLiteException: no such column: body",
            "content://sms cannot be read (SQLiteException: no such column: body)",
        ),
        ("java.lang.NullPointerException", "content://sms cannot be read (NullPointerException)"),
    ],
)
async def test_a_trace_becomes_one_short_line(trace: str, said: str) -> None:
    with pytest.raises(StateUnavailable) as raised:
        await read_rows(TABLE, answers("", stderr=TRACE.format(trace)))
    assert str(raised.value) == said


async def test_no_rows_are_an_empty_list() -> None:
    assert await read_rows(TABLE, answers("No result found.\n")) == []


async def test_rows_that_changed_between_the_questions_are_refused() -> None:
    ids, rows = "Row: 0 _id=1\n", "Row: 0 _id=1, date=1, address=5, body=a\nRow: 1 _id=2, date=1, address=5, body=b\n"
    with pytest.raises(StateUnavailable, match="or changed meanwhile"):
        await read_rows(TABLE, answers(ids, rows))


async def test_other_answers_are_quoted() -> None:
    with pytest.raises(StateUnavailable, match="content://sms answered: inaccessible or not found"):
        await read_rows(TABLE, answers("inaccessible or not found\n"))


async def test_of_a_long_table_the_newest_rows_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_ROWS", 2)
    lines: list[str] = []
    outputs = iter(
        [
            "Row: 0 _id=4\nRow: 1 _id=6\nRow: 2 _id=9\n",
            "Row: 0 _id=6, date=1, address=5, body=a\nRow: 1 _id=9, date=1, address=5, body=b\n",
        ]
    )

    async def ask(line: str) -> ShellResult:
        lines.append(line)
        return ShellResult(next(outputs).encode(), b"", 0)

    assert [row["body"] for row in await read_rows(TABLE, ask)] == ["a", "b"]
    assert "--where '_id>=6'" in lines[1]
