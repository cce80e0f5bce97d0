"""Tips and shortcuts in the files of Mobile-Agent-E's code: out and in again, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.memory import initial_memory, read_shortcuts, read_tips, write_shortcuts, write_tips
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.memory import LONGEST_TIP, Shortcut, ShortcutStep

SEARCH: dict[str, Any] = {
    "name": "Open_and_Search",
    "arguments": ["x", "y", "text"],
    "description": "Open the shop and search.",
    "precondition": "The home screen is shown.",
    "atomic_action_sequence": [
        {"name": "Open_App", "arguments_map": {"app_name": "Shop"}},
        {"name": "Tap", "arguments_map": {"x": "x", "y": "y"}},
        {"name": "Type", "arguments_map": {"text": "text"}},
        {"name": "Enter", "arguments_map": None},
    ],
}


def file(folder: Path, content: Any) -> Path:
    path = folder / "file"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def entry(**changes: Any) -> dict[str, Any]:
    changed = {**SEARCH, **changes}
    return {changed["name"]: {key: value for key, value in changed.items() if value is not ...}}


def steps(*sequence: tuple[str, Any], arguments: tuple[str, ...] = ()) -> dict[str, Any]:
    written = [{"name": name, "arguments_map": mapped} for name, mapped in sequence]
    return entry(arguments=list(arguments), atomic_action_sequence=written)


# ---------------------------------------------------------------------------- out and in again
WORDS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20)


@given(st.lists(st.lists(WORDS, min_size=1, max_size=5).map(" ".join), max_size=20))
def test_tips_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, tips: list[str]) -> None:
    path = file(tmp_path_factory.mktemp("tips"), write_tips(tips))
    assert list(read_tips(path)) == tips
    assert write_tips(read_tips(path)) == path.read_text(encoding="utf-8")


def test_what_is_clicked_by_words_may_stand_in_a_file(tmp_path: Path) -> None:
    clicked = (("Click_Text", {"text": "Save"}), ("Click_Icon", {"icon": "icon", "position": "top right"}))
    (shortcut,) = read_shortcuts(file(tmp_path, steps(*clicked, arguments=("icon",))))
    assert [step.name for step in shortcut.steps] == ["Click_Text", "Click_Icon"]
    assert read_shortcuts(file(tmp_path, write_shortcuts([shortcut]))) == (shortcut,)


def test_initial_memory_comes_back_as_it_was(tmp_path: Path) -> None:
    memory = initial_memory()
    assert read_tips(file(tmp_path, write_tips(memory.tips))) == memory.tips
    assert read_shortcuts(file(tmp_path, write_shortcuts(memory.shortcuts))) == memory.shortcuts


def test_a_file_of_theirs_is_read_with_null_maps_and_literals_and_written_again(tmp_path: Path) -> None:
    (shortcut,) = read_shortcuts(file(tmp_path, entry()))
    assert shortcut == Shortcut(
        name="Open_and_Search",
        arguments=("x", "y", "text"),
        description="Open the shop and search.",
        precondition="The home screen is shown.",
        steps=(
            ShortcutStep(name="Open_App", arguments_map={"app": "Shop"}),
            ShortcutStep(name="Tap", arguments_map={"x": "x", "y": "y"}),
            ShortcutStep(name="Type", arguments_map={"text": "text"}),
            ShortcutStep(name="Enter"),
        ),
    )
    assert json.loads(write_shortcuts([shortcut])) == entry()


def test_tips_need_no_numbers(tmp_path: Path) -> None:
    content = "Close what covers the screen.\n\n  Scroll for more.  \n3 phones share one account.\n"
    told = read_tips(file(tmp_path, content))
    assert told == ("Close what covers the screen.", "Scroll for more.", "3 phones share one account.")
    assert read_tips(file(tmp_path, write_tips(told))) == told


# ---------------------------------------------------------------------------- what is refused
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("0. one\nand more\n", "line 2: has no number, as other lines have"),
        ("0. one\n1. \n", "line 2: the tip is empty"),
        (f"0. {'x' * (LONGEST_TIP + 1)}", "line 1: 1001 characters; a tip may have 1000"),
        ("".join(f"{number}. tip\n" for number in range(501)), "501 tips; there may be 500"),
        ("one\n1. two\nthree", "2 mistakes: line 1: .*; line 3: "),
        (b"0. \xff", "is no text in UTF-8: invalid start byte at byte 3"),
    ],
)
def test_tips_that_are_none_are_refused(tmp_path: Path, content: str | bytes, said: str) -> None:
    with pytest.raises(BadInput, match=f"^{tmp_path}/file: {said}"):
        read_tips(file(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"a": 1,\n "b" 2}', "line 2: no JSON: Expecting ':' delimiter"),
        ("[" * 100_000, "is nested too deeply"),
        (f'{{"A": {"1" * 5000}}}', "no JSON: Exceeds the limit"),
        ('{"A": {"name": NaN}}', "no JSON: NaN is no number"),
        ([], "no object that holds shortcuts by their names"),
        ('{"A": {"name": "A"}, "A": 1}', "2 mistakes: the key 'A' stands twice"),
        ({"A": 1}, "A: must be a mapping"),
        ({"Other": SEARCH}, "Other: name: it is 'Open_and_Search' within"),
        (entry(precondition=...), "Open_and_Search: precondition: is missing"),
        (entry(preconditions="x"), "Open_and_Search: unknown key 'preconditions'; did you mean 'precondition'"),
        (entry(precondition=" None. "), "Open_and_Search: its precondition says nothing"),
        (entry(precondition="!"), "Open_and_Search: its precondition says nothing"),
        (entry(description="x" * 1001), "Open_and_Search: description: "),
        (entry(name="Tap me"), "Tap me: name: "),
        (entry(name="tap"), "tap: that is the name of an action"),
        (entry(name="Click_Text"), "Click_Text: that is the name of an action"),
        (entry(arguments=["x", "x", "y", "text"]), "Open_and_Search: the argument 'x' stands twice"),
        (entry(arguments=["x", "y", "text", "other"]), "Open_and_Search: nothing is done with its argument 'other'"),
        (entry(arguments=["x y"]), "Open_and_Search: arguments.0: "),
        (entry(atomic_action_sequence=[]), "Open_and_Search: atomic_action_sequence: "),
        (steps(*[("Back", None)] * 13), "Open_and_Search: atomic_action_sequence: "),
        (steps(("Fly", {})), r"Open_and_Search: step 1 \(Fly\): no such action"),
        (steps(("Back", {}), ("Answer", {"text": "x"})), r"Open_and_Search: step 2 \(Answer\): no such action"),
        (steps(("Open_and_Search", {})), "Open_and_Search: step 1 .*: no such action"),
        (steps(("Tap", {"x": 5, "y": 6})), r"Open_and_Search: step 1 \(Tap\): x is 5, a place on the screen of one"),
        (steps(("Tap", {"x": "x"}), arguments=("x",)), "Open_and_Search: step 1 .*y"),
        (steps(("Enter", {"text": "x"})), "Open_and_Search: step 1 .*takes no 'text'"),
        (steps(("Wait", {"seconds": "long"})), "Open_and_Search: step 1 .*seconds"),
        (steps(("Tap", {"x": "a", "y": "a"}), arguments=("a",)), "Open_and_Search: .*'a' for different things"),
    ],
)
def test_shortcuts_that_are_none_are_refused(tmp_path: Path, content: Any, said: str) -> None:
    with pytest.raises(BadInput, match=f"^{tmp_path}/file: {said}"):
        read_shortcuts(file(tmp_path, content))


def test_all_entries_are_judged_and_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    content = entry(precondition="none") | {"Other": SEARCH}
    with pytest.raises(BadInput, match=r"2 mistakes: Open_and_Search: its precondition .*; Other: name: "):
        read_shortcuts(file(tmp_path, content))
    for read in (read_tips, read_shortcuts):
        with pytest.raises(BadInput, match="missing: No such file or directory"):
            read(tmp_path / "missing")
