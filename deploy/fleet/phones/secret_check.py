"""Check before a batch begins that the gateways of its phones have the secrets that tasks name."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from manyhands.actors.interfaces import PhoneDirectory
from manyhands.actors.phones.secret_values import SecretUnavailable
from manyhands.protocol.errors import CallError, PhoneError, StateUnavailable
from manyhands.protocol.phones import site_of
from manyhands.protocol.secrets import SECRETS
from manyhands.protocol.tasks.task import TaskSpec

_log = logging.getLogger(__name__)


async def check_secrets(directory: PhoneDirectory, serials: Iterable[str], tasks: Sequence[TaskSpec]) -> None:
    """Raise SecretUnavailable if a task names a secret that has no value where the phones are.

    Of each site, the first phone that answers is asked. No answer has a value.
    """
    tasks_by_name = {name: task.id for task in reversed(tasks) for name in sorted(task.secrets)}
    if not tasks_by_name:
        return
    sites: defaultdict[str, list[str]] = defaultdict(list)
    for serial in sorted(serials):
        sites[site_of(serial)].append(serial)
    answers = await asyncio.gather(*(_ask(directory, of_site) for of_site in sites.values()))
    for site, answer in zip(sites, answers, strict=True):
        where = f" at the site {site}" if site else ""
        for name, task in sorted(tasks_by_name.items()):
            unknown = f"secret {name}: nobody has declared it; add it under secrets in --config (docs/secrets.md)"
            if answer is not None and (problem := answer.get(name, unknown)):
                raise SecretUnavailable(f"task {task}{where}: {problem}")


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
