"""Rows of the model that learns: other numbers and names, the same meaning, and nothing that it is scored on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from training.demo.goals import NOTES, PAGES, PEOPLE, SWITCHES, WORDS
from training.demo.rows import KINDS, THINGS, Row, read_rows, vary

PAGE = """\
The user's task: Turn on Dark mode on the page Display of Settings.
Step 1: {"name": "Open_App", "app": "Settings"} Opened Settings.
Step 2: You tapped "Display".
The app in front is <data>Settings</data>.
<data>
Navigate up [1]
Display [2]
Dark mode [3]
switch off [4] (off)
For all apps [6]
</data>
"""
TAP = Row("system", PAGE, {"name": "Tap_Element", "number": 3})
SEARCH = Row(
    "system",
    "The user's task: Search for gym in Notes.\nThe app in front is <data>Notes</data>.\nThe keyboard is up.\n"
    "<data>\nNotes [1]\nSearch notes [2] (text field, focused)\n</data>",
    {"name": "Type", "text": "gym", "clear": True},
)


def listed(message: str) -> dict[int, str]:
    return {int(number): text for text, number in re.findall(r"^(.*) \[(\d+)\]", message, re.MULTILINE)}


@pytest.mark.parametrize("seed", range(20))
def test_a_varied_row_taps_the_element_that_its_goal_names(seed: int) -> None:
    row = vary(TAP, Random(seed))
    elements = listed(row.message)
    match = re.match(r"The user's task: Turn on (.*) on the page (.*) of Settings\.", row.message)
    assert match is not None
    assert elements[row.action["number"]] == match[1]
    assert list(elements) == sorted(elements)
    assert list(elements.values())[1] == match[2]
    assert f'You tapped "{match[2]}"' in row.message
    assert row.message.count("Settings") == PAGE.count("Settings")
    assert json.loads(row.reply()) == {"thought": f"{match[1]} [{row.action['number']}] is off", "action": row.action}


def test_a_thought_tells_what_is_tapped_or_how_a_switch_stands() -> None:
    page = Row("system", PAGE.replace("Turn on Dark mode on", "Open"), {"name": "Tap_Element", "number": 2})
    assert json.loads(page.reply())["thought"] == "Display [2]"
    stop = Row("system", PAGE.replace("switch off [4] (off)", "switch on [4] (on)"), {"name": "Stop"})
    assert json.loads(stop.reply())["thought"] == "Dark mode [3] is on"
    assert json.loads(Row("system", "The user's task: Wait.", {"name": "Wait"}).reply())["thought"] == "Wait"


def test_variants_have_other_numbers_and_other_names() -> None:
    variants = [vary(TAP, Random(seed)) for seed in range(40)]
    assert len({row.action["number"] for row in variants}) > 5
    assert 5 < sum("Dark mode" in row.message for row in variants) < 25


def test_typed_words_follow_the_goal() -> None:
    for seed in range(20):
        row = vary(SEARCH, Random(seed))
        assert f"Search for {row.action['text']} in Notes." in row.message
        assert json.loads(row.reply()) == {"thought": row.action["text"], "action": row.action}


def test_no_drawn_name_holds_a_word_that_is_scored_on() -> None:
    named = [*PAGES["score"], *PEOPLE["score"], *NOTES["score"], *WORDS["score"]]
    named += [title for _, title in SWITCHES["score"].values()]
    assert not {*KINDS, *THINGS} & {word for name in named for word in re.findall(r"\w+", name.lower())}


def exported(folder: Path, **changes: Any) -> Path:
    messages = [
        {"role": "system", "content": TAP.system},
        {"role": "user", "content": TAP.message},
        {"role": "assistant", "content": json.dumps({"action": TAP.action})},
    ]
    (folder / "train").mkdir()
    row = {"messages": messages, "images": [], "facts": {}, **changes}
    (folder / "train" / "0.jsonl").write_text(json.dumps(row) + "\n")
    return folder


def test_rows_are_read_from_an_export(tmp_path: Path) -> None:
    assert list(read_rows([exported(tmp_path)])) == [TAP]


def test_a_row_that_shows_a_picture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--pictures none"):
        list(read_rows([exported(tmp_path, images=["0.jpg"])]))
