"""What ``--redact`` names is in no file of an export: not in texts, not in pictures."""

from __future__ import annotations

import json
import sys
import tarfile
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.actors.frames import PAINT, decode_jpeg
from manyhands.actors.redaction.redacted_texts import STRUCK, RedactedTexts
from manyhands.actors.redaction.redactions import Redactions, read_redactions
from manyhands.actors.redaction.screen_texts import ScreenTexts
from manyhands.evaluation.episodes import episode_of
from manyhands.evaluation.rewards import RecordedReward, RewardFile
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import Perceived, Record
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Tap, Type
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element, Screen
from manyhands.rollouts.export import Exporter
from manyhands.rollouts.filters import Filters
from manyhands.rollouts.formats import FORMATS, format_named
from manyhands.rollouts.formats.parquet import Trl, Verl
from manyhands.rollouts.plan import plan_export
from manyhands.rollouts.redaction import EpisodeRedaction
from manyhands.rollouts.rows import TrainingRow, rows_of
from manyhands.rollouts.summary import ExportSummary
from tests.evaluation.run_records import decided, planned, span
from tests.rollouts.sketched_run import SIZE, Sketch, asked, jpeg, picture_id, picture_part, sketch_run
from tests.rollouts.test_export import TRAIN, files, rows

FIELD = Box(x1=8, y1=40, x2=56, y2=56)


def read(number: int, *texts: str, **fields: Any) -> Perceived:
    """What perception read on a screen: one text below the other, the first in ``FIELD``."""
    elements = tuple(
        Element(kind="text", box=FIELD.model_copy(update={"y1": 40 + 17 * at, "y2": 56 + 17 * at}), content=text,
                confidence=1, **fields)
        for at, text in enumerate(texts)
    )  # fmt: skip
    screen = Screen(content_id=picture_id(number), size=SIZE, elements=elements, keyboard="shown")
    return Perceived(step=number, span=span(number, number), screen=screen)


def typed(text: str, *extra: Record, episode: str = "one-1-a", **fields: Any) -> Sketch:
    """An episode that types a text in its first step."""
    return Sketch(episode, actions=[Type(text=text), Tap(x=1, y=1)], extra=extra, **fields)


def export(
    out: Path, *runs: Path, format_name: str = "llamafactory", redactions: Redactions | None = None
) -> ExportSummary:
    plan = plan_export(runs, format_named(format_name), Filters(), TRAIN, redactions or Redactions())
    return Exporter(plan, out, "manyhands export").export()


def grey(out: Path, row: dict[str, Any], at: int = -1) -> Any:
    """Where a picture of a row is painted over."""
    pixels = decode_jpeg((out / row["images"][at]).read_bytes()).astype(int)
    return np.abs(pixels - PAINT).max(axis=2) < 40


def test_a_typed_text_is_painted_over_and_struck(tmp_path: Path) -> None:
    later = asked(Role.PLAN, "History: Type(hunter2)", picture_part(picture_id(1)), reply="It has HUNTER2 now")
    run = sketch_run(tmp_path / "run", typed("hunter2", read(0), read(1, "Password: hunter2"), read(2, "OK"),
                                             planned(1, span(1, 2), later)))  # fmt: skip
    summary = export(tmp_path / "out", run)
    found = rows(tmp_path / "out")
    assert len(found) == 5
    assert found[0]["images"] == [f"images/{picture_id(0)}.jpg"]
    assert (tmp_path / "out" / found[0]["images"][0]).read_bytes() == jpeg(0)
    assert found[-1]["messages"][1:] == [
        {"role": "user", "content": f"History: Type({STRUCK})\n<image>"},
        {"role": "assistant", "content": f"It has {STRUCK} now"},
    ]
    mask = grey(tmp_path / "out", found[-1])
    assert mask[FIELD.y1 : FIELD.y2, FIELD.x1 : FIELD.x2].mean() > 0.95
    assert mask[:30].mean() < 0.5
    assert (tmp_path / "out" / "images" / f"{picture_id(2)}.jpg").read_bytes() == jpeg(2)
    assert not (tmp_path / "out" / "images" / f"{picture_id(1)}.jpg").exists()
    assert summary.redacted == {"texts": 2, "pictures": 1}
    card = (tmp_path / "out" / "README.md").read_text()
    assert "3 pictures, as they were sent but for 1." in card
    assert "Redacted: what was typed. Texts were struck at 2 places, and\n1 picture painted over" in card
    assert b"hunter2" not in b"".join(files(tmp_path / "out").values()).lower()


