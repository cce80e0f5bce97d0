"""Play the episodes of one client, one after another, each on a phone that is leased for it."""

from __future__ import annotations

import asyncio
import base64
import logging
import secrets
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field

from pydantic import JsonValue

from manyhands.actors.clock import RealClock
from manyhands.actors.dispatch.deadlines import await_answer, finish
from manyhands.actors.episode.view_reader import ViewReader
from manyhands.actors.interfaces import Gateway, Host
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, holder_name
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from manyhands.protocol.screens.actions import AtomicAction
from manyhands.protocol.screens.screen import Element
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.terminal_text import count_noun
from manyhands.protocol.utilities.validation_words import suggest
from manyhands.rollouts.environment.client_agent import ClientAgent, ClientTurns, ShownScreen
from manyhands.rollouts.environment.messages import (
    EpisodeRequest,
    ErrorCode,
    MessageBody,
    MessageRefused,
    PhoneObservation,
    SessionState,
    StepMetadata,
    observation_message,
)
from manyhands.rollouts.trajectories import RunTrajectories

ATTACH_S = 60.0
"""The time limit for attaching a phone, and for giving it back."""
_log = logging.getLogger(__name__)


class PhonePool:
    """Lease the phone that was used least recently. A phone that cannot be had comes last."""

    def __init__(self, gateway: Gateway, serials: Sequence[str], folder_id: str, lease_s: float) -> None:
        """``folder_id``: of the run folder. ``lease_s``: how long a lease lasts unless it is renewed."""
        self._gateway = gateway
        self._free = deque(serials)
        self._folder_id = folder_id
        self._lease_s = lease_s
        self.size = len(serials)

    async def lease(self, episode: str) -> Lease:
        """Return a lease on a free phone. Raises MessageRefused if none can be had now, with all reasons."""
        holder, reasons = holder_name(episode, self._folder_id), list[str]()
        for _ in range(len(self._free)):
            if not self._free:  # other sessions have taken the rest meanwhile
                break
            serial, lease = self._free.popleft(), None
            try:
                attaching = self._gateway.attach(serial, holder, self._lease_s)
                # A client may leave meanwhile. An attachment that ends is given back; a broken-off one would be held.
                lease = await await_answer(
                    attaching, ATTACH_S, f"attaching {serial}", parting_s=ATTACH_S, too_late=self._gateway.detach
                )
                return lease
            except ManyhandsError as error:
                reasons.append(str(error))
            finally:
                if lease is None:
                    self._free.append(serial)
        why = "; ".join(reasons) or "all are in use"
        raise MessageRefused(f"no phone can be leased now: {why}", ErrorCode.CAPACITY_REACHED)

    async def give_back(self, lease: Lease) -> None:
        """Give a phone back, even while the caller is being cancelled."""
        await finish(self._give_back(lease))

    async def _give_back(self, lease: Lease) -> None:
        try:
            await await_answer(self._gateway.detach(lease), ATTACH_S, f"giving {lease.serial} back")
        except ManyhandsError as error:
            _log.warning("%s was not given back, its lease will run out: %s", lease.serial, error)
        finally:
            self._free.append(lease.serial)


CLIENT_S = 7 * 86_400.0
"""The time limit of an episode, and of a decision in it. A client that thinks too long is ended as idle before."""


