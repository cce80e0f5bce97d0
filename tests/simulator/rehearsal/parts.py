"""What the tests of the rehearsed model share: prompts with chosen sections, and bodies of requests."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np

from manyhands.protocol.base import Reply
from manyhands.protocol.roles.sections import ListedElement, ListedScreen, Section, heading, keyboard_body, screen_body

GOAL = "Turn on dark mode."
ACTIONS = "Open_App(app): open\nTap(x, y): tap\nType(text, clear): type\nBack(): back\nHome(): home\nWait(): wait"


def text_image(*lines: str, size: tuple[int, int] = (540, 1200)) -> bytes:
    """A JPEG of lines of text, one below the other."""
    picture = np.full((size[1], size[0], 3), 255, np.uint8)
    for number, line in enumerate(lines, start=1):
        cv2.putText(picture, line, (30, 90 * number), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (0, 0, 0), 2, cv2.LINE_AA)
    return bytes(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes())


def listed(*texts: tuple[int, int, str]) -> str:
    """The body of a screen section with these texts, in units of 0 to 1000."""
    elements = tuple(
        ListedElement(number=number, kind="text" if text else "icon", x=x, y=y, content=text)
        for number, (x, y, text) in enumerate(texts, start=1)
    )
    return screen_body(ListedScreen(width=1000, height=1000, elements=elements))


def prompt(sections: Mapping[Section, str]) -> str:
    """A prompt with these sections; the goal, the task and the format are there unless they are given as empty."""
    usual = {Section.GOAL: GOAL, Section.TASK: "Do your part.", Section.FORMAT: "JSON"}
    return "\n\n".join(f"{heading(name)}\n{body}" for name, body in {**usual, **sections}.items() if body)


def body(
    reply: type[Reply] | None,
    sections: Mapping[Section, str],
    images: Sequence[bytes] = (),
    **more: Any,
) -> dict[str, Any]:
    """A chat-completions body, constrained to ``reply``'s schema if one is given."""
    pictures = [
        {
            "type": "image_url",
            "image_url": {"url": "data:image/jpeg;base64," + base64.b64encode(image).decode("ascii")},
        }
        for image in images
    ]
    made: dict[str, Any] = {
        "model": "rehearsed",
        "messages": [
            {"role": "system", "content": "You operate a phone."},
            {"role": "user", "content": [*pictures, {"type": "text", "text": prompt(sections)}]},
        ],
        **more,
    }
    if reply is not None:
        schema = {"name": reply.__name__, "strict": True, "schema": reply.model_json_schema()}
        made["response_format"] = {"type": "json_schema", "json_schema": schema}
    return json.loads(json.dumps(made))  # type: ignore[no-any-return]


def display_page(*extra: tuple[int, int, str]) -> dict[Section, str]:
    """The sections of a decision on the page Display, where dark mode is to be turned on."""
    return {
        Section.ACTIONS: ACTIONS,
        Section.TIPS: "1. Close pop-ups before going on.",
        Section.PLAN: "1. Open the page Display in Settings\n2. Turn on dark mode",
        Section.SUBGOAL: "Now: Flip the switch for dark mode on",
        Section.PROGRESS: "None yet",
        Section.NOTES: "None yet",
        Section.HISTORY: "None yet",
        Section.SCREEN: listed((200, 66, "Display"), (160, 137, "Dark mode"), (198, 161, "For all apps"), *extra),
        Section.KEYBOARD: keyboard_body("hidden", "Not up."),
    }
