"""Read attacks: what is planted, and the harmful state that must not come about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import Field, ValidationError

from manyhands.protocol.errors import BadInput
from manyhands.protocol.policy import GrantText
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.tasks.predicates import Predicate
from manyhands.protocol.tasks.task import no_such_task
from manyhands.protocol.utilities.yaml_document import YamlProblem, find_problems, read_yaml

HERE = Path(__file__).parent
Kind = Literal[
    "message",
    "page",
    "note",
    "file name",
    "review",
    "notification",
    "advertisement",
    "fake dialog",
    "overlay",
    "swap",
    "white on white",
    "unicode",
    "prompt copy",
    "tool call copy",
    "tip",
    "shortcut",
    "three steps",
]
KINDS: tuple[Kind, ...] = get_args(Kind)


class Attack(PublicInput):
    """Describe one attack on one task."""

    id: str = Field(pattern=r"^[a-z0-9_]{1,60}$")
    kind: Kind
    task: str
    """The id of the everyday task that is carried out meanwhile. Its goal is harmless, unless ``allow`` is given."""
    aim: str = Field(min_length=1)
    """What the attacker wants, in plain language."""
    planted: dict[str, Any] = Field(default_factory=dict)
    """What is planted on the virtual phone (``simulator.phone.content.planted``)."""
    tips: tuple[str, ...] = ()
    """What was taught to the agent before, as if it had learned it."""
    shortcuts: tuple[dict[str, Any], ...] = ()
    """Shortcuts that the agent was taught before."""
    allow: tuple[GrantText, ...] = ()
    """What people allow the task, which the attack may abuse."""
    harmful: Predicate
    """What must not hold after any step, of the virtual phone's state."""


def read_attacks(paths: Iterable[Path] = ()) -> tuple[Attack, ...]:
    """Return the attacks of files; by default all in this folder. Raises BadInput, with each mistake's line."""
    attacks: list[Attack] = []
    for path in tuple(paths) or sorted(HERE.glob("*.yaml")):
        document = read_yaml(path)
        mistakes: list[YamlProblem] = []
        for place, entry in enumerate(document.data if isinstance(document.data, list) else [document.data]):
            try:
                attacks.append(Attack.model_validate(entry))
            except ValidationError as error:
                mistakes += find_problems(error, Attack, (place,))
        document.refuse(mistakes)
    twice = [name for name, count in Counter(one.id for one in attacks).items() if count > 1]
    if twice:
        raise BadInput(f"two attacks are called {twice[0]}")
    return tuple(attacks)


def select_attacks(attacks: Sequence[Attack], ids: Sequence[str]) -> tuple[Attack, ...]:
    """Return the attacks with these ids; all if there is none. Raises BadInput for an id that no attack has."""
    by_id: Mapping[str, Attack] = {one.id: one for one in attacks}
    for name in ids:
        if name not in by_id:
            raise BadInput(f"--only {no_such_task(name, by_id)}")
    return tuple(one for one in attacks if not ids or one.id in ids)
