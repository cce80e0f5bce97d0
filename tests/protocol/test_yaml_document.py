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
from manyhands.protocol.utilities.yaml_document import Loc, YamlDocument, YamlProblem, parse_yaml, read_yaml

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


@pytest.mark.parametrize("text", [TEXT, "a: &x {b: 1}\nc: *x\nd: *x\n", "1: a\n'1': b\n", ""])
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
    assert parse_yaml(TEXT, "f").find_line(loc) == line


def test_mistakes_are_told_in_the_order_of_their_lines_and_once() -> None:
    read = parse_yaml("a: 1\nb: 2\na: 3\n", "f.yaml")
    with pytest.raises(BadFile) as caught:
        read.refuse([YamlProblem((), "everywhere"), YamlProblem(("b",), "is odd"), YamlProblem(("b",), "is odd")])
    again = "line 3: the key 'a' stands here again: it is on line 1 already"
    assert caught.value.mistakes == ("line 2: is odd", again, "everywhere")
    assert str(caught.value) == f"f.yaml: 3 mistakes: line 2: is odd; {again}; everywhere"
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.mistakes) == (str(caught.value), caught.value.mistakes)


@pytest.mark.parametrize(
    "text",
    [
        "a: 1" + ":0" * 190 + ".5",
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
    assert isinstance(read, YamlDocument)


def bomb(levels: int, width: int = 9) -> str:
    """Return lists of aliases of lists: as many as ``width ** levels`` values in ``levels`` lines."""
    rows = (f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * width)}]" for level in range(1, levels))
    return "\n".join([f"a0: &a0 [{', '.join(['x'] * width)}]", *rows]) + "\n"


def said_of(text: str) -> str:
    """Return the one mistake of a document."""
    with pytest.raises(BadFile) as caught:
        parse_yaml(text, "f")
    (mistake,) = caught.value.mistakes
    return mistake


_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20) | st.dates()
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
)


@given(_VALUES, st.sampled_from([True, False, None]))
def test_values_are_read_as_by_pyyaml(value: object, style: bool | None) -> None:
    text = yaml.safe_dump(value, default_flow_style=style, allow_unicode=True)
    assert parse_yaml(text, "a.yaml").data == yaml.safe_load(text) == value


def test_aliases_that_stand_for_millions_of_values_are_refused_by_their_line() -> None:
    told = r"line 8: aliases of this stand for too much: .* \d+ values .*, over the limit of 100,000"
    assert re.match(told, said_of(bomb(9)))
    long = f"a: &a {'x' * 10**6}\nb: [{', '.join(['*a'] * 1000)}]\n"
    assert said_of(long).startswith("line 1: aliases of this stand for too much")
    rows = (f"m{n}: &m{n}\n  <<: [{', '.join([f'*m{n - 1}'] * 9)}]\n" for n in range(1, 9))
    merges = "m0: &m0 {k: 1}\n" + "".join(rows)
    assert "aliases of this stand for too much" in said_of(merges)


def test_an_alias_within_what_it_stands_for_is_refused() -> None:
    assert said_of("a: 1\nb: &b [*b]\n") == (
        "line 2: an alias stands for what it is a part of, so the document has no end"
    )


def test_aliases_cannot_nest_what_brackets_may_not() -> None:
    chain = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 5000))
    assert re.match(r"line \d+: is nested more than 100 deep, which is the limit", said_of(chain))
    assert said_of("a:\n  " + "[{a: " * 10**5) == "line 2: is nested more than 100 deep, which is the limit"
    assert parse_yaml("[" * 90 + "]" * 90, "f").data


def test_a_number_too_long_to_work_out_is_refused() -> None:
    assert said_of("a: 1" + ":59" * 400_000).startswith("line 1: a number of 1200001 digits; 400 is the limit")
    assert parse_yaml("a: 1:30", "f").data == {"a": 90}


def test_many_tasks_may_share_a_part_by_aliases() -> None:
    shared = "- &shared {a: [1, 2, 3, 4, 5], b: {c: [6, 7]}}\n"
    assert len(parse_yaml(shared + "- {id: x, extra: *shared}\n" * 8000, "f").data) == 8001


@given(st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=12), min_size=1, max_size=14))
def test_what_aliases_stand_for_is_within_its_limit_or_refused(rows: list[list[int]]) -> None:
    sizes = [1]
    lines = ["- &a0 x"]
    for number, row in enumerate(rows, start=1):
        lines.append(f"- &a{number} [{', '.join(f'*a{item % number}' for item in row)}]")
        sizes.append(1 + sum(sizes[item % number] for item in row))
    by_aliases = sum(sizes) - len(sizes)
    try:
        read = parse_yaml("\n".join(lines), "f").data
    except BadFile:
        assert by_aliases > 100_000
    else:
        assert by_aliases <= 100_000
        assert len(read) == len(sizes)


def test_a_file_without_end_is_refused_by_its_size() -> None:
    with pytest.raises(BadInput, match=r"^/dev/zero: is over the limit of 16 MiB for a YAML file"):
        read_yaml(Path("/dev/zero"))


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
