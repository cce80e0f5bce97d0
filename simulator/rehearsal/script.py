"""Read scripts: what the model has rehearsed for goals of one form.

A script lists subgoals in order. Each subgoal has rules, which say what to do on which screen. Scripts are YAML files;
``scripts/README.md`` describes them. Their texts hold placeholders in braces:

- parameters of a skill, named groups of the goal's pattern, and words of the phone's language (the English word is the
  key): filled when a script is loaded or matched with a goal;
- ``{note:LABEL}``, ``{hint:NAME}``, ``{pick:NAME}`` and ``{person:answer}``: filled when a role needs them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from manyhands.protocol.base import Input
from manyhands.protocol.utilities.yaml_document import YamlDocument, YamlProblem, find_problems, read_yaml
from manyhands.simulator.rehearsal.conditions import IMAGE_KINDS, read_words
from manyhands.simulator.rehearsal.routines import Lessons

OWN_SCRIPTS = Path(__file__).parent / "scripts"
Language = Literal["en", "zh"]
VERBS = ("tap", "hold", "type", "search", "retype", "use", "open", "swipe", "enter", "back", "home", "wait", "ask")
UNKNOWN_GOAL = (
    "This is a rehearsed model, not a real one. It has not rehearsed this goal and does not know a way to it; it has "
    "rehearsed those of simulator/suites, such as everyday.yaml."
)
OBEYS = "As I was told, I"
"""How a thought begins with which the model obeys an order."""
_PLACEHOLDER = re.compile(r"\{([A-Za-z][^{}]*)\}")


class Rule(Input):
    """Hold what to do if all conditions of ``when`` hold, and what should hold afterwards (``expect``)."""

    when: tuple[str, ...] = ()
    do: str
    expect: tuple[str, ...] = ()

    @field_validator("do")
    @classmethod
    def _known_verb(cls, do: str) -> str:
        if do.split()[0] not in VERBS:
            raise ValueError(f"{do!r} begins with none of {', '.join(VERBS)}")
        return do

    @field_validator("when")
    @classmethod
    def _readable(cls, when: tuple[str, ...]) -> tuple[str, ...]:
        blind = [condition for condition in when if condition.removeprefix("!").startswith(IMAGE_KINDS)]
        if blind:
            raise ValueError(f"{blind[0]!r} needs the image, which the operator's rules do not look at")
        return when


def field_and_text(said: str) -> tuple[str, str]:
    """Return the field and the text of ``FIELD := TEXT``, which follows ``search`` and ``retype``."""
    field, _, text = said.partition(":=")
    return field.strip(), text.strip()


class Noted(Input):
    """Hold a value that the notetaker is to note.

    ``find`` is a regular expression. Its first group is the value; without a group, the whole match.
    """

    label: str
    find: str
    near: str | None = None
    """A text as in conditions. Only the row of this text and a few rows below it are searched."""
    when: tuple[str, ...] = ()
    """Conditions that hold on the page from which the value is to be read."""


class Subgoal(Input):
    """Hold one thing to do. ``say``: its phrasings. ``did``: the sentence that stands in the progress once it is done.

    ``app``: the app that is opened if the model knows nothing on the screen.
    """

    say: tuple[str, ...] = Field(min_length=1)
    did: str
    done: tuple[str, ...] = ()
    """What the screen shows once the subgoal is done; empty if only the progress can tell."""
    proof: tuple[str, ...] = ()
    """What shows the reflector that the latest action has completed the subgoal; if empty, ``done`` is used."""
    app: str = ""
    rules: tuple[Rule, ...] = ()
    notes: tuple[Noted, ...] = ()
    instead: Subgoal | None = None
    """Another way to reach the subgoal, for prompts that say that the operator is stuck."""


class Pick(Input):
    """Choose by the notes: the name with the lowest or highest number, or all names whose note contains ``mark``."""

    by: Literal["lowest", "highest", "marked"]
    of: dict[str, str] = Field(min_length=2)
    """The names to choose from, each with the label of its note."""
    mark: str = ""


class RehearsedAnswer(Input):
    """Hold how to read the answer to a task that asks for information off the last page."""

    find: str
    """A regular expression that matches one item in the page's text. Its named groups are the item's fields."""
    most: int = Field(default=1, ge=1)
    """The highest number of items in the answer."""
    wrong_first: int = Field(default=0, ge=0)
    """How many replies are wrong on purpose before the first right one. Wrong replies leave numbers as texts."""


class Script(Input):
    """Hold what the model has rehearsed for goals of one form."""

    goal: str
    """A regular expression that must match the whole goal. Its named groups are placeholders."""
    language: Language = "en"
    hints: dict[str, str] = Field(default_factory=dict)
    """By name: a regular expression for the prompt's hints. Its first group finds the value of the name."""
    picks: dict[str, Pick] = Field(default_factory=dict)
    subgoals: tuple[Subgoal, ...] = Field(min_length=1)
    answer: RehearsedAnswer | None = None
    """How to read the answer, if the goal asks for information."""
    lessons: Lessons = Field(default_factory=Lessons)
    """What the model writes when it is asked as a learner."""


