"""Write labelled steps of virtual phones for ``manyhands suite single-step``, from the reference operations of suites.

    python -m manyhands.simulator.suites.steps FOLDER [--task ID] [--size 1080x2400]

This command writes a PNG for each step, and ``steps.json``. That file has each task's goal and, in order, what a human
does on each screen: in words, as an action, and with the box that a touch may hit. Waits are played but are no steps.
The same holds for operations that are no action, such as clearing a field.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.actions import Action, Back, Enter, Home, LongPress, OpenApp, Swipe, Tap, Type
from manyhands.protocol.tasks.task import TaskSpec, select
from manyhands.simulator.fleet.virtual_fleet import parse_size
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from manyhands.simulator.serving.command_line import refuse
from manyhands.simulator.suites import load_suite, suites
from manyhands.simulator.suites.play import CannotPlay, PlayedPhone, filled, place, swiped

SOURCE = "virtual phones; none of their figures is a figure of real phones"
_TOUCH = re.compile(r"^(tap|long press) (.+)$")
_POINT = re.compile(r"^[\d.]+% [\d.]+%$")
_COUNTED = re.compile(r" \(\d+\)$")
_KEYS: dict[str, Action] = {"enter": Enter(), "back": Back(), "home": Home()}


def labelled_steps(task: TaskSpec, size: tuple[int, int], folder: Path) -> dict[str, Any]:
    """Write the pictures of a task's steps, and return its entry of the labels. Raises CannotPlay."""
    steps = []
    for number, (rgb, entry) in enumerate(_steps(task, size)):
        entry["file"] = f"{task.id}_{number:02}.png"
        Image.fromarray(rgb).save(folder / entry["file"], compress_level=1)
        steps.append(entry)
    return {"id": task.id, "goal": task.goal, "hints": task.hints, "tags": list(task.tags), "steps": steps}


def _steps(task: TaskSpec, size: tuple[int, int]) -> Iterator[tuple[Any, dict[str, Any]]]:
    played = PlayedPhone(task.reset_seed or 0, *size)
    for operation in task.human_operations:
        rgb = played.at_rest()
        found = _action(operation, played.phone)
        if found is not None:
            action, box = found
            touch = _TOUCH.match(operation)
            text = "" if touch is None or _POINT.match(touch[2]) else _COUNTED.sub("", touch[2])
            keyboard = "shown" if played.phone.keyboard_shown() else "hidden"
            action_json = action.model_dump(mode="json")
            yield rgb, {"keyboard": keyboard, "operation": operation, "action": action_json, "text": text, "box": box}
        played.play(operation)


def _action(operation: str, phone: VirtualPhone) -> tuple[Action, list[int] | None] | None:
    """Return an operation as an action, with the box that its touch may hit; None if no action stands for it."""
    touch = _TOUCH.match(operation)
    if touch:
        x, y = place(phone, touch[2])
        reached = phone.touched_at(x, y)
        if reached is None:
            raise CannotPlay(f"{operation!r}: nothing takes the touch")
        box = [reached.x, reached.y, reached.x + reached.w, reached.y + reached.h]
        return (Tap(x=x, y=y) if touch[1] == "tap" else LongPress(x=x, y=y)), box
    if operation in ("swipe up", "swipe down"):
        x1, y1, x2, y2 = swiped(phone, up=operation == "swipe up")
        return Swipe(x1=x1, y1=y1, x2=x2, y2=y2), None
    verb, _, rest = operation.partition(" ")
    if verb == "open":
        return OpenApp(app=rest), None
    if verb == "type":
        return Type(text=filled(phone, rest)), None
    return (_KEYS[operation], None) if operation in _KEYS else None


def write_steps(tasks: Sequence[TaskSpec], size: tuple[int, int], folder: Path) -> Path:
    """Write pictures and labels into ``folder``; return the path of the labels. Raises BadInput, CannotPlay."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        entries = [labelled_steps(task, size, folder) for task in tasks]
        path = folder / "steps.json"
        labels = {"source": SOURCE, "tasks": [entry for entry in entries if entry["steps"]]}
        path.write_text(json.dumps(labels, ensure_ascii=False, indent=1), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{folder}: {error.strerror or error}") from error
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Return the exit code: 0 written, 2 bad input."""
    parser = argparse.ArgumentParser(prog="python -m manyhands.simulator.suites.steps", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path)
    parser.add_argument("--task", action="append", default=[], metavar="ID", help="repeatable; all if none")
    parser.add_argument("--size", default="1080x2400", help="of the phone, in pixels")
    options = parser.parse_args(arguments)
    known = [task for path in suites() for task in load_suite(path)]
    try:
        path = write_steps(select(known, options.task), parse_size(options.size), options.folder)
    except (BadInput, ValueError) as error:
        return refuse(error if isinstance(error, BadInput) else BadInput(str(error)))
    sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
