"""Fixtures of tests of the HTTP application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.service.api.running_service import RunningService, running


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[RunningService]:
    async with running(tmp_path) as started:
        yield started
