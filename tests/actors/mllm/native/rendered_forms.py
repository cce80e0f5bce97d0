"""Write ``rendered_forms.txt``, a chat in each model family's form. ``make prompts`` calls this; a test compares.

Each family's prompt is shown at a step with an answer before it, and where old steps are short.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from manyhands.actors.mllm.native import NATIVE_FORMS, FamilyForm
from manyhands.actors.mllm.request.bodies import messages_of
from tests.actors.mllm.native.example_chat import chat_at

PAGE = Path(__file__).with_suffix(".txt")
HEAD = """\
# Chats of `native` as each model family gets them

Made by `make prompts`. The chat is made up.
"""
SHOWN = (
    "qwen3-vl",
    "gui-owl-1.5",
    "gui-owl",
    "mai-ui",
    "ui-tars-1.5",
    "autoglm-phone",
    "ui-venus-2",
    "holo-3.1",
    "ui-venus-1.5",
    "gelab-zero",
    "plain-chat",
)


def page() -> str:
    """Return the whole file."""
    return "\n".join([HEAD, *map(_family, SHOWN)]).rstrip() + "\n"


def facts() -> str:
    """Return the table of docs/model-forms.md: what is known of each family."""
    rows = [
        "| dialects | message | old steps | pictures of its makers | thought | answer | end | our addition | sampling "
        "| source |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    forms: dict[type[FamilyForm], list[str]] = {}
    for name, form in NATIVE_FORMS.items():
        forms.setdefault(type(form), []).append(name)
    for names in forms.values():
        one = NATIVE_FORMS[names[0]].training
        rows.append(
            f"| {', '.join(names)} | {one.order} | {one.history} | {one.pictures} | {one.thinking} | "
            f"{one.answers or '-'} | {one.ends} | {', '.join(one.added) or '-'} | {_sampling(one.sampling)} | "
            f"{one.source} |"
        )
    return "\n".join(rows) + "\n"


def _sampling(one: Any) -> str:
    names = ("temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "repetition_penalty")
    said = {name: getattr(one, name) for name in names}
    given = ", ".join(f"{name} {value:g}" for name, value in said.items() if value is not None)
    return f"{given} ({one.source})"


def _family(dialect: str) -> str:
    form = NATIVE_FORMS[dialect]
    lines = [f"## `{dialect}`", "", "````text"]
    for message in messages_of(form.render(chat_at(dialect, 5))):
        lines += [f"[{message['role']}]", _text(message["content"]), ""]
    return "\n".join([*lines[:-1], "````", ""])


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"].rstrip("\n") if part["type"] == "text" else "(the picture)" for part in content)


if __name__ == "__main__":
    PAGE.write_text(page())
    sys.stdout.write(facts())
