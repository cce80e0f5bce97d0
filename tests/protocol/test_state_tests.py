"""Tests of what any phone tells: each kind true, false and unanswerable, and the words that people read."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from manyhands.protocol.tasks.predicates import Evidence, Predicate, Unanswered, evaluate, sources
from manyhands.protocol.tasks.unmet_tests import unmet_tests

READ: TypeAdapter[Predicate] = TypeAdapter(Predicate)
SMS = {"sms": [{"address": "+1 555", "contact": "Emma", "body": "Lunch at noon?", "box": "sent", "read": True}]}
UI = {"ui": [{"text": "Wi-Fi", "class": "android.widget.Switch", "checked": True}, {"text": "Sound", "checked": False}]}
SETTINGS = {"settings": {"global": {"airplane_mode_on": "1"}, "system": {}, "secure": {}}}
APPS = {"apps": [{"package": "com.a", "version": 7, "front": True, "running": True}]}
FILE = {"file": {"exists": True, "size": 12, "content": "total: 42"}}


@pytest.mark.parametrize(
    ("written", "answer", "expected", "told"),
    [
        ({"sms": {"contact": "Emma", "body": {"contains": "lunch"}, "box": "sent"}}, SMS, True, None),
        (
            {"sms": {"contact": "Emma", "body": {"contains": "dinner"}}},
            SMS,
            False,
            'expected an SMS whose contact is "Emma" and body contains "dinner"; '
            'found contact "Emma", body "Lunch at noon?"',
        ),
        ({"sms": {"read": False}}, {"sms": []}, False, "expected an SMS whose read is false; found none"),
        ({"ui": {"text": "Wi-Fi", "checked": True, "class": {"matches": "switch$"}}}, UI, True, None),
        (
            {"ui": {"text": "Sound", "checked": True}},
            UI,
            False,
            'expected a node of the screen whose text is "Sound" and checked is true; '
            'found text "Sound", checked false',
        ),
        ({"setting": {"name": "global.airplane_mode_on", "value": 1}}, SETTINGS, True, None),
        (
            {"setting": {"name": "global.airplane_mode_on", "value": "0"}},
            SETTINGS,
            False,
            'expected the setting global.airplane_mode_on whose value is "0"; found value "1"',
        ),
        (
            {"ui": {"text": {"contains": "555-0199"}}},
            {"ui": [{"text": text} for text in ("Golden Crumb, 555-0143", "Milk", "Bread", "Wi-Fi")]},
            False,
            'expected a node of the screen whose text contains "555-0199"; '
            'found none of 4, such as text "Golden Crumb, 555-0143"',
        ),
        ({"setting": {"name": "system.no_such", "exists": False}}, SETTINGS, True, None),
        ({"setting": {"name": "global.airplane_mode_on", "value": {"at_least": 1}}}, SETTINGS, True, None),
        ({"setting": {"name": "global.airplane_mode_on", "value": {"at_most": 0.5}}}, SETTINGS, False, None),
        ({"app": {"package": "com.a", "front": True, "version": {"at_least": 7}}}, APPS, True, None),
        ({"app": {"package": "com.b", "installed": False}}, APPS, True, None),
        (
            {"app": {"package": "com.b", "installed": True}},
            APPS,
            False,
            "expected the app com.b with installed is true; found that it is not installed",
        ),
        ({"file": {"path": "a/b.txt", "content": {"matches": r"\b42\b"}, "size": {"at_most": 99}}}, FILE, True, None),
        ({"file": {"path": "a", "exists": True}}, {"file": {"exists": False, "size": None}}, False, None),
        ({"property": {"name": "ro.x", "value": "1"}}, {"properties": [{"name": "ro.x", "value": "1"}]}, True, None),
        ({"property": {"name": "ro.y", "value": "1"}}, {"properties": []}, False, None),
        ({"notification": {"title": {"contains": "mail"}}}, {"notifications": [{"title": "New Mail"}]}, True, None),
        ({"contact": {"name": "Ann"}}, {"contacts": [{"name": "Bob", "number": "1"}]}, False, None),
        ({"call": {"kind": "outgoing", "seconds": 0}}, {"calls": [{"kind": "outgoing", "seconds": 0}]}, True, None),
        ({"calendar": {"title": "Dentist"}}, {"calendar": [{"title": "Dentist"}]}, True, None),
        ({"clipboard": {"text": "abc"}}, {"clipboard": {"text": "abcd"}}, False, None),
        ({"shell": {"line": "id", "output": "x", "code": 0}}, {"shell": {"output": "x", "code": 0}}, True, None),
        ({"screen": {"text": {"contains": "saved"}}}, {"screen": [{"icon": "back"}, {"text": "Saved."}]}, True, None),
        ({"screen": {"icon": "heart"}}, {"screen": [{"text": "heart"}]}, False, None),
    ],
)  # fmt: skip
def test_each_kind_tells_true_from_false(written: Any, answer: Any, expected: bool, told: str | None) -> None:
    predicate = READ.validate_python(written)
    (source,) = sources(predicate)
    evidence = Evidence(answers={source: answer})
    assert evaluate(predicate, evidence) is expected
    if told is not None:
        assert [str(one) for one in unmet_tests(predicate, evidence)] == [told]
    assert evaluate(predicate, Evidence(answers={source: Unanswered("the shell may not")})) is None
    (test,) = unmet_tests(predicate, Evidence(answers={source: Unanswered("the shell may not")}))
    assert test.found == "nothing, for it could not be asked: the shell may not"


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ({"sms": {}}, "says nothing about an SMS: give one of address, contact, body"),
        ({"sms": {"bdy": "x"}}, "bdy"),
        ({"sms": {"body": {"contains": "a", "equals": "b"}}}, "exactly one of equals, contains, matches"),
        ({"sms": {"body": "a"}, "ui": {"text": "b"}}, "names exactly one of"),
        ({"setting": {"name": "airplane_mode_on", "value": "1"}}, "begins with system., secure. or global."),
        ({"sms": {"box": "outbox"}}, 'a phone tells of inbox and sent alone, and none of them is "outbox"'),
        ({"sms": {"box": {"contains": "draft"}}}, 'none of them contains "draft"'),
        ({"file": {"path": "../etc/passwd", "exists": True}}, "relative to shared storage"),
        ({"app": {"package": "a.b", "version": "new"}}, "version"),
        ({"answer": {"path": "a.b"}}, "answer needs exactly one of"),
    ],
)
def test_what_cannot_be_tested_is_refused(written: Any, complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        READ.validate_python(written)


def test_sources_that_forms_share_are_asked_once_and_lines_and_paths_are_encoded() -> None:
    predicate = READ.validate_python(
        {
            "all": [
                {"ui": {"text": "a"}},
                {"not": {"ui": {"text": "b"}}},
                {"file": {"path": "DCIM/my photo.jpg", "exists": True}},
                {"any": [{"shell": {"line": "ls /sdcard; id", "code": 0}}, {"answer": {"equals": "42"}}]},
                {"path": "a.b", "exists": True},
            ]
        }
    )
    assert sources(predicate) == (
        "phone://state/ui",
        "phone://file/DCIM/my%20photo.jpg",
        "phone://shell/bHMgL3NkY2FyZDsgaWQ",
        "episode://answer",
    )


@pytest.mark.parametrize(
    ("written", "answer", "expected", "found"),
    [
        ({"contains": "42"}, "It is 42.", True, None),
        ({"equals": "42"}, "It is 42.", False, '"It is 42."'),
        ({"equals": "42"}, None, False, "no answer"),
        ({"path": "price", "at_most": 9.5}, '{"price": 9.5}', True, None),
        ({"path": "rows.*.name", "equals": "B"}, '{"rows": [{"name": "A"}, {"name": "B"}]}', True, None),
        ({"path": "price", "equals": 1}, "one dollar", False, 'the answer "one dollar"'),
    ],
)
def test_an_answer_is_tested_as_text_or_as_json(written: Any, answer: Any, expected: bool, found: str | None) -> None:
    predicate = READ.validate_python({"answer": written})
    evidence = Evidence(answers={"episode://answer": answer})
    assert evaluate(predicate, evidence) is expected
    assert [test.found for test in unmet_tests(predicate, evidence)] == ([] if found is None else [found])


def test_what_is_undecided_decides_only_what_depends_on_it() -> None:
    known, unknown = {"path": "a", "equals": 1}, {"ui": {"text": "x"}}
    evidence = Evidence({"a": 1}, {"phone://state/ui": Unanswered("away")})
    for written, expected in (
        ({"any": [known, unknown]}, True),
        ({"all": [known, unknown]}, None),
        ({"all": [{"not": known}, unknown]}, False),
        ({"not": unknown}, None),
    ):
        assert evaluate(READ.validate_python(written), evidence) is expected