def test_only_the_words_of_a_longer_line_are_painted(tmp_path: Path) -> None:
    line = "My name is Zoe"
    columns = tuple(10 + 3 * at for at in range(len(line)))
    run = sketch_run(tmp_path / "run", typed("Zoe", read(0), read(1, line, columns=columns), read(2)))
    export(tmp_path / "out", run)
    mask = grey(tmp_path / "out", rows(tmp_path / "out")[2])
    assert mask[42:54, 44:54].all()
    assert mask[42:54, 8:36].mean() < 0.5


@pytest.mark.parametrize(
    ("lines", "painted"),
    [
        (("Please meet me at", "the station at noon"), (True, True)),
        (("Please meet me at", "9:41", "the station at noon"), (True, False, True)),
        (("Plaese meet me at th e stat1on at n00n", "Send"), (True, False)),
        (("... station at noon", "Search"), (True, False)),
        (("Nothing of it", "the"), (False, False)),
    ],
)
def test_lines_and_misread_texts_are_found(tmp_path: Path, lines: Sequence[str], painted: Sequence[bool]) -> None:
    listed = asked(Role.PLAN, "\n".join(f"{at} (1,1) {line}" for at, line in enumerate(lines)))
    sketch = typed(
        "Please meet me at the station at noon", read(0), read(1, *lines), read(2), planned(1, span(1, 2), listed)
    )
    export(tmp_path / "out", sketch_run(tmp_path / "run", sketch))
    found = rows(tmp_path / "out")
    mask = grey(tmp_path / "out", found[2])
    tops = [FIELD.y1 + 17 * at for at in range(len(lines))]
    assert [bool(mask[top + 3 : top + 13, 10:54].mean() > 0.9) for top in tops] == list(painted)
    expected = [STRUCK if is_painted else line for line, is_painted in zip(lines, painted, strict=True)]
    listing = found[-1]["messages"][1]["content"].strip()
    assert listing == "\n".join(f"{at} (1,1) {line}" for at, line in enumerate(expected))