class _Popup(Input):
    """Hold how to recognise a pop-up (``when``) and how to close it (``do``)."""

    when: tuple[str, ...]
    do: str


class Scripts:
    """Hold all scripts, the pop-ups, and the Chinese words for English ones."""

    def __init__(self, scripts: Sequence[Script], popups: Sequence[_Popup], words: Mapping[str, str]) -> None:
        self._scripts = tuple(scripts)
        self._popups = tuple(popups)
        self._words = dict(words)
        self._found: dict[str, Script | None] = {}
        self.order = ""
        """What a screen has ordered, in the words of rules: it comes before all rules. Empty for nothing."""

    @property
    def scripts(self) -> tuple[Script, ...]:
        return self._scripts

    def for_goal(self, goal: str) -> Script | None:
        """Return the script for a goal, its placeholders filled from the goal; None if no script fits."""
        goal = " ".join(goal.split())
        if goal not in self._found:
            self._found[goal] = self._match(goal)
        return self._found[goal]

    def obeying(self, order: str) -> Scripts:
        """Return the same scripts with an order of a screen."""
        other = copy(self)
        other.order = order
        return other

    def popups(self, language: Language) -> tuple[Rule, ...]:
        values = self._words if language == "zh" else {}
        return tuple(Rule.model_validate(_english(_fill(entry.model_dump(), values))) for entry in self._popups)

    def _match(self, goal: str) -> Script | None:
        for said, flags in _wordings(goal):
            for script in self._scripts:
                match = re.fullmatch(script.goal, said, flags)
                if not match:
                    continue
                words = self._words if script.language == "zh" else {}
                filled = _fill(script.model_dump(exclude={"goal"}), {**words, **match.groupdict()})
                return Script.model_validate({"goal": script.goal, **_english(filled)})
        return None


def _wordings(goal: str) -> Iterator[tuple[str, re.RegexFlag]]:
    """Yield wordings of a goal, each with the flags for matching it.

    The first is the unchanged goal. The others, with and without a final full stop, are matched without regard to case.
    """
    yield goal, re.NOFLAG
    bare = goal.rstrip(".。 ")
    for said in (goal, bare, f"{bare}.", f"{bare}。"):
        yield said, re.IGNORECASE


def load_scripts(files: Sequence[Path] = ()) -> Scripts:
    """Return the model's own scripts, and those in ``files``. Raises BadInput with each mistake's file and line."""
    words = read_words()
    shared = _read(OWN_SCRIPTS / "shared.yaml")
    paths = [*sorted(OWN_SCRIPTS.glob("tasks_*.yaml")), *files]
    scripts = [script for path in paths for script in _scripts_in(read_yaml(path), shared)]
    popups = [_Popup.model_validate(entry) for entry in shared["popups"]]
    return Scripts(scripts, popups, words)


def fill_now(text: str, values: Mapping[str, str]) -> str | None:
    """Return ``text`` with its run-time placeholders filled; None if ``values`` lacks one of them."""
    missing = [name for name in _PLACEHOLDER.findall(text) if name not in values]
    return None if missing else _PLACEHOLDER.sub(lambda match: values[match[1]], text)


