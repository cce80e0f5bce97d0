"""One declaration of a setting gives its flag, its help, its row in docs/settings.md and its keyword of Fleet."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from pydantic import BaseModel, ConfigDict, Field
from typer.testing import CliRunner

from manyhands.deploy.command_line import options
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.keywords import FleetOptions
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.reference import keywords, page
from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities.setting_metadata import Default, Flag

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "name", ["docs/settings.md", "docs/words.md", "docs/rollouts.md", "deploy/settings/keywords.py"]
)
def test_what_is_made_from_the_settings_is_up_to_date(name: str) -> None:
    text = (ROOT / name).read_text()
    made = page(text) if name.endswith(".md") else keywords()
    lines = difflib.unified_diff(text.splitlines(), made.splitlines(), name, "after make settings", n=0, lineterm="")
    assert not list(lines), "run: make settings"


def test_the_keywords_of_a_fleet_are_the_fields_of_its_settings() -> None:
    assert set(FleetOptions.__annotations__) == set(FleetSettings.model_fields)


def fields(model: type[BaseModel], at: str = "") -> Iterator[tuple[str, str | None]]:
    for name, field in model.model_fields.items():
        yield f"{at}{name}", field.description
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from fields(field.annotation, f"{at}{name}.")


def test_every_setting_with_a_row_of_its_own_is_described() -> None:
    assert [name for name, said in fields(FleetSettings) if not said] == []


def test_a_page_has_a_row_for_every_field_with_flag_default_and_description() -> None:
    rows = {line.split(" | ")[0].strip("| `"): line for line in page("<!-- settings -->\n<!-- end -->").splitlines()}
    assert set(FleetSettings.model_fields) <= set(rows)
    assert rows["adb_port"].startswith("| `adb_port` | `--adb-port` | 5037 | Port of the adb server.")
    assert rows["phones"].startswith("| `phones` | `--phones` | all usable ones of this machine | Serials, addresses")
    assert "[monitoring](monitoring.md)" in rows["metrics_port"]
    assert "see [below](#episode)" in page("<!-- settings -->\n<!-- end -->\n<!-- settings episode -->\n<!-- end -->")
    settling = page("<!-- settings episode -->\n<!-- end -->\n<!-- settings episode.settle -->\n<!-- end -->")
    assert "see [below](#settle)" in settling
    assert "\n| `quiet_ms` | 170 | A screen is at rest after" in settling


class Tea(BaseModel):
    """A model as FleetSettings is one, in which a setting is declared in one place."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    cups: Annotated[int, Flag("brew"), Default("one each")] = Field(default=1, ge=1, le=9)
    """How many `cups`.

    Not in the help.
    """
    milk: Annotated[bool, Flag("brew")] = False
    """With milk."""


def test_a_declared_setting_has_a_flag_with_bounds_help_and_default() -> None:
    cups, milk = options.settings_of("brew", Tea)
    assert (cups.option, cups.help, milk.option) == ("--cups", "How many cups.", "--milk")
    assert list(options.settings_of("pour", Tea)) == []
    parameter = cups.parameter(None)
    (found,) = parameter.annotation.__metadata__
    assert (found.min, found.max, found.show_default) == (1, 9, "one each")


def invoke(*arguments: str, **defaults: Any) -> tuple[int, options.Given]:
    app, found = typer.Typer(), {}

    @app.command()
    @options.with_settings("bench step", **defaults)
    def command(read_settings: options.ReadGiven, as_json: options.AsJson = False) -> None:
        found.update(read_settings())

    return CliRunner().invoke(app, arguments).exit_code, found


def test_one_flag_may_set_several_settings() -> None:
    assert invoke("--seed", "7") == (0, {"seed": 7, "rehearsal": {"seed": 7}, "virtual": {"seed": 7}})
    assert load_settings(invoke("--seed", "7")[1]).virtual.seed == 7


def test_what_is_not_given_is_left_out_and_a_command_may_have_defaults_of_its_own() -> None:
    assert invoke() == (0, {})
    assert invoke(mistakes=0.1, cheap_verdicts=["unchanged"]) == (
        0,
        {"rehearsal": {"mistakes": 0.1}, "episode": {"cheap_verdicts": ["unchanged"]}},
    )
    assert invoke("--mistakes", "0", mistakes=0.1) == (0, {"rehearsal": {"mistakes": 0.0}})


def test_bounds_are_those_of_the_field_and_lists_are_repeated_or_have_commas() -> None:
    assert invoke("--adb-port", "0")[0] == 2
    assert invoke("--mistakes", "1.1")[0] == 2
    latency = {"plan": 1.0, "note": 2.5, "decide": 3.0}
    assert invoke("--latency", "plan=1,note=2.5", "--latency", "decide=3")[1] == {"rehearsal": {"latency_s": latency}}
    assert invoke("--cheap-verdicts", "none")[1] == {"episode": {"cheap_verdicts": []}}
    with pytest.raises(BadInput, match="--latency tea=1: write ROLE=SECONDS with a role of planner "):
        options.given_settings("run", {"latency": ["tea=1"]})
