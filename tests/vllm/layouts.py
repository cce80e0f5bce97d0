"""Measures orders of a prompt's parts on a real engine: ``python -m tests.vllm.layouts RUN --url URL``. Not a test.

The calls of a recorded run are sent again in the order in which they were made, one after another and one token
long, their parts put into each order in turn. A salt keeps the orders' caches apart. What is printed by order: input
tokens by step, those that the engine had not in its prefix cache, the cached share, and the time to the first token,
summed over a step's calls. The results are in docs/prompts.md.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manyhands.actors.frames import decode_png, encode_jpeg
from manyhands.actors.mllm.formats import format_body
from manyhands.evaluation.recorded_calls import recorded_calls, shown_ids
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import Acted
from manyhands.protocol.roles.role import STEP_ROLES, Role
from manyhands.protocol.roles.sections import Section as S
from manyhands.protocol.roles.sections import heading, split_sections
from manyhands.protocol.screens.geometry import Size

BRIEF = (S.GOAL, S.PHONE, S.HINTS, S.TIPS, S.SHORTCUTS)
SCREEN = (S.SCREEN, S.KEYBOARD)
STATIC = (S.ACTIONS, S.FORMAT)
OWN = (S.PLAN, S.PROGRESS, S.NOTES, S.SUBGOAL, S.STUCK, S.HISTORY, S.ACTION, S.KEYBOARD_AFTER)
RELATIVE = Size(width=1000, height=1000)


@dataclass(frozen=True)
class Picture:
    content_id: str


@dataclass(frozen=True)
class Call:
    """A recorded call in parts. ``pictures``: those of its role, in the order in which they were taken."""

    role: Role
    system: str
    sections: Mapping[S, str]
    pictures: tuple[Picture, ...]
    earlier: tuple[Picture, ...]
    """The episode's pictures before the last of ``pictures``, oldest first."""
    tasks: str
    """What all roles are told to do, one after another."""

    def text(self, *names: S) -> str:
        return "\n\n".join(f"{heading(name)}\n{self.sections[name]}" for name in names if name in self.sections)

    @property
    def rules(self) -> str:
        """The system text without actions and formats."""
        return self.system[: self.system.index(heading(S.ACTIONS))].strip()

    @property
    def form(self) -> str:
        return f"{heading(S.FORMAT)}\n{format_body(self.role.spec.replies[0], 'json', RELATIVE)}"


Content = list[str | Picture]
Layout = Callable[[Call], tuple[str, Content]]


def text_first(call: Call) -> tuple[str, Content]:
    actions = call.text(S.ACTIONS) if call.role is Role.DECIDE else ""
    told = (call.text(*_told(call)), actions, call.text(*SCREEN, *OWN, S.TASK), call.form)
    return call.rules, ["\n\n".join(filter(None, told)), *call.pictures]


def pictures_first(call: Call) -> tuple[str, Content]:
    system, content = text_first(call)
    return system, [*content[1:], content[0]]


def _told(call: Call) -> Sequence[S]:
    """What the papers tell each role of the brief."""
    known = {Role.PLAN: (S.GOAL, S.HINTS, S.SHORTCUTS), Role.DECIDE: BRIEF}
    return known.get(call.role, (S.GOAL,))


def one_system(call: Call) -> tuple[str, Content]:
    return call.system, [*call.pictures, call.text(*_told(call), *SCREEN, *OWN, S.TASK)]


def brief_first(call: Call) -> tuple[str, Content]:
    return call.system, [call.text(*BRIEF), *call.pictures, call.text(*OWN, *SCREEN, S.TASK)]


def list_after_pictures(call: Call) -> tuple[str, Content]:
    return call.system, [call.text(*BRIEF), *call.pictures, call.text(*SCREEN), call.text(*OWN, S.TASK)]


def list_after_its_picture(call: Call) -> tuple[str, Content]:
    first, *second = call.pictures
    return call.system, [call.text(*BRIEF), first, call.text(*SCREEN), *second, call.text(*OWN, S.TASK)]


def newest_picture_first(call: Call) -> tuple[str, Content]:
    pictures = reversed(call.pictures)
    return call.system, [call.text(*BRIEF), *pictures, call.text(*SCREEN), call.text(*OWN, S.TASK)]


def same_pair(call: Call) -> tuple[str, Content]:
    pair = (*call.earlier[-1:], call.pictures[-1])
    return call.system, [call.text(*BRIEF), *pair, call.text(*SCREEN), call.text(*OWN, S.TASK)]


