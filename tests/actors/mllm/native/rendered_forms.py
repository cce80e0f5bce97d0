"""Writes docs/model-forms.md: ``python -m tests.actors.mllm.native.rendered_forms``. A test checks the page.

The chat is made up. Each family's prompt is shown at a step with an answer before it, and where old steps are short.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from manyhands.actors.mllm.native import NATIVE_FORMS, FamilyForm
from manyhands.actors.mllm.request.bodies import messages_of
from tests.actors.mllm.native.example_chat import chat_at

PAGE = Path(__file__).parents[4] / "docs" / "model-forms.md"
HEAD = """\
# The models' own forms

The profile `native` asks a model in the form that its family was trained on, unless `--output-format` names another.
The family follows from the model's name. [Parsing](parsing.md#the-models-own-forms) says how the answers are read. The
names of tools, actions and arguments are the families'; the words are ours. `python -m
tests.actors.mllm.native.rendered_forms` writes this page, and a test compares it with the code.

`--system-prompt FILE` replaces the system text by a file, such as the prompt on the model's card, to the letter.
run.yaml records the file's SHA-256, and a resumed run refuses another text. A card says nothing of verdicts, so the
agent is then not asked to judge its actions: only rules judge them. The messages of the chat stay as they are shown
here.

Everything that a screen or a model has written stands in its own turn, or is broken up so that it opens no tag. Our
texts hold no control tokens (`<|box_start|>`), which servers would take for their own.

## What is known of each family

The sampling is sent unless the settings give another; `temperature` is always that of the settings, 0 by default. A
chat shows at most 4 pictures. To a model that was trained for phones it shows no more than the makers send, but 2 for a
verdict; Qwen's are general models, which take more. `chat_pictures` sets another number.
"""
SHOWN = ("qwen3-vl", "gui-owl-1.5", "mai-ui", "ui-tars-1.5", "autoglm-phone")


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, _facts(), *map(_family, SHOWN)]).rstrip() + "\n"


def _facts() -> str:
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
    said = {name: getattr(one, name) for name in ("temperature", "top_p", "presence_penalty", "frequency_penalty")}
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
