"""One episode: one attempt at one task on one phone. ``Episode`` runs it from start to end.

``StageWork`` runs the stages of a step. A profile declares the stages of a step and what each of them waits for;
nothing here knows a stage by name. The path of step t of Mobile-Agent-E follows; s(t) is the screenshot before the
action a(t). Lines in brackets are no stages:

    capture(t)   s(t), once the screen rests; not taken again if it came with a(t-1)           stages/perceive.py
    perceive(t)  the texts and icons of s(t), read by the PerceptionService                    stages/perceive.py
    verify(t-1)  a(t-1) did what was expected (A), led elsewhere (B), changed nothing (C):
                 by a rule if one is certain, else by the reflector                            verdicts.py
    note(t-1)    the notetaker's notes, on A, beside plan(t) and decide(t)                     profiles/e/stages.py
    rubrics(t-1) which rubrics hold now, for tasks that have some                              checks/check.py
    plan(t)      the planner's next subgoal, or that the goal is reached, or impossible        profiles/e/stages.py
    decide(t)    the operator's action a(t), in pixels of s(t)                                 profiles/e/stages.py
    [gate]       act(t) needs decide(t), perceive(t), verify(t-1), none of them assumed        profiles/e/profile.py
                 and waits while a person has paused the episode                               human_control.py
    act(t)       each atom of a(t) is journalled and synced, then sent once, with a key        stages/act.py
    [settle]     the gateway waits until the screen rests; its picture is s(t+1)               phones/settling/

A stage reads the state, asks a collaborator, and returns records. The records go into the journal and fold into the
state (``state.py``). An episode has no other knowledge, so any host can resume it from its journal. ``runtime.py`` has
its resources. ``schedule.py`` decides which stages run at a time, what is assumed of stages that have not ended, and
when a stop takes effect. When a person takes the episode over, all stages stop. ``takeover.py`` then carries out the
person's actions. After that the stages begin again with the next step.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Iterable, Mapping

from manyhands.actors.episode.checks.check import rubrics_stage
from manyhands.actors.episode.crash_watch import CrashWatch
from manyhands.actors.episode.endings import (
    End,
    HeldForPerson,
    defect,
    end_of_failure,
    end_of_lost_store,
    end_outside_stages,
)
from manyhands.actors.episode.lifecycle import close_episode, start_episode
from manyhands.actors.episode.log_recorder import LogRecorder
from manyhands.actors.episode.people.interventions import Interventions
from manyhands.actors.episode.people.takeover import Takeover
from manyhands.actors.episode.profile import ACT, Loop, Profile
from manyhands.actors.episode.resumption import (
    InterruptedEpisode,
    ResumeError,
    find_stops,
    finished_stages,
    read_interrupted,
    resume_after_takeover,
    resume_episode,
)
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.schedule import SCHEDULES, GraphRun, GraphStop, Node
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stage_output import StageOutput, dropped_record, failure_record, marked_records, run_stage
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ManyhandsError, StoreError
from manyhands.protocol.journals.records import Span, StageDropped
from manyhands.protocol.runs.interventions import EpisodeControl, EpisodePhase, Intervention
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import EpisodeResult

logger = logging.getLogger(__name__)


class Episode:
    """Carry out one attempt at one task on one phone. Run it once."""

    def __init__(self, runtime: EpisodeRuntime, profile: Profile) -> None:
        self._order = runtime.order
        self._profile = profile
        self._runtime = runtime
        self._log = LogRecorder(runtime) if self._order.settings.logcat else None
        self._crashes = CrashWatch(runtime) if self._order.task.build is not None else None
        self._loop = profile.loop(self._order.settings, rubrics_stage(self._order.task))
        self._work = StageWork(runtime, profile, self._loop)
        self._graph = self._new_graph()
        self._takeover = Takeover(runtime)
        self._interventions = Interventions(runtime, self._takeover, self._hold, self._stop)
        self._outside_end: End | None = None
        """The end that something outside the steps has caused."""
        self._playing: asyncio.Task[End] | None = None

    async def run(self) -> EpisodeResult:
        """Run to a named ending, in every case.

        If the run is cancelled, write the ending ``cancelled`` and re-raise.
        """
        runtime = self._runtime
        beside = (
            runtime.journal.run(),
            runtime.screens.run(),
            self._end_by(runtime.until_lease_lost()),
            self._end_by(self._time_is_up()),
            *(() if self._log is None else (self._log.run(),)),
            *(() if self._crashes is None else (self._end_by(self._crashes.run()),)),
        )
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in beside]
            self._playing = playing = group.create_task(self._play())
            if self._outside_end is not None:  # a person has stopped it before it began
                playing.cancel()
            try:
                await asyncio.wait({playing})
                self._end_control()
                if self._log is not None:
                    await self._log.finish()
                end = self._end_of(playing)
                return await close_episode(runtime, end if self._crashes is None else await self._crashes.revise(end))
            except asyncio.CancelledError:
                playing.cancel()
                await asyncio.wait({playing})
                self._end_control()
                await close_episode(runtime, End(Ending.CANCELLED, "cancelled"))
                raise
            finally:
                runtime.views.end()
                for task in tasks:
                    task.cancel()

    async def intervene(self, intervention: Intervention) -> EpisodeControl:
        """Carry out what a person asks. For ``StopEpisode``, return before the episode has ended.

        Raises InterventionRefused, BadInput, StoreError, and the errors of the phone.
        """
        return await self._interventions.answer(intervention)

    def _end_of(self, playing: asyncio.Task[End]) -> End:
        if not playing.cancelled():
            return playing.result()
        return self._outside_end or End(Ending.CANCELLED, "cancelled")

    def _end_control(self) -> None:
        self._runtime.control.end()
        self._runtime.begun.set()

    def _stop(self, reason: str) -> None:
        """End the episode as cancelled, at once."""
        self._outside_end = End(Ending.CANCELLED, reason)
        if self._playing is not None:
            self._playing.cancel()

    def _hold(self) -> None:
        """Stop the stages, because a person takes the episode over. An action that was begun ends first."""
        self._graph.stop(GraphStop(HeldForPerson(Ending.CANCELLED, "taken over")))

    def _new_graph(self) -> GraphRun[StageOutput, End]:
        return GraphRun[StageOutput, End](self._loop, SCHEDULES[self._order.settings.schedule], self._work)

    async def _play(self) -> End:
        """Begin, or resume from the journal. Then run steps until one, or something outside, ends the episode."""
        order = self._order
        try:
            before = None if order.resume is None else await read_interrupted(self._runtime)
            if before is not None and before.recorded_end is not None:
                return End(before.recorded_end.ending, before.recorded_end.reason)
            if before is not None:
                self._runtime.control.restore(before.state)
            steps_done: Mapping[str, int] = {}
            if before is None:
                await start_episode(self._runtime, self._profile)
            else:
                resumed = await resume_episode(self._runtime, before)
                steps_done = self._finished(resumed)
            return await self._run_steps(steps_done)
        except ResumeError as error:
            return End(Ending.HOST_LOST, str(error), afresh=True)
        except ManyhandsError as error:
            return end_outside_stages(error)
        except Exception as error:
            logger.exception("%s ended by a defect", order.episode)
            return defect("the episode", error)

    async def _run_steps(self, steps_done: Mapping[str, int]) -> End:
        """Run steps, and takeovers by people between them, until the episode ends.

        A task that a person carries out by hand is one takeover, without a step of the agent.
        """
        control, person = self._runtime.control, self._order.task.by_hand
        if person is not None and control.phase in (EpisodePhase.RUNNING, EpisodePhase.PAUSED):
            control.take_over(person)
        self._runtime.begun.set()
        while True:
            if control.phase is not EpisodePhase.TAKING_OVER:
                # The loop of steps: the schedule picks the stages that start now, and ``StageWork`` executes each of
                # them, then commits what it found.
                end = (await self._graph.run(steps_done)).why
                if not isinstance(end, HeldForPerson):
                    return end
            # A graph runs once, and a takeover stops it even before it runs. What ends the episode meanwhile stops the
            # new one.
            self._graph = self._new_graph()
            ended = self._outside_end or await self._takeover.run()
            if ended is not None:
                return ended
            if person is not None:
                return End(Ending.FINISHED, f"{person} has had the phone")
            steps_done = self._finished(await resume_after_takeover(self._runtime))
            control.hand_back()

    def _finished(self, before: InterruptedEpisode) -> Mapping[str, int]:
        """Return how many steps each stage has finished, and stop the graph where they end the episode."""
        for stop in find_stops(self._profile, before, self._runtime.journal.state, self._order):
            self._graph.stop(stop)
        return finished_stages(self._loop, before.records)

    async def _end_by(self, end: Awaitable[End]) -> None:
        """End the episode with the result of ``end`` once ``end`` returns.

        ``end`` waits for something outside the steps.
        """
        self._outside_end = outside_end = await end
        self._takeover.end(outside_end)
        self._graph.stop(GraphStop(outside_end))

    async def _time_is_up(self) -> End:
        """Return once the episode's time limit has passed. Waits for a model's server or for the store do not count."""
        await self._runtime.time.passed()
        return End(Ending.TIME_LIMIT, f"{self._order.task.limits.wall_s:g} s have passed")

    def progress(self) -> EpisodeProgress:
        """Return what the episode does now, for people."""
        stages = self._work.running_stages(self._graph.running)
        return self._runtime.progress(tuple(stages), next(iter(stages.values()), self._work.last_began_at))


class StageWork:
    """Run each stage of each step when the schedule says so: ``GraphRun`` calls it as its ``Work``."""

    def __init__(self, runtime: EpisodeRuntime, profile: Profile, loop: Loop) -> None:
        self._runtime = runtime
        self._journal = runtime.journal
        self._profile = profile
        self._loop = loop
        self._began_at: dict[str, float] = {}
        """When each running stage began."""

    def running_stages(self, nodes: Iterable[Node]) -> Mapping[str, float]:
        """Return when the stages of running nodes began (Unix seconds), in that order."""
        now = self._runtime.clock.now()
        began = {node.stage: self._began_at.get(node.stage, now) for node in nodes}
        return dict(sorted(began.items(), key=lambda stage: stage[1]))

    @property
    def last_began_at(self) -> float:
        """Return when the last stage began, or before the first stage when the episode began (Unix seconds)."""
        return max(self._began_at.values(), default=self._runtime.made_at)

    async def execute(self, node: Node, assumed: frozenset[Node]) -> StageOutput | None:
        """Run a stage of a step. The result has no effect before ``commit``.

        Under ``speculate`` the stage may run before other stages have ended, on a state in which those ended as
        ``assumed``. Returns None if that is too early: nothing can be assumed, models have no room, or the stage
        failed. Then call this again when less is assumed.
        """
        if node.stage == ACT:
            await self._runtime.control.pass_gate()
        start = self._began_at[node.stage] = self._runtime.clock.now()
        state = self._loop.assumed_state(self._journal.state, assumed) if assumed else None
        if assumed and state is None:
            return None
        context = StageContext(self._runtime, node.stage, node.step, state)
        output = await run_stage(self._loop.by_name[node.stage], context, start)
        if not assumed or not isinstance(output.error, ManyhandsError):
            return output
        if output.refused:
            return None
        # Speculative calls have the lowest priority and may time out for that reason. So a failed stage runs again. Its
        # failure counts only if nothing was assumed.
        store_error = await self._journal.try_to_write(self._dropped(node, assumed, node, output))
        return None if store_error is None else StageOutput(start, error=store_error)

    async def commit(self, node: Node, output: StageOutput, assumed: frozenset[Node]) -> GraphStop[End] | None:
        """Write the stage's records into the journal, which folds them into the state. They may end the episode."""
        if output.error is not None:
            return await self._failed(node, output, output.error)
        records = marked_records(output, node, assumed)
        store_error = await self._journal.try_to_write(*records)
        if store_error is not None:
            return GraphStop(end_of_lost_store(store_error))
        return self._profile.first_stop(records, self._journal.state, self._runtime.order)

    async def _failed(self, node: Node, output: StageOutput, error: Exception) -> GraphStop[End] | None:
        """Write that the stage failed. Its rules decide whether the episode ends, or continues without a result."""
        if not isinstance(error, ManyhandsError):
            return GraphStop(defect(f"{node.stage} of step {node.step}", error))
        if not isinstance(error, StoreError):
            context = StageContext(self._runtime, node.stage, node.step)
            store_error = await self._journal.try_to_write(failure_record(output, error, context))
            if store_error is not None:
                return GraphStop(end_of_lost_store(store_error))
        end = end_of_failure(node.stage, error, self._loop.by_name[node.stage].failures)
        return None if end is None else GraphStop(end)

    def finish(self, node: Node) -> None:
        """Let an action that was begun end. Drop it if a pause holds it back."""
        self._runtime.control.close_gate()

    def as_assumed(self, node: Node) -> bool:
        """Return whether a stage ended as assumed by the stages that did not wait for it."""
        return self._loop.as_assumed(self._journal.state, node)

    async def drop(
        self, node: Node, output: StageOutput | None, assumed: frozenset[Node], wrong: Node | None
    ) -> GraphStop[End] | None:
        """Write that the stage ran in vain, because the stage ``wrong`` did not end as assumed."""
        store_error = await self._journal.try_to_write(self._dropped(node, assumed, wrong, output))
        return None if store_error is None else GraphStop(end_of_lost_store(store_error))

    def _dropped(
        self, node: Node, assumed: frozenset[Node], wrong: Node | None, output: StageOutput | None
    ) -> StageDropped:
        span = Span(start=self._began_at[node.stage], end=self._runtime.clock.now())
        return dropped_record(node, span, assumed, wrong, output)
