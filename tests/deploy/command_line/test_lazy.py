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

LATER = """
EXAMPLE = "Example: later."

def command(as_json: bool = False) -> None:
    import no_such_library.part
"""


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    package = tmp_path / "some_commands"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "well.py").write_text(WELL)
    (package / "lacking.py").write_text("import no_such_library.part")
    (package / "later.py").write_text(LATER)
    (package / "wrong.py").write_text("import some_commands.no_such_module")
    monkeypatch.syspath_prepend(tmp_path)
    return command_group(modules_in("some_commands", ("well", "lacking", "later", "wrong")), help="Some commands.")


def test_a_command_that_lacks_a_library_says_which(app: typer.Typer) -> None:
    done = CliRunner().invoke(app, ["lacking", "--some", "flag", "--json"])
    assert done.exit_code == 2
    assert "lacking needs no_such_library, which is not installed" in json.loads(done.stdout)["error"]
    assert CliRunner().invoke(app, ["well"]).stdout == "done\n"


def test_a_library_that_is_needed_only_after_the_help_is_named_as_well(app: typer.Typer) -> None:
    assert "Example: later." in CliRunner().invoke(app, ["later", "--help"]).stdout
    done = CliRunner().invoke(app, ["later"])
    assert (done.exit_code, "error: later needs no_such_library, which is not installed" in done.stderr) == (2, True)


def test_a_module_of_ours_that_is_missing_is_no_library(app: typer.Typer) -> None:
    assert isinstance(CliRunner().invoke(app, ["wrong"]).exception, ModuleNotFoundError)
