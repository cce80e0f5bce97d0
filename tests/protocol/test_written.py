"""YAML that people write: keys that stand twice, and where every part stands."""

from __future__ import annotations

import pickle
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.errors import BadFile, BadInput
from manyhands.protocol.written import Loc, Mistake, Written, parse_yaml, read_yaml

ROOT = Path(__file__).parents[2]
TEXT = """\
first: &shared
  a: 1
  b: [x, {c: 2}]
second:
  <<: *shared
  a: 3
"""


def repeated(text: str) -> tuple[str, ...]:
    with pytest.raises(BadFile) as caught:
        parse_yaml(text, "f").refuse(())
    return caught.value.mistakes


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: 1\nb: 2\na: 3\n", ("line 3: the key 'a' stands here again: it is on line 1 already",)),
        ("{a: 1, a: 2}", ("line 1: the key 'a' stands here again: it is on line 1 already",)),
        ("- x\n- b:\n    a: 1\n    a: 1\n", ("line 4: the key 'a' stands here again: it is on line 3 already",)),
        (
            "a: 1\na: {b: 1,\n b: 2}\na: 3\n",
            (
                "line 2: the key 'a' stands here again: it is on line 1 already",
                "line 3: the key 'b' stands here again: it is on line 2 already",
                "line 4: the key 'a' stands here again: it is on line 1 already",
            ),
        ),
        ('{"a": 1, "a": 2}', ("line 1: the key 'a' stands here again: it is on line 1 already",)),
    ],
)
def test_a_key_that_stands_twice_is_told_with_both_lines(text: str, told: tuple[str, ...]) -> None:
    assert repeated(text) == told


@pytest.mark.parametrize("text", [TEXT, "a: &x {b: 1}\nc: *x\nd: *x\n", "1: a\n'1': b\n", "a: &a [*a]\n", ""])
def test_what_stands_once_is_read_as_ever(text: str) -> None:
    read = parse_yaml(text, "f")
    read.refuse(())
    expected = yaml.safe_load(text)
    assert str(read.data) == str(expected)


@pytest.mark.parametrize(
    ("loc", "line"),
    [
        (("first",), 1),
        (("first", "a"), 2),
        (("first", "b", 1, "c"), 3),
        (("second", "a"), 6),
        (("second", "b"), 3),
        (("second", "gone", "deeper"), 4),
        (("gone",), None),
        ((), None),
    ],
)
def test_every_part_has_its_line(loc: Loc, line: int | None) -> None:
    assert parse_yaml(TEXT, "f").line(loc) == line


def test_mistakes_are_told_in_the_order_of_their_lines_and_once() -> None:
    read = parse_yaml("a: 1\nb: 2\na: 3\n", "f.yaml")
    with pytest.raises(BadFile) as caught:
        read.refuse([Mistake((), "everywhere"), Mistake(("b",), "is odd"), Mistake(("b",), "is odd")])
    again = "line 3: the key 'a' stands here again: it is on line 1 already"
    assert caught.value.mistakes == ("line 2: is odd", again, "everywhere")
    assert str(caught.value) == f"f.yaml: 3 mistakes: line 2: is odd; {again}; everywhere"
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.mistakes) == (str(caught.value), caught.value.mistakes)


@pytest.mark.parametrize(
    "text",
    [
        "a: b: c",
        "[",
        "\t- x",
        "{[1]: 2}",
        "!!python/object:os.x {}",
        "2024-99-99",
        "[" * 3000,
        "!!bool x",
        "!!int ''",
        "!!timestamp x",
    ],
)
def test_what_is_no_yaml_is_bad_input(text: str) -> None:
    with pytest.raises(BadInput, match=r"^f: "):
        parse_yaml(text, "f")


@given(st.text(max_size=60) | st.text(alphabet="ab:-[]{}&*<, \n\"'#!|", max_size=60))
def test_any_text_is_read_or_bad_input(text: str) -> None:
    try:
        read = parse_yaml(text, "f")
    except BadInput:
        return
    assert isinstance(read, Written)


def test_files_that_cannot_be_read_are_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        read_yaml(tmp_path / "gone.yaml")
    (tmp_path / "odd.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="not YAML"):
        read_yaml(tmp_path / "odd.yaml")


def test_no_file_of_ours_has_a_key_twice(tmp_path: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "*.yaml"], cwd=ROOT, capture_output=True, text=True, check=True)
    twice: dict[str, list[str]] = {}
    for name in listed.stdout.split():
        for document in re.split(r"^---$", (ROOT / name).read_text(), flags=re.MULTILINE):  # Kubernetes' have several
            (tmp_path / "one.yaml").write_text(document)
            twice.setdefault(name, []).extend(read_yaml(tmp_path / "one.yaml").repeated)
    assert len(twice) > 10
    assert {name: mistakes for name, mistakes in twice.items() if mistakes} == {}
