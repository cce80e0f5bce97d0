"""Read journals far larger than any journal is: holes take no memory, and other sizes are refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.protocol.errors import StoreError
from manyhands.protocol.journals.frames import MAX_RECORD
from manyhands.protocol.journals.journal import encode, scan
from manyhands.protocol.journals.journal_file import JOURNAL, MOST_JOURNAL, read_journal
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.run_records import ended, started, write_run

TWENTY_GB = 20 * 1024**3
MOST_MEMORY = 1500 * 1024**2
"""What a reader may have: the imports of a command, one frame of the largest size, and room to search it."""
READER = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), int(sys.argv[1])))
from pathlib import Path
from manyhands.evaluation.results import results_of
from manyhands.evaluation.run_folder import RunFolder
run = RunFolder(Path(sys.argv[2]))
print(*(result.verdict for result in results_of(run)))
print(*(part.reason for part in run.journals["dark"].damage), sep="\\n")
"""


def sparse_run(folder: Path) -> Path:
    """Write a run whose journal has a hole of 20 GB between its records. Return the journal."""
    records = [started("dark", TaskSpec(id="dark", goal="Go.")), ended(5)]
    write_run(folder, {"run_id": "r", "tasks": [{"id": "dark", "goal": "Go."}]}, {"dark": records[:1]})
    path = folder / "episodes" / "dark" / JOURNAL
    with path.open("r+b") as file:
        file.seek(TWENTY_GB)
        file.write(encode(records[1], "dark", seq=1))
    return path


def test_a_sparse_journal_is_read_in_the_memory_of_a_frame(tmp_path: Path) -> None:
    path = sparse_run(tmp_path)
    if path.stat().st_blocks * 512 > MAX_RECORD:
        pytest.skip("this file system has no sparse files")
    done = subprocess.run(
        [sys.executable, "-c", READER, str(MOST_MEMORY), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    verdict, *damage = done.stdout.splitlines()
    assert verdict == "passed", "the record after the hole counts"
    assert len(damage) == 1
    assert len(read_journal(path)) < MAX_RECORD + 10_000


def test_a_journal_over_the_limit_is_refused_and_named(tmp_path: Path) -> None:
    path = sparse_run(tmp_path)
    with path.open("r+b") as file:
        for place in range(1, MOST_JOURNAL // MAX_RECORD + 2):
            file.seek(place * 1024**3)
            file.write(b"x")
    with pytest.raises(StoreError, match=f"{JOURNAL}: has 21,.* bytes, and a journal has at most 536,870,912"):
        read_journal(path)


def test_a_journal_of_a_common_size_is_read_as_it_is(tmp_path: Path) -> None:
    path = sparse_run(tmp_path)
    with path.open("r+b") as file:
        file.truncate(MAX_RECORD)
    data = read_journal(path)
    assert len(data) == MAX_RECORD
    assert [record.kind for record in scan(data).records] == ["episode_started"]
