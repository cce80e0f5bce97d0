"""Define the events of a run, for programs that watch it. They are made from the reports of the run's progress."""

from __future__ import annotations

from collections.abc import Iterator

from manyhands.protocol.base import Message
from manyhands.protocol.runs.progress import RunProgress, RunWait
from manyhands.protocol.runs.results import EpisodeResult


class TaskBegan(Message):
    """Tell that an attempt at a task began on a phone."""

    task: str
    episode: str
    serial: str


class StepBegan(Message):
    """Tell that an episode came to another step."""

    task: str
    episode: str
    serial: str
    step: int
    """Counted from 0."""
    doing: str
    """The subgoal or the stage, in one short line."""


class TaskEnded(Message):
    """Tell that a task ended."""

    result: EpisodeResult


class WaitBegan(Message):
    """Tell that the run waits for something, such as a phone that is away or the model."""

    wait: RunWait


class WaitEnded(Message):
    """Tell that the run no longer waits for something."""

    wait: RunWait


RunEvent = TaskBegan | StepBegan | TaskEnded | WaitBegan | WaitEnded


class RunChanges:
    """Find what happened between one report of a run's progress and the next."""

    def __init__(self) -> None:
        self._steps: dict[str, int] = {}
        """The last step of each episode that was seen running."""
        self._ended: set[str] = set()
        self._waits: dict[str, RunWait] = {}

    def since_last(self, now: RunProgress) -> Iterator[RunEvent]:
        """Yield what happened since the last report.

        Everything that the first report shows counts as having happened at that moment.
        """
        waits = {wait.what: wait for wait in (*now.held_up, *now.away)}
        for what, wait in self._waits.items():
            if what not in waits:
                yield WaitEnded(wait=wait)
        for what, wait in waits.items():
            if what not in self._waits:
                yield WaitBegan(wait=wait)
        self._waits = waits
        for one in now.running:
            place = {"task": one.task, "episode": one.episode, "serial": one.serial}
            if one.episode not in self._steps:
                yield TaskBegan(**place)
            if self._steps.get(one.episode) != one.step:
                yield StepBegan(**place, step=one.step, doing=one.doing)
            self._steps[one.episode] = one.step
        for result in now.latest:
            if result.episode not in self._ended:
                self._ended.add(result.episode)
                if result.episode not in self._steps:  # the episode was shorter than the time between two reports
                    yield TaskBegan(task=result.task, episode=result.episode, serial=result.serial)
                self._steps.pop(result.episode, None)
                yield TaskEnded(result=result)
