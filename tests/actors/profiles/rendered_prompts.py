"""Write ``rendered_prompts.txt``, the prompts of all profiles. ``make prompts`` calls this; a test compares.

The requests are made up, as of one moment of one episode, so that each role's prompt can be read as a model gets it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from manyhands.actors.episode.profile import Profile
from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import ModelSettings, Prompt
from manyhands.actors.mllm.request.bodies import messages_of
from manyhands.actors.profiles import bare, e, native, v1, v2
from manyhands.actors.profiles.e_evo import PROFILE as E_EVO
from manyhands.actors.profiles.v1.requests import ChatSoFar, ChoiceRequest
from manyhands.actors.profiles.v2.agents import DecisionAgent, MemoryUnit
from manyhands.actors.profiles.v2.requests import FocusRequest, OperationRequest
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles import Judge
from manyhands.actors.roles.captioner import caption_prompt
from manyhands.actors.roles.operator import answer_prompt
from manyhands.protocol.roles.requests import Request
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from tests.actors.profiles import rendered_moment as moment
from tests.actors.profiles import rendered_requests as asked

PAGE = Path(__file__).with_suffix(".txt")
HEAD = """\
# Prompts as a model gets them

Made by `make prompts`. The requests are made up: one moment of one episode. Where the heading names no other form, the
model is a Qwen3-VL and its replies are our JSON. Roles of a profile share a system text; it is shown once.
"""
MODEL = ModelSettings(urls=("http://model/v1",), model="Qwen3-VL-8B-Instruct")
OTHER_FORMATS = ("tool_call", "headers")
"""The values of the setting ``output`` beside JSON and the families' own forms."""
Titled = tuple[str, Sequence[str]]
"""A prompt's heading and its messages, the system text first."""


def prompts_of(profile: Profile, settings: EpisodeSettings, model: ModelSettings = MODEL) -> Prompts:
    return profile.role_settings(settings, model).prompts()


def pictures_of(request: Request[Any]) -> list[ModelImage]:
    if isinstance(request, ChatSoFar | ChoiceRequest):
        return [ModelImage(one.content_id, b"") for one in request.pictures]
    return [ModelImage(one.content_id, b"") for one in request.screenshots]


def written(prompt: Prompt, ids: bool = False) -> list[str]:
    """The messages as a person reads them, each with its author. ``ids``: with all that is sent about a picture."""
    found = []
    for message in messages_of(prompt):
        content = message["content"]
        parts: Sequence[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else content
        lines = [
            part["text"] if part["type"] == "text" else f"[picture {json.dumps(part)}]" if ids else "[a picture]"
            for part in parts
        ]
        found.append(f"[{message['role']}]\n" + "\n".join(lines))
    return found


# ---------------------------------------------------------------------------- chapters
def rendered(profile: Profile, requests: Sequence[asked.Titled], **more: Any) -> Iterator[Titled]:
    settings = EpisodeSettings(profile=profile.name, **more)
    prompts, agents = prompts_of(profile, settings), {one.role: one for one in profile.agents(settings)}
    for title, request in requests:
        yield title, written(agents[request.role].prompt(prompts, request, pictures_of(request)))


def memory_turn() -> Titled:
    """The turn in which the decision agent of ``v2`` is asked what to keep: what follows its decision."""
    request = next(one for _, one in asked.of_v2() if isinstance(one, OperationRequest))
    prompts, pictures = prompts_of(v2.PROFILE, EpisodeSettings(profile="v2")), pictures_of(request)
    said = tuple(messages_of(DecisionAgent.prompt(prompts, request, pictures)))
    focus = FocusRequest(**asked.NOW, conversation=said, decided='{"thought": ..., ...}')
    system, _, *turn = written(MemoryUnit.prompt(prompts, focus, pictures))
    return "The memory turn of `v2`, after the decision", [system, *turn]


def after_steps() -> Iterator[Titled]:
    prompts = prompts_of(e.PROFILE, EpisodeSettings(profile="e"))
    answer, judge = asked.of_every_profile()
    yield "The answer of a task", written(answer_prompt(prompts, answer, pictures_of(answer)))
    yield "The judge", written(Judge.prompt(prompts, judge, pictures_of(judge)))
    yield "The captioner", written(caption_prompt(prompts, ModelImage("0" * 32, b""), 12))


def other_formats() -> Iterator[str]:
    for name in OTHER_FORMATS:
        model = MODEL.model_copy(update={"output": name})
        system = prompts_of(e.PROFILE, EpisodeSettings(profile="e"), model).system(moment.SIZE)
        yield f"### The output format of `e` with `output: {name}`\n\n{_block(system[system.index('### Output') :])}"


def page() -> str:
    """The whole page."""
    chapters: Sequence[tuple[str, Sequence[Titled]]] = (
        ("`e`", list(rendered(e.PROFILE, asked.of_e()))),
        ("`e+evo`", list(rendered(E_EVO, asked.of_e_evo()))),
        ("`v2`", [*rendered(v2.PROFILE, asked.of_v2()), memory_turn()]),
        ("`v1`", list(rendered(v1.PROFILE, asked.of_v1()))),
        ("`native`", list(rendered(native.PROFILE, asked.of_native()))),
        ("`native` with `pictures: none`", list(rendered(native.PROFILE, asked.of_native_in_words(), pictures="none"))),
        ("`bare`", list(rendered(bare.PROFILE, asked.of_bare()))),
        ("Roles of every profile", list(after_steps())),
    )
    parts = [HEAD]
    told = ""
    for heading, prompts in chapters:
        parts.append(f"## {heading}\n")
        for title, (system, *rest) in prompts:
            if system not in (told, _EMPTY):
                parts.append(f"### The system text: {_first_lower(title)}\n\n{_block(system)}")
                told = system
            parts.append(f"### {title}\n\n{_block(*rest)}")
    return "\n".join((*parts, "## Other forms of replies\n", *other_formats()))


_EMPTY = "[system]\n"


def _first_lower(title: str) -> str:
    return title[0].lower() + title[1:]


def _block(*messages: str) -> str:
    text = "\n\n".join(messages)
    return f"````text\n{text.strip()}\n````\n"


def main() -> None:
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
