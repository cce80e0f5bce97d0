"""The rehearsed model where it is alone: what it keeps in its own words, its crops, its last question."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.roles.sections import Section, heading
from manyhands.simulator.rehearsal.memory import Memory, remembered
from manyhands.simulator.rehearsal.model import RehearsedModel
from manyhands.simulator.rehearsal.pages import Line, Page
from manyhands.simulator.rehearsal.profiles.chat import choose, complete, operate
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.request import Said, parse_request
from manyhands.simulator.rehearsal.settings import RehearsalSettings
from tests.simulator.rehearsal.scripts import SCRIPTS

OPERATIONS = "\n".join(
    ["Open_App(app)", "Click_Text(text)", "Click_Icon(description, position)", "Type(text)"]
    + [f"{name}()" for name in ("Page_Up", "Page_Down", "Back", "Exit", "Stop")]
)
READING = Reading({Section.GOAL: "Turn on dark mode.", Section.ACTIONS: OPERATIONS})
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="[];=\n", exclude_categories=("Zs", "Cc")), min_size=1)


def page(*texts: tuple[float, float, str], shade: int = 255) -> Page:
    return Page(tuple(Line(text, x, y) for x, y, text in texts), np.full((300, 135, 3), shade, np.uint8))


def answered(action: dict[str, Any], memory: Memory | None = None, thought: str = "") -> Said:
    observation = (memory or Memory()).written()
    return Said("assistant", json.dumps({"observation": observation, "thought": thought, "action": action}))


@given(st.lists(WORDS), st.dictionaries(WORDS, WORDS), st.integers(0, 20))
def test_what_it_keeps_is_read_back(done: list[str], notes: dict[str, str], index: int) -> None:
    memory = Memory(index, "instead", tuple(done), notes)
    assert remembered(f"The screen shows nothing. {memory.written()} And so on.") == memory


def test_it_goes_on_by_what_it_sees_and_wrote() -> None:
    home = page((0.5, 0.5, "Settings"))
    first = operate(READING, [Said("user", "")], SCRIPTS, [home])
    assert first.action.model_dump() == {"name": "Open_App", "app": "Settings"}
    listed = page((0.2, 0.066, "Settings"), (0.3, 0.12, "Search settings"), (0.2, 0.5, "Display"))
    said = [Said("user", ""), Said("assistant", first.model_dump_json()), Said("user", "The screen after it.")]
    second = operate(READING, said, SCRIPTS, [home, listed])
    assert second.action.model_dump() == {"name": "Click_Text", "text": "Display"}


def test_what_was_in_vain_is_not_tried_again() -> None:
    listed = page((0.2, 0.066, "Settings"), (0.3, 0.12, "Search settings"), (0.2, 0.5, "Display"))
    said = [Said("user", ""), answered({"name": "Click_Text", "text": "Display"})]
    told = Said("user", "The screen has not changed since your last operation. Choose another operation.")
    again = operate(READING, [*said, told], SCRIPTS, [listed, listed])
    assert again.action.model_dump() == {"name": "Page_Down"}


def test_it_chooses_the_place_with_the_words_that_it_saw_near() -> None:
    rows = page((0.2, 0.2, "Alice"), (0.8, 0.2, "Call"), (0.2, 0.6, "Bert"), (0.8, 0.6, "Call"))
    thought = 'I tap "Call". Near it: "Bert", "Bert", and it is number 1 of its like from the top.'
    said = [Said("user", ""), answered({"name": "Click_Text", "text": "Call"}, thought=thought), Said("user", "Which?")]
    crops = [page((0.2, 0.5, "Alice"), (0.8, 0.5, "Call")), page((0.2, 0.5, "Bert"), (0.8, 0.5, "Call"))]
    assert choose(said, crops).choice == "2"
    assert choose(said, [rows, rows]).choice == "1"  # of equals the one with the number that it had
    assert choose([Said("user", "")], crops).choice == "1"


@pytest.mark.parametrize(("index", "status"), [(1, "incomplete"), (2, "complete")])
def test_the_last_question_is_answered_by_what_is_done(index: int, status: str) -> None:
    stop = answered({"name": "Stop"}, Memory(index, done=("The page Display is open",)))
    reply = complete(READING, [Said("user", ""), stop, Said("user", "Is everything done?")], SCRIPTS, [page()])
    assert reply.status == status
    assert reply.missing == ("Turn on dark mode" if status == "incomplete" else "")


class NoEyes:
    async def read(self, encoded: bytes) -> Page:
        return page((0.5, 0.5, "Settings"))


@pytest.mark.parametrize(
    ("actions", "task", "key"),
    [
        (OPERATIONS, "You are the operator. The picture shows the screen.", "observation"),
        (OPERATIONS, "You are the operator, and chose Stop.", "missing"),
        (OPERATIONS, "You are the operator, and choose a place.", "choice"),
        ("Tap(x, y)\nOpen_App(app)", "You are the operator. The picture shows the screen.", "expectation"),
    ],
)
async def test_without_a_schema_it_knows_what_is_asked_by_what_it_is_offered(actions: str, task: str, key: str) -> None:
    asked = {Section.ACTIONS: actions, Section.GOAL: "Turn on dark mode.", Section.TASK: task}
    text = "\n".join(f"{heading(section)}\n{body}" for section, body in asked.items())
    picture = {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,AAAA"}}
    body = {"messages": [{"role": "user", "content": [picture, {"type": "text", "text": text}]}]}
    model = RehearsedModel(SCRIPTS, NoEyes(), RehearsalSettings())
    written = await model.answer(parse_request(body, {}))
    assert key in json.loads(written.text.removeprefix("```json").removesuffix("```"))
