"""What an episode's learners are told of it."""

from __future__ import annotations

from manyhands.actors.learning.history import History
from manyhands.protocol.base import Outcome
from manyhands.protocol.roles.memory import LongTermMemory, Shortcut, ShortcutStep
from manyhands.protocol.roles.requests import PastAction
from manyhands.protocol.screens.actions import RunShortcut, Type

SEARCH = Shortcut(
    name="Search",
    arguments=("page", "words"),
    steps=(
        ShortcutStep(name="Click_Text", arguments_map={"text": "page"}),
        ShortcutStep(name="Type", arguments_map={"text": "words"}),
    ),
)


def test_typed_and_noted_texts_are_personal_and_clicked_ones_are_not() -> None:
    did = (
        Type(text="by hand"),
        RunShortcut(shortcut="Search", arguments={"page": "Display", "words": "by a shortcut"}),
        RunShortcut(shortcut="Unknown", arguments={"words": "of one that nobody knows"}),
    )
    past = tuple(
        PastAction(step=step, action=action, outcome=Outcome.A, expectation="", error="")
        for step, action in enumerate(did)
    )
    history = History(
        plan="", progress="", notes="- Oslo: rain\n", past=past, executed=(),
        memory=LongTermMemory(shortcuts=(SEARCH,)), episode="e", serial="s", _shots={}, _answers=("my code is abc",),
    )  # fmt: skip
    assert history.personal_texts == ("by hand", "by a shortcut", "Oslo: rain", "my code is abc")