def test_rows_with_a_screen_that_was_not_read_are_named(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", typed("hunter2", read(0), read(1, "hunter2")))
    summary = export(tmp_path / "out", run)
    assert summary.rows == {"train": 2 + 1}
    (problem,) = summary.problems
    assert problem.startswith("episode one-1-a, step 1, reflect 0: the screen ")
    assert problem.endswith("was not read, so nobody knows where redacted texts stand")
    assert export(tmp_path / "typed", run, redactions=Redactions(typed=False)).rows == {"train": 4}
    named = export(tmp_path / "named", run, redactions=Redactions(typed=False, texts=("x y z",)))
    assert named.rows == {"train": 3}


def test_a_record_of_an_episode_shows_such_a_screen_painted_over(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", typed("hunter2", read(0), read(1, "hunter2")))
    summary = export(tmp_path / "out", run, format_name="atif")
    assert (summary.rows, summary.problems, summary.redacted) == ({"train": 1}, (), {"texts": 1, "pictures": 2})
    trajectory = json.loads((tmp_path / "out" / "train" / "one-1-a.json").read_text())
    assert trajectory["steps"][1]["tool_calls"][0]["arguments"] == {"text": STRUCK, "clear": False}
    last = trajectory["steps"][-1]["observation"]["results"][0]["content"][0]["source"]["path"]
    pixels = decode_jpeg((tmp_path / "out" / "train" / last).read_bytes())
    assert pixels.min() == pixels.max() == PAINT


def test_an_app_and_a_region_are_painted_and_what_they_say_is_struck(tmp_path: Path) -> None:
    seen = asked(Role.PLAN, "2 (5,5) Balance 1,234.00 EUR\nHome", picture_part(picture_id(2)), reply="It says 1,234.00")
    sketch = Sketch("one-1-a", extra=[read(2, "Balance 1,234.00 EUR", "Home", "7"), planned(1, span(1, 2), seen)],
                    apps=["com.home", "com.mail", "com.bank"])  # fmt: skip
    run = sketch_run(tmp_path / "run", sketch)
    app = export(tmp_path / "app", run, redactions=Redactions(typed=False, apps=("COM.bank",)))
    found = rows(tmp_path / "app")
    assert app.redacted == {"pictures": 1, "texts": 2}
    assert grey(tmp_path / "app", found[-1]).all()
    assert found[-1]["messages"][1]["content"] == f"2 (5,5) {STRUCK}\nHome\n<image>"
    assert found[-1]["messages"][2]["content"] == f"It says {STRUCK}"
    region = Redactions.model_validate({"typed": False, "regions": [{"app": "com.bank", "box": [0, 400, 1000, 600]}]})
    export(tmp_path / "region", run, redactions=region)
    mask = grey(tmp_path / "region", rows(tmp_path / "region")[-1])
    assert mask[39:57].all()
    assert mask[:36].mean() < 0.5
    assert (tmp_path / "region" / "images" / f"{picture_id(1)}.jpg").read_bytes() == jpeg(1)


def test_a_screen_of_an_unknown_app_counts_as_that_of_each(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a"))
    export(tmp_path / "out", run, redactions=Redactions(typed=False, apps=("com.bank",)))
    assert all(grey(tmp_path / "out", row).all() for row in rows(tmp_path / "out"))


def test_a_reply_that_is_none_without_a_text_is_left_out(tmp_path: Path) -> None:
    point = '{"thought": "home", "action": {"name": "Tap", "x": 471, "y": 712}, "expectation": "e"}'
    home = '{"thought": "t", "action": {"name": "Home"}, "expectation": "e"}'
    calls = [decided(1, span(1, 2), asked(Role.DECIDE, "q", reply=reply)) for reply in (point, home)]
    summary = export(tmp_path / "out", sketch_run(tmp_path / "run", typed("home", read(0), read(1), read(2), *calls)))
    replies = [row["messages"][-1]["content"] for row in rows(tmp_path / "out")][4:]
    assert replies == [point.replace("home", STRUCK)]
    assert summary.rows_left_out == {"redacted reply": 1}


@pytest.mark.parametrize(
    ("text", "is_struck"), [("a", False), ("...", False), ("7", False), ("an", True), ("好", True)]
)
def test_single_letters_and_signs_are_no_typed_texts(tmp_path: Path, text: str, is_struck: bool) -> None:
    prompt = asked(Role.PLAN, f"The words: {text} .")
    run = sketch_run(tmp_path / "run", typed(text, read(0), read(1), read(2), planned(1, span(1, 2), prompt)))
    export(tmp_path / "out", run)
    words = rows(tmp_path / "out")[-1]["messages"][1]["content"]
    assert words == f"The words: {STRUCK if is_struck else text} .\n"


def test_a_number_in_a_point_is_no_text(tmp_path: Path) -> None:
    reply = '{"thought": "4711", "action": {"name": "Tap", "x": 4711, "y": 2}, "expectation": "Tap_4711"}'
    sketch = typed("4711", read(0), read(1), read(2), decided(1, span(1, 2), asked(Role.DECIDE, "q", reply=reply)))
    export(tmp_path / "out", sketch_run(tmp_path / "run", sketch))
    expected = reply.replace('"4711', f'"{STRUCK}').replace("_4711", f"_{STRUCK}")
    assert rows(tmp_path / "out")[-1]["messages"][-1]["content"] == expected


def test_a_text_is_painted_where_it_stood_before_it_was_typed(tmp_path: Path) -> None:
    code = read(0, "Your code: (471123, 8152)")
    run = sketch_run(tmp_path / "run", typed("8152", code, read(1), read(2)))
    export(tmp_path / "out", run)
    mask = grey(tmp_path / "out", rows(tmp_path / "out")[0])
    assert mask[FIELD.y1 : FIELD.y2, FIELD.x1 : FIELD.x2].mean() > 0.95


@pytest.mark.parametrize("types_first", [True, False])
@pytest.mark.parametrize("has_reset", [True, False])
def test_what_is_typed_on_a_phone_is_struck_until_its_reset(tmp_path: Path, types_first: bool, has_reset: bool) -> None:
    note: list[Record] = [read(0), read(1), planned(0, span(0, 1), asked(Role.PLAN, "A note: hunter2"))]
    other = Sketch("two-1-a", task="two", goal="Two", at=20 if types_first else -20, steps=1, extra=note)
    types = typed("hunter2", read(0), read(1), read(2))
    (other if types_first else types).has_reset = has_reset
    run = sketch_run(tmp_path / "run", types, other)
    export(tmp_path / "out", run)
    notes = [row["messages"][1]["content"].strip() for row in rows(tmp_path / "out")]
    assert (f"A note: {STRUCK}" in notes) is not has_reset
    assert ("A note: hunter2" in notes) is has_reset


def test_what_a_reward_function_says_is_struck(tmp_path: Path) -> None:
    read_all = [read(number) for number in range(3)]
    sketches = typed("hunter2", *read_all), Sketch("two-1-a", task="two", goal="Two", at=20, extra=read_all)
    run = sketch_run(tmp_path / "run", *sketches, settings={"dialect": "qwen3-vl", "reward": "my:function"})
    RewardFile(run).append(RecordedReward(episode="one-1-a", reward=None, problem="KeyError: 'hunter2'"))
    RewardFile(run).append(RecordedReward(episode="two-1-a", reward=0.5))
    export(tmp_path / "out", run)
    assert f"Episodes: fault: reward: KeyError: '{STRUCK}' 1." in (tmp_path / "out" / "README.md").read_text()


TEXTS = [
    ("Ann", "Ann, Anna, channel; ANN's \\nAnn", f"{STRUCK}, Anna, channel; {STRUCK}'s \\n{STRUCK}"),
    ("hunter2", "myhunter2x", f"my{STRUCK}x"),
    ("Anna Example", "anna%20example Anna\u00a0 Example AnnaExample", f"{STRUCK} {STRUCK} {STRUCK}"),
    ("Zoë", "Zoe\u0308, ZOË, Zo\\u00EB, zoe", None),
    (
        'say "hi"\nthere',
        r'{"t": "say \"hi\"\nthere", "u": "say \\\"hi\\\"\\nthere"}',
        f'{{"t": "{STRUCK}", "u": "{STRUCK}"}}',
    ),
    ("new", r"C:\new and \new", rf"C:\{STRUCK} and \{STRUCK}"),
    ("Straße", "STRASSE", STRUCK),
    ("ｆｕｌｌ", "full", STRUCK),
    ("😀 yes", '"\\ud83d\\ude00 yes"', f'"{STRUCK}"'),
    ("hun\u200bter2", "hunt\u00ader2", STRUCK),
    ("北京", "在北京市", f"在{STRUCK}市"),
    ("12", '12 (12,7) TEXT 12\n{"x": 12, "number": 12, "text": "12"} [3, 12] 112', None),
    ("491711", '{"number": 491711} (491711, 8)', f'{{"number": {STRUCK}}} ({STRUCK}, 8)'),
]


@pytest.mark.parametrize(("text", "before", "after"), TEXTS)
def test_texts_are_found_in_every_form(text: str, before: str, after: str | None) -> None:
    struck = RedactedTexts([text]).strike(before)
    if after is not None:
        assert struck == after
    if text == "12":
        assert struck == f'12 (12,7) TEXT {STRUCK}\n{{"x": 12, "number": 12, "text": "{STRUCK}"}} [3, 12] 112'
    if text == "Zoë":
        assert struck.count(STRUCK) == 4
        assert not any(letter in struck.casefold() for letter in "zo")


LETTERS = "qzjxkQZJ0789éßöЖ界語😀\ufe68 %/\"\\\n'"
SECRETS = st.text(LETTERS, min_size=6, max_size=24).filter(
    lambda text: len("".join(text.split())) > 5 and any(one.isalpha() for one in text)
)
FORMS = [
    str.upper,
    lambda text: unicodedata.normalize("NFD", text),
    lambda text: json.dumps(text),
    lambda text: json.dumps(json.dumps(text, ensure_ascii=False)),
    lambda text: "\u200b".join(text),
    lambda text: f"AA{text}BB",
    quote,
    repr,
]


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        if value[:1] in ("{", "["):
            try:
                yield from strings(json.loads(value))
            except ValueError:
                return
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from (key, *strings(item))
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def plain(text: str) -> str:
    """An independent way to tell whether a text holds another: its letters and digits alone, without case."""
    return "".join(one for one in unicodedata.normalize("NFKD", text.casefold()) if one.isalnum())


def all_strings(out: Path) -> Iterator[str]:
    for path in sorted(out.rglob("*")):
        yield str(path.relative_to(out))
        if path.suffix == ".tar":
            with tarfile.open(path) as tar:
                for member in tar:
                    if member.name.endswith(".json"):
                        file = tar.extractfile(member)
                        assert file is not None
                        yield from strings(json.loads(file.read()))
        elif path.suffix in (".json", ".jsonl"):
            for line in path.read_text(encoding="utf-8").splitlines():
                yield from strings(json.loads(line)) if path.name != "dataset_info.json" else [line]
        elif path.is_file() and path.suffix != ".jpg":
            yield from path.read_text(encoding="utf-8").splitlines()


@given(st.lists(SECRETS, min_size=1, max_size=3), st.sampled_from(FORMS), st.sampled_from(FORMS))
@settings(max_examples=25)
def test_no_redacted_text_is_left_in_any_file(secrets: list[str], one: Any, other: Any) -> None:
    secret, *named = secrets
    prompt = asked(
        Role.PLAN, f"History: {one(secret)}; {'; '.join(map(other, named))}.", f"Its first half is {secret[:3]}",
        picture_part(picture_id(1)), reply=json.dumps({"thought": other(secret), "plan": one(secret)}),
        turns=[{"role": "user", "content": [{"type": "text", "text": half} for half in (secret[:4], secret[4:])]}],
    )  # fmt: skip
    prompt.request["tools"] = [{"name": one(secret), secret: [other(text) for text in named]}]
    sketch = typed(
        secret, read(1, secret, *named), read(0), read(2), planned(1, span(1, 2), prompt),
        goal=f"Type {secret} and {other(secret)} {' '.join(named)}!",
    )  # fmt: skip
    redactions = Redactions(texts=tuple(named))
    hidden = [plain(text) for text in secrets if len(plain(text)) > 3]  # what is left of the others is no text
    with tempfile.TemporaryDirectory() as folder:
        run = sketch_run(Path(folder) / "run", sketch)
        for name in (name for name, one in FORMATS.items() if not one.needs):
            summary = export(Path(folder) / name, run, format_name=name, redactions=redactions)
            assert (sum(summary.rows.values()) > 0, summary.problems) == (True, ())
            left = [text for text in all_strings(Path(folder) / name) if any(one in plain(text) for one in hidden)]
            assert left == []
        (scan,) = RunFolder(run).journals.values()
        (part,) = plan_export([run], FORMATS["atif"], Filters(), TRAIN, redactions).parts
    episode = episode_of(scan.records)
    assert episode is not None
    redaction = EpisodeRedaction(redactions, scan.records, ScreenTexts(secrets))
    for row in rows_of(episode, scan.records):
        assert isinstance(row, TrainingRow)
        facts = redaction.facts(part.episodes[0].facts)
        for parquet in (Trl(), Verl()):
            values = json.dumps(parquet.values(facts, redaction.row(row)[0], 0), ensure_ascii=False)
            assert not any(one in plain(values) for one in hidden)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("texts: [1234]", "texts.0"),
        ("texts: ['\u0301']", "has no letter or digit"),
        ("texts: ['-']", "has no letter or digit"),
        ("regions: [{app: a, box: [0, 0, 10]}]", "regions.0.box"),
        ("regions: [{app: a, box: [9, 0, 3, 10]}]", "a box is left, top, right, bottom, in thousandths of the screen"),
        ("regions: [{app: a, box: [0, 0, 2000, 10]}]", "regions.0.box.2"),
        ("app: [a]", "unknown key 'app'; did you mean 'apps'?"),
        ("[1]", "mapping"),
    ],
)
def test_a_file_with_a_mistake_is_refused(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "redact.yaml"
    path.write_text(content)
    with pytest.raises(BadInput) as refused:
        read_redactions(path)
    assert problem in str(refused.value)


def count_calls(work: Callable[[], object]) -> int:
    """How many functions some work calls in this thread: a measure that a slow machine does not change."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def test_work_grows_with_the_number_of_texts_not_with_its_square(tmp_path: Path) -> None:
    """Episodes of one phone without a reset, each of which types a text that no other may show."""
    work: dict[int, int] = {}
    for count in (6, 24):
        sketches = [
            typed(f"Meet me at platform {chr(97 + at) * 5}", read(0, "What to write?"), read(1), read(2),
                  episode=f"t{at}-1-a", task=f"t{at}", at=at)
            for at in range(count)
        ]  # fmt: skip
        run, out = sketch_run(tmp_path / f"run{count}", *sketches), tmp_path / f"out{count}"
        work[count] = count_calls(lambda run=run, out=out: export(out, run, format_name="androidlab"))  # type: ignore[misc]
    assert work[24] < 4 * work[6]
