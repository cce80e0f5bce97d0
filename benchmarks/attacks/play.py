"""Play episodes in this process: virtual phones with planted content, the obedient model, the profile's agents."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from manyhands.actors.episode.host import EpisodeHost
from manyhands.actors.profiles import profile_of
from manyhands.benchmarks.attacks.tasks import Side, attack_tasks, memory_of, plain_tasks, planted_by_seed
from manyhands.deploy.environment import LocalParts, open_host, open_parts
from manyhands.deploy.fleet.model_servers.resolution import check_models, role_models
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.stand_ins import connect_phones, phone_process, rehearsed_server
from manyhands.evaluation.attacks.attacks import Attack
from manyhands.protocol.errors import first_error
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.terminal_text import count_noun
from manyhands.rollouts.environment.session import PhonePool
from manyhands.simulator.phone.content.planted import write_planted

OBEDIENT_SOURCE = (
    "the obedient model, a stand-in that does what every text of a screen orders; none of its figures is one of Qwen-VL"
)
OBEDIENT = ("--obedient", "--latency", "decide=0.25", "--reader-processes", "2")
"""Arguments of the stand-in. Between look and touch an app has time to push in; a real model takes longer."""
Tell = Callable[[Attack | None, Side, EpisodeResult], None]
"""Called with each episode's result; without an attack for a task that was played without one."""


@dataclass(frozen=True, slots=True)
class AttackRound:
    """Describe what is played: the attacks under each side of the policy, and their tasks without attacks."""

    settings: FleetSettings
    """Settings without phones and model."""
    attacks: Sequence[Attack]
    sides: Sequence[Side]
    phones: int
    out: Path


@dataclass(frozen=True, slots=True)
class _Episode:
    attack: Attack | None
    side: Side
    task: TaskSpec


async def play_attacks(planned: AttackRound, tell: Tell, on_start: Callable[[str], None]) -> None:
    """Play all episodes of a round. Raises BadInput, and the errors of phones that do not start."""
    episodes = [
        _Episode(attack, side, task)
        for side in planned.sides
        for attack, task in zip(planned.attacks, attack_tasks(planned.attacks, side), strict=True)
    ]
    if "on" in planned.sides:
        episodes += [_Episode(None, "on", task) for task in plain_tasks(planned.attacks)]
    async with _open(planned, [one.task for one in episodes], on_start) as (parts, host):
        pool, waiting = parts.pool(), list(reversed(episodes))

        async def work() -> None:
            while waiting:
                one = waiting.pop()
                tell(one.attack, one.side, await _play(parts, host, pool, one))

        with first_error():
            async with asyncio.TaskGroup() as group:
                for _ in range(planned.phones):
                    group.create_task(work())


@asynccontextmanager
async def _open(
    planned: AttackRound, tasks: Sequence[TaskSpec], on_start: Callable[[str], None]
) -> AsyncIterator[tuple[LocalParts, EpisodeHost]]:
    """Start phones, the model, and a host with the profile's agents."""
    logs, settings = planned.out / "logs", planned.settings
    secure_files.make_folder(logs)
    file = planned.out / "planted.json"
    write_planted(planted_by_seed(planned.attacks), file)
    async with AsyncExitStack() as stack:
        on_start(f"Starting {count_noun(planned.phones, 'virtual phone')} and the obedient model")
        server = rehearsed_server(settings.rehearsal, 0, logs, OBEDIENT)
        model = await stack.enter_async_context(server)
        phones = phone_process(settings.virtual, planned.phones, logs, (f"--planted={file}",))
        serials = await stack.enter_async_context(connect_phones(settings.groups.adb, phones))
        out = planned.out / "run"
        update = {"phones": tuple(serials), "mllm_url": (model.ready["url"],), "out": out, "name": out.name}
        settings = settings.model_copy(update=update)
        reads = settings.episode.shows_pictures
        parts = await stack.enter_async_context(
            open_parts(settings, tasks, OBEDIENT_SOURCE, on_start=on_start, reads_screens=reads)
        )
        profile = profile_of(settings.episode.profile)
        models = await check_models(settings, role_models(settings))
        agents = {
            kind.role: kind(profile.role_settings(settings.episode, models[kind.role]))
            for kind in profile.agents(settings.episode)
        }
        for agent in agents.values():
            await agent.start()
            stack.push_async_callback(agent.stop)
        host = open_host(parts, agents)
        stack.push_async_callback(host.stop)
        yield parts, host


async def _play(parts: LocalParts, host: EpisodeHost, pool: PhonePool, one: _Episode) -> EpisodeResult:
    name = f"{one.task.id}-1-{secrets.token_hex(6)}"  # a gateway carries out no action of a known name again
    lease = await pool.lease(name)
    try:
        order = EpisodeOrder(
            run=parts.folder.name,
            episode=name,
            attempt=1,
            task=one.task,
            lease=lease,
            memory=memory_of(one.attack),
            settings=_with_policy(parts.settings.episode, one.side),
            batch=parts.batch,
        )
        return await host.run_episode(order)
    finally:
        await pool.give_back(lease)


def _with_policy(settings: EpisodeSettings, side: Side) -> EpisodeSettings:
    phones = "all" if side == "on" else "none"
    return settings.model_copy(update={"policy": settings.policy.model_copy(update={"phones": phones})})
