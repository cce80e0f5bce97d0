"""What the papers printed, and what their own rows give."""

from __future__ import annotations

import pytest

from manyhands.evaluation.metrics.figure import mean
from manyhands.evaluation.published import LEVELS, published


def level_of_v1(level: str) -> dict[str, float]:
    """Return the means over the instructions of a level of Mobile-Agent's table 2, made as ours are."""
    rows = [levels[level] for levels in published().instructions.values()]
    names = ("SR", "PS", "RE agent", "RE human", "CR")
    return {name: mean([row[place] for row in rows]) for place, name in enumerate(names)}


def done_by_v2(level: str) -> tuple[int, int]:
    """Return how many instructions of a level Mobile-Agent-v2 did, and of how many, by its tables 1 and 2."""
    done = total = 0
    for table in (published().table("v2", number) for number in (1, 2)):
        for row in table.read():
            if (row.system, row.level) == ("v2", level):
                done += round(row.figures["SR"] * table.counts[row.set])
                total += table.counts[row.set]
    return done, total


@pytest.mark.parametrize(
    ("level", "given"),
    [
        ("simple", {"SR": 0.91, "PS": 0.89, "RE agent": 4.9, "RE human": 4.2, "CR": 0.982}),
        ("more_required", {"SR": 0.82, "PS": 0.79, "RE agent": 7.8, "RE human": 6.3, "CR": 0.909}),
        ("abstract", {"SR": 0.82, "PS": 0.85, "RE agent": 7.5, "RE human": 6.2, "CR": 0.913}),
    ],
)
def test_the_rows_of_mobile_agent_give_its_means(level: str, given: dict[str, float]) -> None:
    digits = {"SR": 2, "PS": 2, "RE agent": 1, "RE human": 1, "CR": 3}
    means = level_of_v1(level)
    assert {name: round(value, digits[name]) for name, value in means.items()} == given


def test_only_three_of_its_means_are_printed_otherwise() -> None:
    printed = {row.level: row.figures for row in published().table("v1", 2).read()}
    otherwise = {
        (level, name): (printed[level][name], round(value, 3))
        for level in LEVELS
        for name, value in level_of_v1(level).items()
        if abs(printed[level][name] - value) > (0.051 if name.startswith("RE") else 0.0051)
    }
    assert otherwise == {
        ("more_required", "PS"): (0.77, 0.788),
        ("abstract", "PS"): (0.84, 0.854),
        ("more_required", "RE agent"): (7.9, 7.818),
    }


def test_mobile_agent_v2_did_39_and_27_of_44() -> None:
    table_4 = {row.level: row.figures["SR"] for row in published().table("v2", 4).read()}
    for level, done in (("basic", 39), ("advanced", 27)):
        assert done_by_v2(level) == (done, 44)
        assert round(done / 44, 3) == table_4[level]


def test_mobile_agent_e_counts_the_operations_that_mobile_agents_rows_have() -> None:
    sets = published().sets
    humans = sum(levels[level][3] for levels in published().instructions.values() for level in LEVELS)
    assert humans == sets["Mobile-Eval"].operations == 183
    assert {name: (size.tasks, size.operations) for name, size in sets.items() if name != "AppAgent"} == {
        "Mobile-Eval": (33, 183),
        "Mobile-Eval-v2": (44, 245),
        "Mobile-Eval-E": (25, 364),
    }


def test_mobile_agent_e_tables_3_and_5() -> None:
    table_3 = {row.system: row.figures for row in published().table("e", 3).read()}
    assert table_3["v1"] == {"SS": 0.455, "AA": 0.698, "TE": 0.68}
    assert table_3["v2"] == {"SS": 0.53, "AA": 0.732, "RA": 0.967, "TE": 0.52}
    assert table_3["e"] == {"SS": 0.751, "AA": 0.859, "RA": 0.974, "TE": 0.32}
    table_5 = {row.system: row.figures for row in published().table("e", 5).read() if row.model == "GPT-4o"}
    assert table_5["v2"] == {"s/op roles": 12.3, "s/op all": 43.5}
    assert (table_5["e"]["s/op roles"], table_5["e"]["s/op all"]) == (17.4, 30.1)
