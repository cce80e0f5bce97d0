"""Choose the episode of a run that a command is about."""

from __future__ import annotations

from manyhands.evaluation.episode_view import EpisodeView, view_episode
from manyhands.evaluation.episodes import attempted, episode_of, episodes_of
from manyhands.evaluation.report.failure_step import has_episode_failed
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput

_MOST_NAMED = 10


def choose_episode(run: RunFolder, id: str | None) -> EpisodeView:
    """Return an episode by its id, or by the id of its task. Without an id, return the only one that failed.

    If no episode failed, the only episode is returned. Raises BadInput if there is none, or if there are several.
    """
    views = {
        episode: view_episode(found, len(scan.damage))
        for episode, scan in run.journals.items()
        if (found := episode_of(scan.records)) is not None
    }
    if id is not None:
        of_task = [episode for episode, view in views.items() if view.started.task.id == id]
        if id in views or of_task:
            return views[id if id in views else of_task[-1]]
        raise BadInput(f"--episode {id}: {run.path} has no such episode or task; there are {_list_ids(list(views))}")
    tasks = attempted(run.asked, episodes_of(scan.records for scan in run.journals.values()))
    last = [task.attempts[-1].started.episode for task in tasks if task.attempts]
    failed = [episode for episode in last if has_episode_failed(views[episode])]
    left = failed or last
    if len(left) == 1:
        return views[left[0]]
    if not left:
        raise BadInput(f"{run.path}: the run has no episode yet")
    raise BadInput(f"name one with --episode: {'these failed: ' if failed else ''}{_list_ids(left)}")


def _list_ids(ids: list[str]) -> str:
    more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
    return f"{', '.join(ids[:_MOST_NAMED]) or 'none'}{more}"
