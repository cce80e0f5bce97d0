"""Write episodes as trajectories in ATIF, the Agent Trajectory Interchange Format, version 1.8.

Source: atif 1.8.0. Unknown fields are refused there, so what is ours is in ``extra``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from manyhands.evaluation.episode_view import EpisodePage, StepView, view_episode
from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.usage import usage
from manyhands.protocol.journals.records import ActionDecided
from manyhands.protocol.screens.actions import Action
from manyhands.protocol.screens.screen import Screenshot
from manyhands.protocol.utilities import secure_files
from manyhands.rollouts.formats.export_format import EpisodeFormat, picture_path, to_json, token_lists
from manyhands.rollouts.redaction import EpisodeRedaction
from manyhands.rollouts.rows import EpisodeFacts
from manyhands.rollouts.summary import ExportSummary

VERSION = "ATIF-v1.8"
Json = dict[str, Any]


class Atif(EpisodeFormat):
    name = "atif"
    reader = "tools that read ATIF"
    ending = ".json"

    def pictures(self, episode: RecordedEpisode) -> tuple[str, ...]:
        """Return the content ids of the screenshots, each once."""
        view = view_episode(episode)
        shots = [shot for step in view.steps for shot in (step.screenshot, view.after(step)) if shot is not None]
        return tuple(dict.fromkeys(shot.content_id for shot in shots))

    def write(self, path: Path, facts: EpisodeFacts, episode: RecordedEpisode, redaction: EpisodeRedaction) -> None:
        """Write an episode's file. Raises OSError."""
        secure_files.write_bytes(path, to_json(trajectory(facts, view_episode(episode), redaction)) + b"\n")

    def notes(self, summary: ExportSummary) -> Iterator[str]:
        """Yield the lines of the card."""
        yield "Each file is a trajectory: the goal with the first screen, then the steps with the atomic actions that"
        yield "were sent and the screens after them. Actions are in pixels of the screens. A step that a person did has"
        yield '`"by": "person"` in `extra`, and no model call. Paths of pictures are relative to the file. Token ids in'
        yield "`metrics` are those of the operator's reply; the counts beside them are of all calls of the step."


def trajectory(facts: EpisodeFacts, view: EpisodePage, redaction: EpisodeRedaction) -> Json:
    """Return an episode as a trajectory."""
    first = next((step.screenshot for step in view.steps if step.screenshot is not None), None)
    goal: Json = {"source": "user", "message": [{"type": "text", "text": facts.goal}, *_image(first, redaction)]}
    acted = [step for step in view.steps if step.atoms or step.decision is not None]
    steps = [goal | {"timestamp": _time(view.started.at)}, *(_step(view, step, redaction) for step in acted)]
    total = usage([call for step in acted for call in step.calls])
    return {
        "schema_version": VERSION,
        "session_id": facts.run,
        "trajectory_id": facts.episode,
        "agent": {
            "name": "manyhands",
            "version": metadata.version("manyhands"),
            **_model([step for step in acted if step.calls]),
            "extra": {"profile": facts.profile},
        },
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, 1)],
        "final_metrics": {
            "total_prompt_tokens": total.input_tokens,
            "total_completion_tokens": total.output_tokens,
            "total_cached_tokens": total.cached_tokens,
            "total_steps": len(steps),
        },
        "extra": facts.model_dump(mode="json"),
    }


def _model(steps: list[StepView]) -> Json:
    name = next((str(call.request["model"]) for step in steps for call in step.calls if call.request.get("model")), "")
    return {"model_name": name} if name else {}


def _step(view: EpisodePage, step: StepView, redaction: EpisodeRedaction) -> Json:
    calls = [] if step.person else step.calls
    decision = step.decision
    decided = [decision.action] if decision is not None and decision.action is not None else []
    atoms: Sequence[Action] = step.atoms or decided
    names = [f"{step.number}.{number}" for number in range(len(atoms))]
    result = _image(view.after(step), redaction)
    told = {
        "step": step.number,
        "by": "person" if step.person else "agent",
        "subgoal": step.plan.subgoal.text if step.plan else None,
        "expectation": decision.expectation if decision else None,
        "problem": step.problem or (decision.problem if decision else None),
        "verdict": step.reflection.outcome.value if step.reflection else None,
        "notes": step.notes.text if step.notes else None,
    }
    content: Json = {
        "source": "agent",
        "message": redaction.texts.strike(decision.thought) if decision else "",
        "llm_call_count": len(calls),
        "extra": {name: redaction.texts.strike_in(value) for name, value in told.items() if value is not None},
    }
    if step.screenshot is not None:
        content["timestamp"] = _time(step.screenshot.taken_at)
    if atoms:
        content["tool_calls"] = [
            {"tool_call_id": name, "function_name": atom.name, "arguments": _arguments(atom, redaction)}
            for name, atom in zip(names, atoms, strict=True)
        ]
    if result:
        content["observation"] = {"results": [{**({"source_call_id": names[-1]} if names else {}), "content": result}]}
    if calls:
        total = usage(calls)
        content["metrics"] = {
            "prompt_tokens": total.input_tokens,
            "completion_tokens": total.output_tokens,
            "cached_tokens": total.cached_tokens,
        }
        deciding = [call for one in step.stages if isinstance(one, ActionDecided) for call in one.calls]
        recorded = [call.tokens for call in deciding if call.reply and not call.unused and call.tokens is not None]
        if recorded and redaction.has_tokens:
            content["metrics"] |= token_lists(recorded[-1]) | {"extra": {"token_ids_of": "operator"}}
    return content


def _arguments(atom: Action, redaction: EpisodeRedaction) -> Json:
    return {
        name: redaction.texts.strike_in(value) for name, value in atom.model_dump(mode="json").items() if name != "name"
    }


def _image(shot: Screenshot | None, redaction: EpisodeRedaction) -> list[Json]:
    if shot is None:
        return []
    source = {"media_type": "image/jpeg", "path": f"../{picture_path(redaction.picture(shot.content_id).name)}"}
    return [{"type": "image", "source": source}]


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
