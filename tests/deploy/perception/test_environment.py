"""Perception in an environment of its own: a virtual one beside ours, which has what ours has."""

from __future__ import annotations

import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.actors.remote import spawn, stop
from manyhands.actors.remote.calls import call
from manyhands.deploy.perception.environment import check_python
from manyhands.protocol.errors import BadInput

ROOT = Path(__file__).parents[3]


class Placed(PerceptionService):
    async def prefix(self) -> str:
        """Of the environment in which it runs."""
        return sys.prefix


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """The Python of an environment that has nothing installed."""
    venv.create(tmp_path / "own", symlinks=True)
    return tmp_path / "own" / "bin" / "python"


@pytest.fixture
def equipped(empty: Path) -> Path:
    (packages,) = empty.parents[1].glob("lib/python*/site-packages")
    (packages / "ours.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT}\n")
    return empty


@pytest.mark.ray
async def test_an_actor_runs_by_the_python_that_is_named(equipped: Path, ray_local: str) -> None:
    await check_python(equipped)
    actor = await spawn(Placed, PerceptionSettings(workers=1), runtime_env={"py_executable": str(equipped)})
    try:
        assert Path(await call(actor, "prefix", ())) == equipped.parents[1]
    finally:
        await stop(actor)


async def test_a_python_that_lacks_what_it_takes_is_refused_by_name(empty: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"No module named .*docs/perception\.md"):
        await check_python(empty)
    with pytest.raises(BadInput, match="gone/python: No such file"):
        await check_python(tmp_path / "gone" / "python")
    other = tmp_path / "python"
    other.write_text("""#!/bin/sh\necho '["3.9.1", "2.0.0"]'\n""")
    other.chmod(0o755)
    with pytest.raises(BadInput, match=r"has Python 3\.9\.1 and Ray 2\.0\.0; both must be as here"):
        await check_python(other)
