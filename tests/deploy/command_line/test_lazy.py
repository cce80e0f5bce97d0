"""Groups of commands, of which some lack their libraries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from manyhands.deploy.command_line.lazy import command_group, modules_in

WELL = """
EXAMPLE = "Example: well."

def command() -> None:
    print("done")
"""


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    package = tmp_path / "some_commands"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "well.py").write_text(WELL)
    (package / "lacking.py").write_text("import no_such_library.part")
    (package / "wrong.py").write_text("import some_commands.no_such_module")
    monkeypatch.syspath_prepend(tmp_path)
    return command_group(modules_in("some_commands", ("well", "lacking", "wrong")), help="Some commands.")


def test_a_command_that_lacks_a_library_says_which(app: typer.Typer) -> None:
    done = CliRunner().invoke(app, ["lacking", "--some", "flag", "--json"])
    assert done.exit_code == 2
    assert "lacking needs no_such_library, which is not installed" in json.loads(done.stdout)["error"]
    assert CliRunner().invoke(app, ["well"]).stdout == "done\n"


def test_a_module_of_ours_that_is_missing_is_no_library(app: typer.Typer) -> None:
    assert isinstance(CliRunner().invoke(app, ["wrong"]).exception, ModuleNotFoundError)
