"""Write episodes as traces of AndroidLab: a folder for each, with ``traces/trace.jsonl`` and ``Screen/``.

Source: xuyifan-0731/Android-Lab-dev, a development copy of AndroidLab: the JSONRecorder and the TextOnlyExecutor write
traces, ``find_all_traces_files`` and the Evaluation_Task read them. There a folder is called ``APP_NUMBER_...`` after
its task ``APP_NUMBER``, and lines without ``parsed_action`` are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from manyhands.evaluation.episode_view import EpisodePage, StepView, view_episode
from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.protocol.journals.records import ActionDecided
from manyhands.protocol.screens.actions import (
    Action,
    Answer,
    Back,
    Enter,
    Home,
    LongPress,
    OpenApp,
    Stop,
    Swipe,
    Tap,
    Type,
    Wait,
)
from manyhands.protocol.screens.screen import Element
from manyhands.protocol.utilities import secure_files
from manyhands.rollouts.formats.export_format import EpisodeFormat, to_json
from manyhands.rollouts.redaction import EpisodeRedaction
from manyhands.rollouts.rows import EpisodeFacts
from manyhands.rollouts.summary import ExportSummary

SCREEN = "Screen"
NO_TREE = "ERROR"
"""What AndroidLab writes in the place of a tree that could not be read. Its judge passes over such a step."""
Json = dict[str, Any]


class AndroidLab(EpisodeFormat):
    name = "androidlab"
    reader = "tools that read AndroidLab's traces"
    ending = "/traces/trace.jsonl"

    def part_name(self, episode: str) -> str:
        """Return the name of an episode's folder."""
        return "_".join(episode.rsplit("-", 2))

    def images_folder(self, part: str) -> str:
        """Return the folder of an episode's pictures."""
        return f"{part}/{SCREEN}"

    def pictures(self, episode: RecordedEpisode) -> tuple[str, ...]:
        """Return the content ids of the screenshots before actions, each once."""
        shots = (step.screenshot for step in _acted(view_episode(episode)))
        return tuple(dict.fromkeys(shot.content_id for shot in shots if shot is not None))

    def write(self, path: Path, facts: EpisodeFacts, episode: RecordedEpisode, redaction: EpisodeRedaction) -> None:
        """Write an episode's file. Raises OSError."""
        lines = [{"facts": facts.model_dump(mode="json")}, *trace(facts, view_episode(episode), redaction)]
        secure_files.write_bytes(path, b"".join(to_json(line) + b"\n" for line in lines))

    def notes(self, summary: ExportSummary) -> Iterator[str]:
        """Yield the lines of the card."""
        yield "Each folder is a trace: a line of facts, then one for each action, with the screen before it. **Journals"
        yield f'hold no tree of views**, so `xml` is `"{NO_TREE}"` and AndroidLab\'s judge passes over all steps: take'
        yield "`reward` of the facts. `elements` is what perception read, in pixels. The layout is taken from a copy of"
        yield "AndroidLab's source; its own tools have not read these files."


def trace(facts: EpisodeFacts, view: EpisodePage, redaction: EpisodeRedaction) -> Iterator[Json]:
    """Yield the lines of an episode: one for each action."""
    index = 0
    answer = view.ended.answer if view.ended is not None else None
    for step in _acted(view):
        for action in _actions(step):
            shot, screen = step.screenshot, step.screen
            elements = () if screen is None else screen.elements
            yield {
                "trace_id": facts.task,
                "index": index,
                "prompt": facts.goal if index == 0 else "** screenshot **",
                "image": None if shot is None else f"{SCREEN}/{redaction.picture(shot.content_id).name}.jpg",
                "xml": NO_TREE,
                "ac_xml": None,
                "elements": [_element(one, redaction) for one in elements],
                "current_activity": None if shot is None else shot.app,
                "window": None if shot is None else [shot.size.width, shot.size.height],
                "target": facts.goal,
                "response": redaction.texts.strike(_reply(step)),
                "parsed_action": _redacted(parsed_action(action, answer), redaction),
            }
            index += 1


def _acted(view: EpisodePage) -> list[StepView]:
    return [step for step in view.steps if _actions(step)]


def _actions(step: StepView) -> list[Action]:
    decided = step.decision.action if step.decision is not None else None
    actions: list[Action] = list(step.atoms) or ([] if decided is None else [decided])
    return [action for action in actions if not isinstance(action, Answer)]


def _reply(step: StepView) -> str:
    calls = [call for one in step.stages if isinstance(one, ActionDecided) for call in one.calls if call.reply]
    return (calls[-1].reply or "") if calls else ""


def _element(element: Element, redaction: EpisodeRedaction) -> Json:
    dumped = element.model_dump(mode="json", exclude={"columns"}, exclude_none=True)
    return dumped | {"content": redaction.texts.strike(element.content)}


def _redacted(action: Json, redaction: EpisodeRedaction) -> Json:
    fields = action.get("kwargs", {})
    return action | (
        {"kwargs": {name: redaction.texts.strike_in(one) for name, one in fields.items()}} if fields else {}
    )


def parsed_action(action: Action, answer: str | None) -> Json:
    """Return an action in AndroidLab's form. One that AndroidLab lacks keeps our name and fields.

    ``answer``: what the episode told the user, which AndroidLab tells as it finishes.
    """
    match action:
        case Tap(x=x, y=y):
            return _do("Tap", element=[x, y])
        case LongPress(x=x, y=y):
            return _do("Long Press", element=[x, y])
        case Swipe():
            return _do("Swipe", element=[action.x1, action.y1], **_direction(action))
        case Type(text=text):
            return _do("Type", text=text)
        case OpenApp(app=app):
            return _do("Launch", app=app)
        case Enter() | Back() | Home():
            return _do(f"Press {action.name}")
        case Wait():
            return _do("Wait")
        case Stop():
            return {"operation": "finish", "action": "finish", "kwargs": {"message": answer}}
    fields = action.model_dump(mode="json")
    return _do(fields.pop("name"), **fields)


def _do(action: str, **fields: Any) -> Json:
    return {"operation": "do", "action": action} | ({"kwargs": fields} if fields else {})


def _direction(swipe: Swipe) -> Json:
    """Return AndroidLab's direction of a swipe, and the unit of which it moves twice upwards, 2.5 times sideways."""
    across, down = swipe.x2 - swipe.x1, swipe.y2 - swipe.y1
    if abs(across) > abs(down):
        return {"direction": "right" if across > 0 else "left", "dist": round(abs(across) / 2.5)}
    return {"direction": "down" if down > 0 else "up", "dist": round(abs(down) / 2)}
