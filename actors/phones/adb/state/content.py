"""Read rows of Android's content providers, as ``content query`` prints them in the shell.

The command quotes nothing: a row is ``Row: 0 _id=7, number=..., body=...``. A text in it may hold line breaks and may
look like further rows. So this module first queries the ids alone, which are numbers. The rows that it reads then must
have exactly these ids in this order. Otherwise it cannot tell rows from texts, and raises StateUnavailable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from manyhands.actors.phones.adb.connection.shell import ShellResult, command_line
from manyhands.actors.phones.adb.state.answers import Ask, quote_answer
from manyhands.protocol.errors import StateUnavailable

MOST_ROWS = 5000
"""The most rows that are read. If a table has more, these are the newest."""
MOST_BYTES = 4 << 20
"""The longest answer that is read."""
_NULL = "NULL"
_EMPTY = "No result found."
_ID_ROW = re.compile(r"^Row: [0-9]+ _id=([0-9]+)$", re.MULTILINE)
_HEAD = re.compile(r"^Row: ([0-9]+) _id=([0-9]+), ", re.MULTILINE)
_EXCEPTION = re.compile(r"^\s*(?:[a-z]\w*\.)+([A-Z]\w*(?:Exception|Error))\b:?[ \t]*(.*)$", re.MULTILINE)
_LONGEST_REASON = 120


@dataclass(frozen=True, slots=True)
class ContentTable:
    """Name a table of a content provider, and the columns that are read beside ``_id``.

    The last column may hold any text. The others must not hold the name of the column after them.
    """

    uri: str
    columns: tuple[str, ...]


async def read_rows(table: ContentTable, ask: Ask) -> list[dict[str, str]]:
    """Return the rows of a table in the order of their ids, at most the ``MOST_ROWS`` newest. Nulls are empty texts.

    Raises StateUnavailable, PhoneLost.
    """
    ids = _ID_ROW.findall(await _query(table.uri, ("_id",), None, ask))
    if not ids:
        return []
    oldest = ids[-MOST_ROWS] if len(ids) > MOST_ROWS else None
    answer = await _query(table.uri, ("_id", *table.columns), oldest, ask)
    rows = parse_rows(answer, table.columns, ids[-MOST_ROWS:])
    if rows is None:
        raise StateUnavailable(f"the rows of {table.uri} cannot be told from the texts in them, or changed meanwhile")
    return rows


def parse_rows(text: str, columns: Sequence[str], ids: Sequence[str]) -> list[dict[str, str]] | None:
    """Return the rows by column; None unless ``text`` holds exactly the rows with these ids, in this order."""
    heads = list(_HEAD.finditer(text))
    if [(head[1], head[2]) for head in heads] != [(str(index), id_) for index, id_ in enumerate(ids)]:
        return None
    rows = []
    for index, head in enumerate(heads):
        end = heads[index + 1].start() if index + 1 < len(heads) else len(text)
        row = _parse_row(text[head.end() : end].removesuffix("\n"), columns)
        if row is None:
            return None
        rows.append(row)
    return rows


def _parse_row(text: str, columns: Sequence[str]) -> dict[str, str] | None:
    first = f"{columns[0]}="
    if not text.startswith(first):
        return None
    row, rest = {}, text.removeprefix(first)
    for column, following in pairwise(columns):
        value, separator, rest = rest.partition(f", {following}=")
        if not separator:
            return None
        row[column] = value
    row[columns[-1]] = rest
    return {column: "" if value == _NULL else value for column, value in row.items()}


async def _query(uri: str, columns: Sequence[str], oldest: str | None, ask: Ask) -> str:
    """Return what ``content query`` prints for these columns, from the row with the id ``oldest`` on.

    Raises StateUnavailable, PhoneLost.
    """
    words = ["content", "query", "--uri", uri, "--projection", ":".join(columns), "--sort", "_id"]
    where = [] if oldest is None else ["--where", f"_id>={oldest}"]
    answer = await ask(f"{command_line([words + where])} | head -c {MOST_BYTES}")
    _refuse_failure(uri, answer)
    if len(answer.stdout) >= MOST_BYTES:
        raise StateUnavailable(f"{uri} answered more than {MOST_BYTES >> 20} MiB")
    if not answer.text.startswith("Row: ") and _EMPTY not in answer.text.splitlines():
        raise StateUnavailable(f"{uri} answered: {quote_answer(answer)}")
    return answer.text


def _refuse_failure(uri: str, answer: ShellResult) -> None:
    """Raise StateUnavailable if the command printed a Java exception. The message is one line."""
    failed = _EXCEPTION.search(answer.stderr.decode("utf-8", "replace"))
    if failed is None:
        return
    name, reason = failed[1], " ".join(failed[2].split())[:_LONGEST_REASON]
    if name == "SecurityException":
        raise StateUnavailable(f"the shell may not read {uri} ({name})")
    raise StateUnavailable(f"{uri} cannot be read ({name}: {reason})" if reason else f"{uri} cannot be read ({name})")
