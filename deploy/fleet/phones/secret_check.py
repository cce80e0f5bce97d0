"""Check before a batch begins that the gateways of its phones have the secrets that tasks name."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from manyhands.actors.interfaces import PhoneDirectory
from manyhands.actors.phones.secret_values import SecretUnavailable, check_source
from manyhands.protocol.errors import CallError, PhoneError, StateUnavailable
from manyhands.protocol.phones import site_of
from manyhands.protocol.secrets import SECRETS, Secret
from manyhands.protocol.tasks.task import TaskSpec

_log = logging.getLogger(__name__)


async def check_before_ray(
    directory: PhoneDirectory, serials: Iterable[str], tasks: Sequence[TaskSpec], declared: Mapping[str, Secret]
) -> None:
    """Raise SecretUnavailable if a task names a secret that certainly has no value where the phones are.

    Of this host, only the sources are checked: the gateways, which are not started yet, read the values. Sites behind
    brokers have gateways, so they are asked.
    """
    sites: defaultdict[bool, list[str]] = defaultdict(list)
    for serial in serials:
        sites[bool(site_of(serial))].append(serial)
    await check_secrets(directory, sites[True], tasks)
    for name, task in _tasks_by_secret(tasks).items() if sites[False] else ():
        try:
            await asyncio.to_thread(check_source, name, declared)
        except SecretUnavailable as error:
            raise SecretUnavailable(f"task {task}: {error}") from None


async def check_secrets(directory: PhoneDirectory, serials: Iterable[str], tasks: Sequence[TaskSpec]) -> None:
    """Raise SecretUnavailable if a task names a secret that has no value where the phones are.

    Of each site, the first phone that answers is asked. No answer has a value.
    """
    tasks_by_secret = _tasks_by_secret(tasks)
    if not tasks_by_secret:
        return
    sites: defaultdict[str, list[str]] = defaultdict(list)
    for serial in sorted(serials):
        sites[site_of(serial)].append(serial)
    answers = await asyncio.gather(*(_ask(directory, of_site) for of_site in sites.values()))
    for site, answer in zip(sites, answers, strict=True):
        where = f" at the site {site}" if site else ""
        for name, task in tasks_by_secret.items():
            unknown = f"secret {name}: nobody has declared it; add it under secrets in --config (docs/secrets.md)"
            if answer is not None and (problem := answer.get(name, unknown)):
                raise SecretUnavailable(f"task {task}{where}: {problem}")


def _tasks_by_secret(tasks: Sequence[TaskSpec]) -> Mapping[str, str]:
    """Return the secrets that tasks name, in the order of the alphabet, each with the first task's id."""
    by_name = {name: task.id for task in reversed(tasks) for name in task.secrets}
    return dict(sorted(by_name.items()))


async def _ask(directory: PhoneDirectory, serials: Sequence[str]) -> Mapping[str, Any] | None:
    """Return the secrets of a site, each with its problem; None if none of its phones answers."""
    for serial in serials:
        try:
            return await directory.look(serial, SECRETS)
        except StateUnavailable:
            return {}
        except (PhoneError, CallError) as error:
            _log.info("%s does not tell its secrets: %s", serial, error)
    return None
