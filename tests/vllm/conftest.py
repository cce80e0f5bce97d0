"""Servers, models and pictures for the tests on a real vLLM. `make test-vllm` makes what they need and runs them."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.vllm.screens import Shown, photograph
from tests.vllm.server import VllmServer

ENVIRONMENT = Path(__file__).parents[2] / ".venv-vllm"
TINY_MODEL = Path(__file__).with_name("tiny_model.py")
DTYPES = {"qwen3_5": "bfloat16"}
"""vLLM's GDN layers on a CPU need it."""
MakeModel = Callable[[str], Path]
"""The folder of a family's tiny model, from ``tiny_model.py --family``."""
Serve = Callable[[str], AbstractContextManager[VllmServer]]
"""Starts a server of a family's tiny model for as long as the context is open."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test waits for one or two servers to start, which takes half a minute each and more on a busy machine."""
    for item in items:
        item.add_marker(pytest.mark.timeout(900))


@pytest.fixture(scope="session")
def vllm() -> Path:
    """The executable of the servers' environment."""
    path = ENVIRONMENT / "bin" / "vllm"
    if not path.exists():
        pytest.exit(f"there is no {ENVIRONMENT.name}; run: make test-vllm", returncode=3)
    return path


@pytest.fixture(scope="session")
def tiny_model(vllm: Path) -> MakeModel:
    """The folder of a family's tiny model; made once and kept beside the environment until its script changes."""
    digest = hashlib.sha256(TINY_MODEL.read_bytes()).hexdigest()[:12]

    def made(family: str) -> Path:
        folder = ENVIRONMENT / "tiny" / digest / f"tiny-random-{family}"
        if not (folder / "model.safetensors").exists():
            command = [str(vllm.with_name("python")), str(TINY_MODEL), str(folder), "--family", family]
            subprocess.run(command, check=True, capture_output=True, text=True)
        return folder

    return made


@pytest.fixture(scope="session")
def serve(
    vllm: Path,
    tiny_model: MakeModel,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Serve:
    cache = tmp_path_factory.mktemp("vllm_cache")

    @contextmanager
    def serving(family: str) -> Iterator[VllmServer]:
        log = tmp_path_factory.mktemp(family) / "server.log"
        server = VllmServer(tiny_model(family), vllm, log, cache, DTYPES.get(family, "float32"))
        failed_before = request.session.testsfailed
        try:
            server.start()
            server.wait_ready()
            yield server
        finally:
            server.stop()
            if request.session.testsfailed > failed_before:
                print(f"\nThe end of {log}:\n{server.log_end()}")  # noqa: T201

    return serving


@pytest.fixture(scope="session")
def qwen3(serve: Serve) -> Iterator[VllmServer]:
    """The server that lives as long as the session; its caches hold what earlier tests sent."""
    with serve("qwen3_vl") as server:
        yield server


@pytest.fixture(scope="session")
def shown() -> tuple[Shown, ...]:
    """Screens of a virtual phone at 1080x2400, with what perception reads on them."""
    return photograph()