def settings_for_clients(settings: EpisodeSettings) -> EpisodeSettings:
    """Return the settings of episodes in which clients decide."""
    return settings.model_copy(update={"profile": "bare", "deadlines": {**settings.deadlines, "decide": CLIENT_S}})


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneEnvironment:
    """Hold what all sessions share."""

    run: str
    batch: str
    """The name of the run's one batch, which has all tasks."""
    tasks: Mapping[str, TaskSpec]
    """The tasks by their ids, in their order in the batch."""
    settings: EpisodeSettings
    """The settings of ``settings_for_clients``."""
    host: Host
    agent: ClientAgent
    """The agent that ``host`` asks."""
    gateway: Gateway
    phones: PhonePool
    trajectories: RunTrajectories
    """Tell what episodes have earned."""
    attempts: Counter[str] = field(default_factory=Counter)
    """The highest number of an attempt by task."""
    unused_attempts: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """Numbers by task of attempts that got no phone. The next ones take them."""
    reward_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while ``trajectories`` is used, which is for one thread at a time."""

    def task_of(self, request: EpisodeRequest) -> TaskSpec:
        """Return the task that a request names by its id or index. Raises MessageRefused."""
        tasks, id, index = tuple(self.tasks.values()), request.task, request.index
        if id is not None and index is not None:
            raise MessageRefused("task, index: give one of them")
        if id is not None:
            if id not in self.tasks:
                raise MessageRefused(f"task {id!r} is unknown{suggest(id, self.tasks)}")
            return self.tasks[id]
        if index is None and len(tasks) > 1:
            raise MessageRefused(f"task: name one of {', '.join(self.tasks)}")
        if index is not None and index >= len(tasks):
            raise MessageRefused(f"index {index}: there are {count_noun(len(tasks), 'task')}")
        return tasks[index or 0]

    @contextmanager
    def number_attempt(self, task: str) -> Iterator[int]:
        """Give the number of a task's next attempt. It counts if the context, in which it gets a phone, succeeds."""
        unused, has_phone = self.unused_attempts[task], False
        self.attempts[task] += not unused
        attempt = min(unused, default=self.attempts[task])
        unused.discard(attempt)
        try:
            yield attempt
            has_phone = True
        finally:
            if not has_phone:
                unused.add(attempt)

    async def reward_of(self, episode: str) -> tuple[float | None, str | None]:
        """Return what an ended episode earned by the run's ``reward``, or the fault that took it. Raises StoreError."""
        async with self.reward_lock:
            trajectory = await asyncio.to_thread(self.trajectories.trajectory, episode)
        if trajectory is None:
            return None, "its journal is missing"
        return trajectory.reward, trajectory.facts.fault

    def order(self, task: TaskSpec, seed: int | None, episode: str, attempt: int, lease: Lease) -> EpisodeOrder:
        """Return the order for an episode of a task."""
        limits = task.limits.model_copy(update={"wall_s": CLIENT_S})
        reset_seed = task.reset_seed if seed is None else seed
        return EpisodeOrder(
            run=self.run,
            episode=episode,
            attempt=attempt,
            task=task.model_copy(update={"limits": limits, "reset_seed": reset_seed}),
            lease=lease,
            memory=LongTermMemory(),
            settings=self.settings,
            batch=self.batch,
            place=list(self.tasks).index(task.id),
        )


class ClientEpisode:
    """Run an episode whose actions a client gives."""

    def __init__(self, host: Host, order: EpisodeOrder, turns: ClientTurns, stack: AsyncExitStack) -> None:
        """Start the episode in a task of its own, which ``stop`` ends. ``stack`` is closed then, to free its phone."""
        self.order = order
        self._turns = turns
        self._stack = stack
        self._running = asyncio.create_task(self._run(host), name=order.episode)

    async def _run(self, host: Host) -> EpisodeResult:
        async with self._stack:
            return await host.run_episode(self.order)

    async def next_turn(self) -> ShownScreen | EpisodeResult:
        """Return the next screen, or the result if the episode ends before it. Raises the errors of the host."""
        screen = asyncio.create_task(self._turns.next_screen())
        try:
            await asyncio.wait({screen, self._running}, return_when=asyncio.FIRST_COMPLETED)
            return self._running.result() if self._running.done() else screen.result()
        finally:
            screen.cancel()

    def act(self, action: AtomicAction) -> None:
        """Give the action for the screen of the last turn."""
        self._turns.act(action)

    async def stop(self) -> None:
        """End the episode as cancelled if it still runs, and wait until its phone is given back."""
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)
        await self._stack.aclose()  # a task that was cancelled before it began has closed nothing


