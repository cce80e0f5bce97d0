"""``manyhands parse``: show how Manyhands reads a model's reply."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import TypeAdapter, ValidationError

from manyhands.actors.memory import initial_memory
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, say_json, text_console
from manyhands.protocol.errors import BadInput, ManyhandsError, ReplyUnusable
from manyhands.protocol.roles.replies import ActingReply, in_form
from manyhands.protocol.roles.role import STEP_ROLES, Role
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element

if TYPE_CHECKING:
    from manyhands.actors.mllm.request.dialects import Dialect

EXAMPLE = (
    "Example: echo 'Tap(500, 250)' | manyhands parse --role operator --dialect qwen3-vl --screen 1080x2400. "
    "Exit codes: 0 read, 1 some reply is unusable, 2 bad input. The formats are listed in docs/parsing.md."
)


Said = tuple[str, bool]
"""The text of a reply, and whether the server cut it off at its longest."""
_SIZE = re.compile(r"([0-9]{1,5})x([0-9]{1,5})")
_ELEMENTS = TypeAdapter[tuple[Element, ...]](tuple[Element, ...])


def command(
    role: Annotated[Role, options.role_option("Whose reply it is.", STEP_ROLES)],
    dialect: Annotated[str, typer.Option("--dialect", help="The model family's coordinate convention.")] = "qwen3-vl",
    screen: Annotated[str, typer.Option("--screen", help="Size of the phone's screen in pixels.")] = "1080x2400",
    max_pixels: Annotated[
        int | None, typer.Option("--max-pixels", min=1, help="The server's cap on a picture's pixels.")
    ] = None,
    elements: Annotated[
        Path | None,
        typer.Option("--elements", help="A JSON file of the elements that the prompt listed, for Tap_Element."),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Read the input as JSON lines with 'raw'; detected if not given.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Read a model's reply on standard input, and print its action in pixels or the reason why it is invalid.

    JSON lines with the reply in 'raw' (and, if known, the server's 'finish_reason') give one JSON line each.
    """
    from manyhands.actors.mllm.request.dialects import dialect_named

    conventions, size, listed = dialect_named(dialect, max_pixels), _size(screen), _elements(elements)
    text = _standard_input()

    def read_one(raw_reply: Said) -> dict[str, Any]:
        return _read(role, raw_reply, conventions, size, listed)

    many = _lines(text, must=lines)
    if many is not None:
        raise typer.Exit(_print_lines(read_one, many))
    fields = read_one((text, False))
    if as_json:
        say_json(fields)
        return
    console = text_console()
    for key, value in fields.items():
        text_value = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        console.print(f"{key}: {text_value}", markup=False, soft_wrap=True)


def _read(role: Role, raw_reply: Said, dialect: Dialect, size: Size, elements: tuple[Element, ...]) -> dict[str, Any]:
    """Return the reply, its action in pixels of the screen, and under ``cut`` the fields that were shortened.

    Raises ManyhandsError.
    """
    from manyhands.actors.mllm.parse.replies import read
    from manyhands.actors.mllm.request.actions import read_action

    text, cut_off = raw_reply
    if cut_off:
        raise ReplyUnusable("the answer was cut off at its longest")
    reading = read(in_form(role.spec.replies[0], dialect.form), text)
    reply = reading.reply
    fields = reply.model_dump(mode="json")
    if reading.cut:
        fields["cut"] = list(reading.cut)
    if isinstance(reply, ActingReply):
        action = read_action(reply.action, dialect, size, initial_memory().shortcuts, elements)
        fields["action"] = action.model_dump(mode="json")
    return fields


def _print_lines(read_one: Callable[[Said], dict[str, Any]], many: Sequence[Said]) -> int:
    code = 0
    for raw_reply in many:
        try:
            say_json(read_one(raw_reply))
        except ManyhandsError as error:
            code = EXIT_FAILED
            say_json({"error": " ".join(str(error).split()), "code": error.code})
    return code


# ---------------------------------------------------------------------------- input
def _size(text: str) -> Size:
    match = _SIZE.fullmatch(text.strip().lower())
    try:
        if match is not None:
            return Size(width=int(match[1]), height=int(match[2]))
    except ValidationError:
        pass
    raise BadInput(f"--screen {text}: write WIDTHxHEIGHT in pixels, such as 1080x2400")


def _elements(path: Path | None) -> tuple[Element, ...]:
    """Read a list of elements, or the elements of a recorded screen."""
    if path is None:
        return ()
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return _ELEMENTS.validate_python(data["elements"] if isinstance(data, dict) else data)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except (ValueError, KeyError, RecursionError) as error:
        raise BadInput(f"{path}: neither a JSON list of elements nor an object with 'elements'") from error


def _standard_input() -> str:
    if sys.stdin.isatty():
        text_console(stderr=True).print("Reading the reply; end it with Ctrl-D.")
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"standard input: not UTF-8 at byte {error.start}") from error


def _lines(text: str, must: bool) -> list[Said] | None:
    """Read replies from JSON lines; None if ``text`` is one reply. If it ``must`` be lines, raises BadInput instead."""
    raw_replies: list[Said] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        one = _parse_line(line)
        if one is None:
            if must:
                raise BadInput(f"standard input, line {number}: no JSON object with a text 'raw'")
            return None
        raw_replies.append(one)
    return raw_replies if raw_replies or must else None


def _parse_line(line: str) -> Said | None:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or not isinstance(data.get("raw"), str):
        return None
    return data["raw"], data.get("finish_reason") == "length"
