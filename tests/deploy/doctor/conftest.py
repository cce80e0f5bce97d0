"""A virtual phone for each test that asks for one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.deploy.doctor.bench import Bench, open_bench


@pytest.fixture
async def bench(adb_server: tuple[str, int], tmp_path: Path) -> AsyncIterator[Bench]:
    async with open_bench(adb_server, tmp_path) as opened:
        yield opened