class Session:
    """Answer one client's messages, which come one at a time."""

    def __init__(self, environment: PhoneEnvironment) -> None:
        self._environment = environment
        self._clock = RealClock()
        self._episode: ClientEpisode | None = None
        """The episode that runs; None before the first one and after its end."""
        self._views: ViewReader | None = None
        """Set if the client wants elements."""
        self._last_answer: tuple[str, AtomicAction, MessageBody] | None = None
        """The last step with a key: the key, the action and the answer."""
        self._keys = set[str]()
        """The keys of the episode's steps."""
        self.state = SessionState()

    async def close(self) -> None:
        """End the episode that runs, and give its phone back, also while the caller is being cancelled."""
        episode, self._episode = self._episode, None
        if self._views is not None:
            self._views.end()
        if episode is not None:
            await finish(episode.stop())

    async def reset(self, request: EpisodeRequest) -> MessageBody:
        """Begin another episode, and return its first screen. Raises MessageRefused."""
        environment = self._environment
        task = environment.task_of(request)
        await self.close()
        async with AsyncExitStack() as stack:
            with environment.number_attempt(task.id) as attempt:
                name = f"{task.id}-{attempt}-{secrets.token_hex(6)}"
                lease = await environment.phones.lease(name)
            stack.push_async_callback(environment.phones.give_back, lease)
            turns = stack.enter_context(environment.agent.turns_of(name))
            order = environment.order(task, request.seed, name, attempt, lease)
            self._episode = ClientEpisode(environment.host, order, turns, stack.pop_all())
        wait_s = order.settings.elements_wait_s
        self._views = ViewReader(environment.gateway, self._clock, wait_s) if request.elements else None
        self._last_answer, self._keys = None, set()
        self.state = SessionState(
            episode_id=request.episode_id or name, episode=name, task=task.id, seed=order.task.reset_seed
        )
        return await self._observe(self._episode)

    async def step(self, action: AtomicAction, metadata: StepMetadata) -> MessageBody:
        """Carry out an action once, and return the next screen or the end. Raises MessageRefused."""
        key = metadata.request_id
        if key is not None and self._last_answer is not None and self._last_answer[0] == key:
            if self._last_answer[1] != action:
                raise MessageRefused(f"request_id {key!r}: this key is of another action")
            return self._last_answer[2]
        if key is not None and key in self._keys:
            raise MessageRefused(f"request_id {key!r}: this step was sent before, and its answer is no longer there")
        if self._episode is None:
            raise MessageRefused("no episode runs: send reset first", ErrorCode.EXECUTION_ERROR)
        if key is not None:
            self._keys.add(key)
        self._episode.act(action)
        self.state = self.state.model_copy(update={"step_count": self.state.step_count + 1})
        answer = await self._observe(self._episode)
        if key is not None:
            self._last_answer = (key, action, answer)
        return answer

    async def _observe(self, episode: ClientEpisode) -> MessageBody:
        """Return the next turn as an observation."""
        try:
            turn = await episode.next_turn()
        except Exception:  # of the host: the episode is over, and has no result
            await self.close()
            raise
        if isinstance(turn, EpisodeResult):
            return await self._end(episode, turn)
        shot = turn.screenshot
        observation = PhoneObservation(
            goal=episode.order.task.goal,
            screen_image=base64.b64encode(turn.image.jpeg).decode(),
            screen_width=shot.size.width,
            screen_height=shot.size.height,
            keyboard=shot.keyboard,
            app=shot.app_label,
            elements=await self._elements(episode, turn),
            problem=turn.problem,
        )
        return observation_message(observation, self.state, {})

    async def _elements(self, episode: ClientEpisode, turn: ShownScreen) -> tuple[Element, ...] | None:
        if self._views is None:
            return None
        deadline = self._clock.now() + episode.order.settings.elements_wait_s
        context = CallContext(episode=episode.order.episode, step=turn.step, deadline=deadline)
        reading = await self._views.read(episode.order.lease, turn.screenshot, context)
        return None if reading.tree is None else reading.tree.elements

    async def _end(self, episode: ClientEpisode, result: EpisodeResult) -> MessageBody:
        await self.close()
        self.state = self.state.model_copy(update={"done": True})
        reward, fault = await self._environment.reward_of(result.episode)
        self.state = self.state.model_copy(update={"reward": reward})
        observation = PhoneObservation(
            goal=episode.order.task.goal, ending=result.ending, fault=fault is not None, reason=result.reason
        )
        details: dict[str, JsonValue] = {
            "verified_by": result.verified_by,
            "rubrics": dict(result.rubrics),
            "unmet": [str(test) for test in result.unmet],
            "answer": result.answer,
        }
        return observation_message(observation, self.state, details)