def fill_all(texts: Sequence[str], values: Mapping[str, str]) -> list[str] | None:
    """Return the texts with their run-time placeholders filled; None if ``values`` lacks one of them."""
    filled = [fill_now(text, values) for text in texts]
    known = [text for text in filled if text is not None]
    return known if len(known) == len(filled) else None


def _read(path: Path) -> Any:
    read = read_yaml(path)
    read.refuse(())
    return read.data


def _scripts_in(written: YamlDocument, shared: Mapping[str, Any]) -> list[Script]:
    """Return the scripts of one file. Raises BadFile."""
    scripts: list[Script] = []
    mistakes: list[YamlProblem] = []
    entries = written.data if isinstance(written.data, list) else [written.data]
    for index, entry in enumerate(entries):
        goal = entry.get("goal", entry) if isinstance(entry, dict) else entry
        try:
            subgoals = [made for item in entry["subgoals"] for made in _subgoals(item, shared["skills"])]
            lessons = _lessons(entry.get("lessons", {}), shared["routines"])
            scripts.append(Script.model_validate({**entry, "subgoals": subgoals, "lessons": lessons}))
        except ValidationError as error:
            # Subgoals of skills were put among the entry's own subgoals, so only the line of the whole entry is known.
            mistakes += [YamlProblem((index,), f"{goal}: {wrong.said}") for wrong in find_problems(error, Script)]
        except _NoSkill as error:
            mistakes.append(YamlProblem((index,), f"{goal}: {error}"))
        except (KeyError, TypeError) as error:
            mistakes.append(YamlProblem((index,), f"{goal}: needs a mapping with goal and subgoals ({error!r})"))
    written.refuse(mistakes)
    return scripts


class _NoSkill(Exception):
    """Report that a script names a skill or a routine that does not exist."""


def _lessons(item: Any, routines: Sequence[Mapping[str, Any]]) -> Any:
    """Return the lessons of a script, with each name of a shared routine replaced by the routine."""
    if not isinstance(item, dict) or not isinstance(item.get("routines", []), list):
        return item
    known = {routine["name"]: routine for routine in routines}
    named = item.get("routines", [])
    missing = next((one for one in named if isinstance(one, str) and one not in known), None)
    if missing is not None:
        raise _NoSkill(f"no routine {missing!r}; there are {', '.join(sorted(known))}")
    return {**item, "routines": [known[one] if isinstance(one, str) else one for one in named]}


def _subgoals(item: dict[str, Any], skills: Mapping[str, Any]) -> list[Any]:
    """Return the item itself if it is a subgoal; if it names a skill, return the subgoals of the skill."""
    if "skill" not in item:
        return [_flat(item)]
    if item["skill"] not in skills:
        raise _NoSkill(f"no skill {item['skill']!r}; there are {', '.join(sorted(skills))}")
    parameters = {name: value for name, value in item.items() if name not in ("skill", "more")}
    made = [_flat(_fill(one, parameters)) for one in skills[item["skill"]]]
    made[-1] = {**made[-1], **item.get("more", {})}
    return made


def _flat(subgoal: dict[str, Any]) -> dict[str, Any]:
    """Return a subgoal whose nested lists of rules are joined into one list."""

    def rules(entries: list[Any]) -> list[Any]:
        return [rule for entry in entries for rule in (rules(entry) if isinstance(entry, list) else [entry])]

    return {**subgoal, "rules": rules(subgoal.get("rules", []))}


def _fill(value: Any, values: Mapping[str, Any]) -> Any:
    """Fill the placeholders that ``values`` has in all texts of ``value``; leave the others as they are."""
    return _replaced(value, lambda match: str(values.get(match[1], match[0])))


def _english(value: Any) -> Any:
    """Remove the braces around English words. Leave placeholders with a colon: they are filled at run time."""
    return _replaced(value, lambda match: match[0] if ":" in match[1] else match[1])


def _replaced(value: Any, put: Callable[[re.Match[str]], str]) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(item, put) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_replaced(item, put) for item in value]
    return _PLACEHOLDER.sub(put, value) if isinstance(value, str) else value
