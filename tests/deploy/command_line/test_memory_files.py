"""Malformed files of tips and shortcuts, and files as the authors write them, through the commands that take them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from manyhands.actors.memory import write_tips
from manyhands.deploy.command_line.cli import app
from manyhands.deploy.settings.models import REHEARSED
from tests.actors.memory.test_files import SEARCH, entry, steps

GOOD_TIPS = "0. Close the sale first.\n1. 先关闭弹窗。\n"
THEIRS: Mapping[str, Any] = {
    **entry(),
    "Wait_And_Scroll": {
        "name": "Wait_And_Scroll",
        "arguments": [],
        "description": "Wait, then scroll down by half a page. 向下滚动。",
        "precondition": "A list is shown.",
        "atomic_action_sequence": [
            {"name": "Wait", "arguments_map": None},
            {"name": "Swipe", "arguments_map": {"x1": 540, "y1": 1200, "x2": 540, "y2": 600}},
        ],
    },
}

BAD_TIPS: Mapping[str, tuple[str | bytes, str]] = {
    "no number": ("0. one\nand more\n", "line 2: has no number, as other lines have"),
    "empty": ("0. one\n1. \n", "line 2: the tip is empty"),
    "too long": (f"0. {'x' * 1001}\n", "line 1: 1001 characters; a tip may have 1000"),
    "too many": (write_tips(["tip"] * 501), "501 tips; there may be 500"),
    "two mistakes": ("one\n1. two\n2.\n", "2 mistakes: line 1: has no number, as other lines have"),
    "no text": (b"0. \xff\n", "is no text in UTF-8: invalid start byte at byte 3"),
}
BAD_SHORTCUTS: Mapping[str, tuple[Any, str]] = {
    "no json": ('{"a": 1,\n "b" 2}', "line 2: no JSON"),
    "a list": ([], "no object that holds shortcuts by their names"),
    "twice": ('{"A": 1, "A": 2}', "the key 'A' stands twice in one object"),
    "no entry": ({"A": 1}, "A: must be a mapping"),
    "another name within": ({"Other": SEARCH}, "Other: name: it is 'Open_and_Search' within"),
    "no name": (entry(name="Tap me"), "Tap me: name: "),
    "an atom's name": (entry(name="Tap"), "Tap: that is the name of an action"),
    "no precondition": (entry(precondition=...), "Open_and_Search: precondition: is missing"),
    "says nothing": (entry(precondition="None"), "Open_and_Search: its precondition says nothing"),
    "unknown key": (entry(preconditions="x"), "Open_and_Search: unknown key 'preconditions'"),
    "long description": (entry(description="x" * 1001), "Open_and_Search: description: "),
    "arguments no list": (entry(arguments="x"), "Open_and_Search: arguments: "),
    "argument no name": (entry(arguments=["x y"]), "Open_and_Search: arguments.0: "),
    "argument unused": (
        entry(arguments=["x", "y", "text", "z"]), "Open_and_Search: nothing is done with its argument 'z'"
    ),
    "no steps": (entry(atomic_action_sequence=[]), "Open_and_Search: atomic_action_sequence: "),
    "13 steps": (steps(*[("Back", None)] * 13), "Open_and_Search: atomic_action_sequence: "),
    "step no object": (entry(atomic_action_sequence=["Back"]), "Open_and_Search: atomic_action_sequence.0: "),
    "no such atom": (steps(("Back", None), ("Fly", {})), "Open_and_Search: step 2 (Fly): no such action"),
    "an answer": (steps(("Answer", {"text": "x"})), "Open_and_Search: step 1 (Answer): no such action"),
    "itself": (steps(("Open_and_Search", None)), "Open_and_Search: step 1 (Open_and_Search): no such action"),
    "unknown argument": (steps(("Enter", {"text": "x"})), "Open_and_Search: step 1 (Enter): takes no 'text'"),
    "lacks an argument": (steps(("Tap", {"x": "x"}), arguments=("x",)), "Open_and_Search: step 1 (Tap): "),
    "a place of one phone": (steps(("Tap", {"x": 5, "y": 6})), "Open_and_Search: step 1 (Tap): x is 5"),
    "maps nested": (steps(("Type", {"text": ["a"]})), "Open_and_Search: atomic_action_sequence.0.arguments_map.text"),
}  # fmt: skip


def written(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    as_text = content if isinstance(content, str | bytes) else json.dumps(content)
    path.write_bytes(as_text if isinstance(as_text, bytes) else as_text.encode())
    return path


def asked(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [*map(str, words), "--json"])
    return done.exit_code, done.output


CASES = [("--tips", name) for name in BAD_TIPS] + [("--shortcuts", name) for name in BAD_SHORTCUTS]


@pytest.mark.parametrize(("option", "name"), CASES)
def test_a_malformed_file_is_refused_at_its_place_and_nothing_of_it_is_taken(
    tmp_path: Path, option: str, name: str
) -> None:
    """Of two files one is good: nothing of that is taken either, and no run begins."""
    content, said = (BAD_TIPS if option == "--tips" else BAD_SHORTCUTS)[name]
    bad = written(tmp_path, "bad", content)
    good = ("--shortcuts", written(tmp_path, "good.json", entry())) if option == "--tips" else (
        "--tips", written(tmp_path, "good.txt", GOOD_TIPS)
    )  # fmt: skip
    memory, out = tmp_path / "fleet.memory", tmp_path / "out"
    tasks = written(tmp_path, "tasks.yaml", "- {id: shop, goal: Open the shop.}\n")
    run = ("run", tasks, "--profile", "e+evo", "--phones", "virtual:1", "--mllm-url", REHEARSED, "--out", out)
    for words in (("memory", "import", memory), run):
        code, output = asked(*words, *good, option, bad)
        assert code == 2, output
        refusal = json.loads(output.splitlines()[-1])["error"]
        assert str(bad) in refusal
        assert said in refusal
        assert "\n" not in refusal
    assert not memory.exists()
    assert not out.exists()


def test_a_memory_that_stands_is_as_it_was_after_a_malformed_file(tmp_path: Path) -> None:
    memory, tips = tmp_path / "fleet.memory", written(tmp_path, "good.txt", GOOD_TIPS)
    assert asked("memory", "import", memory, "--tips", tips)[0] == 0
    before = asked("memory", "list", memory), asked("memory", "history", memory)
    more = written(tmp_path, "more.txt", "0. Scroll for prices.\n")
    wrong = written(tmp_path, "wrong.json", {**entry(), "Other": SEARCH})
    assert asked("memory", "import", memory, "--tips", more, "--shortcuts", wrong)[0] == 2
    assert (asked("memory", "list", memory), asked("memory", "history", memory)) == before


def test_files_of_the_authors_go_in_and_come_out_unchanged(tmp_path: Path) -> None:
    """Numbered tips, literals, their name for an app; ``null`` and an empty map are the same to their code."""
    tips = written(tmp_path, "tips.txt", GOOD_TIPS)
    content = json.dumps(THEIRS, indent=2, ensure_ascii=False)
    assert '"arguments_map": null' in content
    shortcuts = written(tmp_path, "shortcuts.json", f"{content}\n")
    empty = written(tmp_path, "empty.json", content.replace('"arguments_map": null', '"arguments_map": {}'))
    told, routines = tmp_path / "out.txt", tmp_path / "out.json"
    for taken in (shortcuts, empty):
        memory = tmp_path / f"{taken.stem}.memory"
        into = ("memory", "import", memory, "--tips", tips, "--shortcuts", taken, "--size", "1080x2400")
        assert asked(*into)[0] == 0
        code, output = asked("memory", "export", memory, "--tips", told, "--shortcuts", routines, "--size", "1080x2400")
        assert (code, json.loads(output)["left_out"]) == (0, [])
        assert told.read_bytes() == tips.read_bytes()
        assert routines.read_bytes() == shortcuts.read_bytes()


def test_what_is_known_is_nothing_new_and_makes_no_version(tmp_path: Path) -> None:
    memory = tmp_path / "fleet.memory"
    tips, shortcuts = written(tmp_path, "tips.txt", "Scroll for prices.\n"), written(tmp_path, "s.json", entry())
    into = ("memory", "import", memory, "--tips", tips, "--shortcuts", shortcuts)
    assert json.loads(asked(*into)[1])["added"] != []
    before = asked("memory", "list", memory), asked("memory", "history", memory)
    code, output = asked(*into)
    again = json.loads(output)
    assert (code, again["added"], again["changed"], again["changes"]) == (0, [], [], [])
    assert (asked("memory", "list", memory), asked("memory", "history", memory)) == before
    said = CliRunner().invoke(app, [*map(str, into)])
    assert said.stdout == f"nothing new: {memory} knows all of it already\n"


def test_a_file_without_tips_is_told_beside_shortcuts_too(tmp_path: Path) -> None:
    empty, shortcuts = written(tmp_path, "empty.txt", "\n"), written(tmp_path, "s.json", entry())
    code, output = asked("memory", "import", tmp_path / "m", "--tips", empty, "--shortcuts", shortcuts)
    assert code == 2
    assert f"{empty}: holds no tips" in output
    assert not (tmp_path / "m").exists()
