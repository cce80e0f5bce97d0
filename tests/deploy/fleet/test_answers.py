"""A run on a virtual phone whose tasks ask for rows: CSV equals what the phone shows; a wrong answer is told once."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
import yaml

from manyhands.evaluation.recorded_calls import recorded_calls
from manyhands.evaluation.results import results_of, to_csv
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.simulator.phone.content.library import Library
from tests.deploy.fleet.learning_runs import manyhands

GOAL = "ell me the name, the price and the rating of the three cheapest headphones in Shop."
SCHEMA = {
    "type": "array",
    "minItems": 3,
    "maxItems": 3,
    "items": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "price": {"type": "number"}, "rating": {"type": "number"}},
        "required": ["name", "price", "rating"],
    },
}
GOALS = {"right": f"T{GOAL}", "hasty": f"Hastily t{GOAL}", "stubborn": f"Stubbornly t{GOAL}"}


@pytest.mark.slow
def test_rows_of_an_answer_equal_what_the_phone_shows(tmp_path: Path, adb_server: tuple[str, int]) -> None:
    tasks = [{"id": id, "goal": goal, "answer": {"schema": SCHEMA}, "reset_seed": 1} for id, goal in GOALS.items()]
    (tmp_path / "tasks.yaml").write_text(yaml.safe_dump(tasks), encoding="utf-8")
    fleet = ("--phones", "virtual:1", "--mllm-url", "rehearsed", "--adb-port", str(adb_server[1]))
    manyhands("run", tmp_path / "tasks.yaml", *fleet, "--out", tmp_path / "run", codes=(1,))
    run = RunFolder(tmp_path / "run")
    results = {result.id: result for result in results_of(run)}
    assert {id: one.finished for id, one in results.items()} == {
        "right": Ending.FINISHED,
        "hasty": Ending.FINISHED,
        "stubborn": Ending.ANSWER_INVALID,
    }
    assert results["stubborn"].reason.endswith("is not of type 'number'")

    products = sorted(Library(1).search_products("headphones", "en"), key=lambda product: product.price)[:3]
    shown = [(one.name, float(one.price), float(one.rating)) for one in products]
    rows = list(csv.DictReader(io.StringIO(to_csv(results.values()), newline="")))
    for id in ("right", "hasty"):
        told = [row for row in rows if row["id"] == id]
        assert [(row["answer.name"], float(row["answer.price"]), float(row["answer.rating"])) for row in told] == shown

    asked = [one for one in recorded_calls(run) if one.call.reply_type == "AnswerReply"]
    repairs = [(one.episode.rsplit("-", 2)[0], one.call.repair) for one in asked]
    assert repairs == [("right", False), ("hasty", False), ("hasty", True), ("stubborn", False), ("stubborn", True)]