def window_of_four(call: Call) -> tuple[str, Content]:
    """All pictures since the window began; it begins again, with the last two, when it holds four."""
    pictures = (*call.earlier, call.pictures[-1])
    begins = max(0, (len(pictures) - 2) // 3 * 3)
    return call.system, [call.text(*BRIEF), *pictures[begins:], call.text(*SCREEN), call.text(*OWN, S.TASK)]


def tasks_in_system(call: Call) -> tuple[str, Content]:
    first, *second = call.pictures
    own = f"{call.text(*OWN)}\n\nYou are the {call.role.spec.agent} now."
    return f"{call.system}\n\n{call.tasks}", [call.text(*BRIEF), first, call.text(*SCREEN), *second, own]


LAYOUTS: dict[str, Layout] = {
    layout.__name__: layout
    for layout in (
        text_first,
        pictures_first,
        one_system,
        brief_first,
        list_after_pictures,
        list_after_its_picture,
        newest_picture_first,
        same_pair,
        window_of_four,
        tasks_in_system,
    )
}


def recorded(run: RunFolder) -> list[Call]:
    """The run's calls in the order in which they were made."""
    found = sorted(_calls(run), key=lambda item: item[0])
    tasks: dict[Role, str] = {}
    for _, _, call in found:
        tasks.setdefault(call.role, call.sections[S.TASK])
    shown: dict[str, list[Picture]] = {}
    made = []
    for _, episode, call in found:
        pictures = shown.setdefault(episode, [])
        for picture in call.pictures:
            if picture not in pictures[-2:]:
                pictures.append(picture)
        earlier = tuple(pictures[: pictures.index(call.pictures[-1])])
        every = "\n\n".join(tasks[role] for role in STEP_ROLES)
        made.append(Call(call.role, call.system, call.sections, call.pictures, earlier, every))
    return made


def _calls(run: RunFolder) -> Iterator[tuple[float, str, Call]]:
    for found in recorded_calls(run):
        call = found.call
        if call.reply is None:
            continue
        system, user = (message["content"] for message in call.request["messages"][:2])
        text = "\n".join(part["text"] for part in user if part["type"] == "text")
        sections = split_sections(f"{system}\n{text}")
        pictures = tuple(map(Picture, shown_ids(call.request)))
        yield call.started_at, found.episode, Call(call.role, system, sections, pictures, (), "")


@dataclass(frozen=True)
class Answer:
    role: Role
    prompt_tokens: int
    cached_tokens: int
    first_token_s: float


class Engine:
    """An OpenAI-compatible server that says how many tokens it had cached."""

    def __init__(self, url: str, model: str, run: RunFolder) -> None:
        self._url = url.rstrip("/")
        self._model = model
        self._run = run
        self._jpegs: dict[str, str] = {}

    def ask(self, role: Role, system: str, content: Content, salt: str) -> Answer:
        body = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": [self._part(part, salt) for part in content if part]},
            ],
            "max_tokens": 1,
            "temperature": 0,
            "cache_salt": salt,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        request = urllib.request.Request(f"{self._url}/chat/completions", json.dumps(body).encode())
        request.add_header("Content-Type", "application/json")
        began, first, usage = time.perf_counter(), 0.0, {}
        with urllib.request.urlopen(request, timeout=300) as answer:
            for line in answer:
                if line.startswith(b"data: {"):
                    event = json.loads(line[6:])
                    first = first or time.perf_counter() - began
                    usage = event.get("usage") or usage
        cached = (usage["prompt_tokens_details"] or {}).get("cached_tokens") or 0
        return Answer(role, usage["prompt_tokens"], cached, first)

    def _part(self, part: str | Picture, salt: str) -> dict[str, Any]:
        if isinstance(part, str):
            return {"type": "text", "text": f"{part}\n"}
        url = f"data:image/jpeg;base64,{self._jpeg(part.content_id)}"
        return {"type": "image_url", "uuid": f"{salt}-{part.content_id}", "image_url": {"url": url}}

    def _jpeg(self, content_id: str) -> str:
        if content_id not in self._jpegs:
            png = self._run.screen_png(content_id)
            if png is None:
                raise SystemExit(f"{self._run.path}: screens/{content_id}.png is missing")
            self._jpegs[content_id] = base64.b64encode(encode_jpeg(decode_png(png))).decode("ascii")
        return self._jpegs[content_id]


def line(name: str, answers: Sequence[Answer], steps: int) -> str:
    """One row of the table: figures by step, then tokens not cached in the mean call of each role."""
    total = sum(answer.prompt_tokens for answer in answers)
    fresh = total - sum(answer.cached_tokens for answer in answers)
    waited_ms = 1000 * sum(answer.first_token_s for answer in answers)
    row = f"| {name.replace('_', ' '):24} | {total / steps:7.0f} | {fresh / steps:6.0f} | {1 - fresh / total:5.0%} "
    row += f"| {waited_ms / steps:6.0f} |"
    for role in STEP_ROLES:
        own = [answer.prompt_tokens - answer.cached_tokens for answer in answers if answer.role is role]
        row += f" {sum(own) / len(own) if own else 0:6.0f} |"
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--url", required=True)
    parser.add_argument("--model", default="qwen-vl")
    parser.add_argument("--layout", action="append", choices=LAYOUTS)
    given = parser.parse_args()
    run = RunFolder(given.run)
    calls = recorded(run)
    steps = sum(isinstance(record, Acted) for scan in run.journals.values() for record in scan.records)
    engine = Engine(given.url, given.model, run)
    sys.stdout.write(f"{len(calls)} calls of {steps} steps\n")
    sys.stdout.write(
        f"| {'order':24} | tokens | fresh | cached | ms | {' | '.join(role.spec.agent for role in STEP_ROLES)} |\n"
    )
    for name in given.layout or LAYOUTS:
        salt = f"{name}-{time.time_ns()}"
        answers = [engine.ask(call.role, *LAYOUTS[name](call), salt) for call in calls]
        sys.stdout.write(line(name, answers, steps) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
