"""A selector that fits no phone is explained by the labels that there are."""

from __future__ import annotations

from manyhands.deploy.fleet.phones.phone_labels import explain_misfits, has_selectors
from manyhands.protocol.tasks.task import TaskSpec

PHONES = {
    "p0": {"serial": "p0", "model": "Pixel 8", "android": "14", "app:Maps": "11.2", "app:com.google.maps": "11.2"},
    "p1": {"serial": "p1", "model": "Pixel 8", "android": "13", "app:Mail": ""},
    "p2": {"serial": "p2", "model": "Pixel 7", "lab": "north"},
}


def task(id: str, phones: str = "") -> TaskSpec:
    return TaskSpec(id=id, goal="g", phones=phones)


def test_what_fits_some_phone_needs_no_words() -> None:
    assert explain_misfits([task("a"), task("b", "model=pixel 8, android>=14"), task("c", "serial=p2")], PHONES) == ""
    assert not has_selectors([task("a")])
    assert has_selectors([task("a"), task("b", "lab")])


def test_the_message_names_the_selector_and_what_there_is() -> None:
    said = explain_misfits([task("a"), task("b", "model=Pixel 9, app:Map>=1"), task("c", "app:Mail>=2")], PHONES)
    assert said == (
        "task b: phones 'model=Pixel 9, app:Map>=1' fits no phone of this run (model is Pixel 8 on 2 phones, Pixel 7; "
        "no phone has app:Map, did you mean app:Maps or app:Mail?); "
        "task c: phones 'app:Mail>=2' fits no phone of this run (app:Mail is unknown). "
        "Labels of these phones: android, lab, model, serial, app:NAME (3 names)"
    )


def test_tasks_with_one_selector_are_told_once_and_many_are_counted() -> None:
    said = explain_misfits([task(f"t{number}", "colour=red") for number in range(9)], PHONES)
    assert said.startswith("9 tasks (t0, t1, t2, t3, t4, t5, ...): phones 'colour=red' fits no phone of this run (no ")
    said = explain_misfits([task(f"t{number}", f"lab>{number}, z") for number in range(9)], {})
    assert "and 3 other selectors" in said
    assert said.endswith("Labels of these phones: none")
