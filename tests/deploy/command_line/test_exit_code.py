"""The exit code of a run, and what its summary says: both by what was decided."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from rich.console import Console

from manyhands.deploy.command_line.commands.run import watch
from manyhands.deploy.fleet.fleet import Fleet
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import ManyhandsError, RayLost
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.runs.run_summary import RunSummary
from manyhands.protocol.tasks.task import tasks_from_goals


@pytest.mark.slow
def test_run_yaml_that_is_edited_meanwhile_changes_no_exit_code_and_no_row(tmp_path: Path) -> None:
    async def main() -> None:
        said = io.StringIO()
        fleet = Fleet(phones=["virtual:1"], mllm_url=["rehearsed"], out=tmp_path / "run")

        async def carry_out(fleet: Fleet) -> Sequence[EpisodeResult]:
            results = await fleet.run_batch(tasks_from_goals(["Turn on dark mode."]))
            asked = dict(RunFolder(fleet.folder).asked)
            asked["tasks"] = [*asked["tasks"], {"id": "added", "goal": "Turn on dark mode."}]
            asked["batches"] = [{"name": "batch-1", "tasks": 2}]
            (fleet.folder / "run.yaml").write_text(yaml.safe_dump(asked), encoding="utf-8")
            return results

        assert await watch(fleet, carry_out, Console(file=said, width=200), as_json=False) == 0
        assert "added" not in said.getvalue()
        assert "cancelled" not in said.getvalue()

    asyncio.run(main())


@pytest.mark.slow
def test_an_error_that_ends_a_run_is_told_by_whoever_tells_of_the_run(tmp_path: Path) -> None:
    """``suite run`` tells of all its runs together, and plays no unseen tasks after one that an error ended."""

    async def main() -> None:
        told: list[tuple[Path, ManyhandsError | None]] = []
        fleet = Fleet(phones=["virtual:1"], mllm_url=["rehearsed"], out=tmp_path / "run")

        async def carry_out(fleet: Fleet) -> Sequence[EpisodeResult]:
            await fleet.run_batch(tasks_from_goals(["Turn on dark mode."]))
            raise RayLost("Ray's raylet was killed")

        def tell(
            console: Console, folder: Path, summary: RunSummary, as_json: bool, failure: ManyhandsError | None
        ) -> None:
            told.append((folder, failure))

        assert await watch(fleet, carry_out, Console(file=io.StringIO()), as_json=True, tell=tell) == 1
        [(folder, failure)] = told
        assert (folder, type(failure)) == (tmp_path / "run", RayLost)

    asyncio.run(main())
