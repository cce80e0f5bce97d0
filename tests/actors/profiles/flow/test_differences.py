"""A flow alone, on virtual phones that differ from the one of its recording: it does all, or asks and says why.

Nothing wrong is touched: the phones tell what each touch reached, and what has changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
import yaml

from manyhands.actors.perception.view_tree import read_tree
from manyhands.actors.phones.adb.shell import ShellResult
from manyhands.actors.phones.adb.view_tree import read_views
from manyhands.actors.policy.letters import normalise
from manyhands.actors.profiles.flow.stages import FlowPlace, choose_move, find_sources
from manyhands.actors.profiles.flow.targets import DISMISSALS
from manyhands.protocol.profiles.flow import FlowMove
from manyhands.protocol.screens.actions import AtomicAction, Back, Enter, LongPress, OpenApp, Swipe, Tap, Type, Wait
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element, Keyboard, Screen, Screenshot
from manyhands.protocol.tasks.predicates import holds
from manyhands.protocol.tasks.side_effects import unexpected_changes
from manyhands.protocol.tasks.task import parse_tasks
from manyhands.protocol.utilities.yaml_document import parse_yaml
from manyhands.simulator.phone.content.planted import PlantedContent, PlantedLibrary
from manyhands.simulator.phone.keycodes import KEY_CODES
from manyhands.simulator.shell.commands.uiautomator import as_xml, compressed
from tests.actors.profiles.flow.differences import DIFFERENCES, SEEDS, Difference, suite
from tests.simulator.phone.hand import Hand

SIZE = Size(width=720, height=1600)
MOST_MOVES = 60
CONTENT = "0" * 32
TASKS = {task.id: task for task in parse_tasks(parse_yaml(yaml.safe_dump(suite(), allow_unicode=True), "suite"))}


@dataclass
class Play:
    """A flow that is carried out on a virtual phone until it is at its end, or only an agent could go on."""

    one: Difference
    hand: Hand = field(init=False)
    moves: list[tuple[FlowMove, Sequence[str]]] = field(default_factory=list)
    """The moves, each with what it reached."""

    def __post_init__(self) -> None:
        planted = PlantedContent.model_validate(dict(self.one.planted))
        seed = SEEDS[self.one.name]
        self.hand = Hand(seed, SIZE.width, SIZE.height, 280, lambda seed: PlantedLibrary(seed, planted))
        self.before = self.hand.phone.lasting_state()

    def run(self) -> FlowMove:
        """Return the last move."""
        task, place = TASKS[self.one.name], FlowPlace(0)
        last: Sequence[Element] = ()
        assert task.flow is not None
        for _ in range(MOST_MOVES):
            screenshot, screen = self._look()
            place = replace(place, sources=place.sources | find_sources(task.flow, screen))
            is_unchanged, last = screen.elements == last, screen.elements
            move = choose_move(task.flow, place, screenshot, screen, is_unchanged)
            if move.action is None or move.kind == "end":
                return move
            self._act(move.action)
            self.moves.append((move, self.hand.phone.take_reached()))
            place = self._after(place, move)
        raise AssertionError(f"{self.one.name}: {self.moves[-3:]}")

    def _look(self) -> tuple[Screenshot, Screen]:
        phone = self.hand.phone
        app = phone.focus().partition("/")[0]
        root = phone.hierarchy()
        assert root is not None
        dump = as_xml(compressed(root), app).encode()

        async def ask(line: str) -> ShellResult:
            return ShellResult(dump, b"", 0)

        elements = read_tree(asyncio.run(read_views(ask)), SIZE).elements
        keyboard: Keyboard = "shown" if phone.keyboard_shown() else "hidden"
        shot = Screenshot(
            content_id=CONTENT, size=SIZE, serial="phone", taken_at=0, capture_ms=0, keyboard=keyboard, app=app
        )
        return shot, Screen(content_id=CONTENT, size=SIZE, elements=elements, keyboard=keyboard)

    def _act(self, action: AtomicAction) -> None:
        phone = self.hand.phone
        match action:
            case OpenApp(app=label):
                package = next((one.package for one in phone.apps() if one.label == label), None)
                if package is not None:
                    phone.launch(package)
            case Tap(x=x, y=y):
                phone.tap(x, y)
            case LongPress(x=x, y=y, ms=ms):
                phone.long_press(x, y, ms)
            case Swipe():
                phone.swipe(action.x1, action.y1, action.x2, action.y2, 400)
            case Type(text=text, clear=clear):
                if clear:
                    phone.ime_clear()
                phone.ime_commit(text)
            case Back() | Enter():
                phone.key(KEY_CODES[action.name.upper()])
            case Wait(seconds=seconds):
                self.hand.wait(seconds)
        self.hand.wait()

    @staticmethod
    def _after(place: FlowPlace, move: FlowMove) -> FlowPlace:
        match move.kind:
            case "step":
                return FlowPlace(move.step + 1, sources=place.sources)
            case "wait":
                return replace(place, waits=place.waits + 1)
            case "scroll":
                return replace(place, scrolls=place.scrolls + 1)
        return replace(place, dismissals=place.dismissals + 1)


@pytest.mark.parametrize("one", DIFFERENCES, ids=lambda one: one.name)
def test_a_flow_alone_does_all_or_asks_and_touches_nothing_wrong(one: Difference) -> None:
    play, task = Play(one), TASKS[one.name]
    assert task.flow is not None
    assert task.check is not None
    last, phone = play.run(), play.hand.phone
    assert (last.kind, one.asks in last.reason) == ("agent" if one.asks else "end", True), last
    assert one.asks or holds(task.check.holds, phone.state())
    assert "harm" not in phone.state()
    assert not unexpected_changes(play.before, phone.lasting_state(), task.changes)
    for move, reached in play.moves:
        target = task.flow.steps[move.step].action.target if move.kind == "step" else None
        assert not [what for what in reached for words in one.never if words in what]
        if target is not None and target.kind == "text":
            assert any(target.text in what.replace(" | ", " ") for what in reached), (target.words, reached)
        if move.kind == "dismiss" and isinstance(move.action, Tap):
            assert any(normalise(what.split(" on ")[0]).removeprefix("tap ") in DISMISSALS for what in reached), reached
