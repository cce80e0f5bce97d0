"""The wheel, built from the sdist and installed into an environment of its own, outside the checkout."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from PIL import Image

import manyhands

ROOT = Path(__file__).parents[2]
FOLDERS = ("protocol", "actors", "deploy", "service", "evaluation", "rollouts", "simulator", "benchmarks")
EXTRAS = "fleet,simulator,service"
pytestmark = pytest.mark.timeout(900)


def tracked() -> list[str]:
    """The files of the checkout, also those that are not committed yet."""
    listed = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, text=True)
    return [name for name in listed.split("\0") if name and os.path.lexists(ROOT / name)]


def run(*command: str | Path, folder: Path, **environment: str) -> str:
    """Run a command in ``folder``, where nothing of the checkout is on Python's path."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MANYHANDS", "PYTHON"))}
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, env={**kept, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}: {done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that ``build`` makes of the sdist that it makes of the checkout's files."""
    folder = tmp_path_factory.mktemp("build")
    for name in tracked():
        copy = folder / "source" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_symlink():
            copy.symlink_to(os.readlink(ROOT / name))
        else:
            copy.write_bytes((ROOT / name).read_bytes())
    run(sys.executable, "-m", "venv", "builder", folder=folder)
    builder = folder / "builder" / "bin" / "python"
    run(builder, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "build", folder=folder)
    run(builder, "-m", "build", "--outdir", "dist", "source", folder=folder)
    assert len(list((folder / "dist").glob("manyhands-*.tar.gz"))) == 1
    (built,) = (folder / "dist").glob("manyhands-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``bin`` of an environment with the wheel and the lock's versions of what it asks for."""
    folder = tmp_path_factory.mktemp("installed")
    pins = re.findall(r"^([^ #]*==[^\\\n]*[^\\\s])", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    (folder / "versions.txt").write_text("\n".join(pins))
    run(sys.executable, "-m", "venv", "environment", folder=folder)
    install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", "versions.txt")
    binaries = folder / "environment" / "bin"
    run(binaries / "python", *install, f"{wheel}[{EXTRAS}]", folder=folder)
    return binaries


@pytest.fixture
def settings(adb_server: tuple[str, int], tmp_path: Path) -> dict[str, str]:
    """The environment of a run with an adb server, leases and run folders of its own."""
    return {"MANYHANDS_ADB_PORT": str(adb_server[1]), "MANYHANDS_STATE_DIR": str(tmp_path / "state")}


def test_it_has_one_top_level_module_and_every_file(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"manyhands"}
    ours = {name for name in tracked() if name.startswith(tuple(f"{folder}/" for folder in FOLDERS))}
    assert {f"manyhands/{name}" for name in ours} - set(names) == set()
    assert {"manyhands/py.typed", "manyhands/__main__.py"} <= set(names)


def test_nothing_of_it_comes_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    names = sorted(manyhands._MODULES)
    program = f"import json, sys, manyhands; [getattr(manyhands, name) for name in {names!r}]; " + (
        "print(json.dumps([manyhands.__file__, sorted(name.split('.')[0] for name in sys.modules)]))"
    )
    place, modules = json.loads(run(installed / "python", "-c", program, folder=tmp_path))
    assert Path(place).is_relative_to(installed.parent)
    assert set(modules) & {*FOLDERS, "training", "tests"} == set()


def test_the_command_is_there_by_both_names(installed: Path, tmp_path: Path) -> None:
    version = run(installed / "manyhands", "--version", folder=tmp_path)
    assert version == run(installed / "python", "-m", "manyhands", "--version", folder=tmp_path) != ""
    assert "audit" in run(installed / "python", "-m", "manyhands", "--help", folder=tmp_path)


def test_the_demo_runs(installed: Path, settings: dict[str, str], tmp_path: Path) -> None:
    arguments = ("demo", "--phones", "4", "--size", "540x1200", "--out", "run", "--json")
    summary = json.loads(run(installed / "manyhands", *arguments, folder=tmp_path, **settings))
    assert summary["verified"] == summary["tasks"] > 0
    assert "virtual phones" in summary["phones_source"]
    run(installed / "manyhands", "report", "run", folder=tmp_path)
    assert list((tmp_path / "run").glob("*.html")) != []


@pytest.mark.parametrize("example", ["one_goal.py", "two_goals.py", "batch.py"])
def test_examples_run(installed: Path, example: str, settings: dict[str, str], tmp_path: Path) -> None:
    size = {"MANYHANDS_VIRTUAL__SIZE": "540x1200"}
    said = run(installed / "python", ROOT / "docs" / "examples" / example, folder=tmp_path, **settings, **size)
    assert "finished after" in said or "2 of 2 verified" in said


def test_the_example_that_reads_a_picture_runs(installed: Path, tmp_path: Path) -> None:
    from manyhands.simulator.phone.virtual_phone import VirtualPhone

    Image.fromarray(VirtualPhone(1, 540, 1200).frame().rgb).save(tmp_path / "home.png")
    arguments = ("home.png", "text", "Settings")
    assert "Settings" in run(
        installed / "python", ROOT / "docs" / "examples" / "locate.py", *arguments, folder=tmp_path
    )
