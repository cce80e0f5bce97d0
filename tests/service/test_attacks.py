"""A service that is attacked by tokens of the least right still carries out another owner's tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.attacks import MOST_MIB, attack


@pytest.mark.slow
@pytest.mark.timeout(1800)
async def test_an_attacked_service_carries_out_the_tasks_of_another_owner(
    tmp_path: Path, adb_server: tuple[str, int]
) -> None:
    figures = await attack(tmp_path, adb_server[1], 20)
    assert figures.tasks == figures.verified > 0
    assert figures.most_mib < MOST_MIB
    assert figures.wrong == []
