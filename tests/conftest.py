"""Fixtures of the whole session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import ray


@pytest.fixture(scope="session")
def ray_local() -> Iterator[str]:
    """A local Ray of this test session; its namespace."""
    namespace = "manyhands-tests"
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, namespace=namespace)
    yield namespace
    ray.shutdown()
