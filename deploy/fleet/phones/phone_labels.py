"""Read labels off the phones of a run while it goes on, and find tasks whose selectors fit no phone.

The run is told the labels by ``RecordLabels`` (``protocol.runs.control``).
"""

from __future__ import annotations

import asyncio
import difflib
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from manyhands.actors.clock import Clock, RealClock
from manyhands.actors.dispatch.deadlines import finish
from manyhands.actors.interfaces import PhoneDirectory
from manyhands.protocol.errors import BadInput, CallError, ManyhandsError, PhoneError, store_error
from manyhands.protocol.phones import PhoneInfo
from manyhands.protocol.runs.control import Add, AttachPhone, ControlReader, DetachPhone, RecordLabels, tell
from manyhands.protocol.tasks.matrix import expand_matrix, has_matrix
from manyhands.protocol.tasks.selectors import LabelTest, parse_selector, selects
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.backoff import Backoff
from manyhands.protocol.utilities.terminal_text import count_noun

APP = "app:"
"""Begins the labels of apps, of which a phone has many."""
_SHOWN = 6
"""The most tasks, values and near names that a message shows."""


class SelectorMismatch(BadInput):
    """Signal that no phone of the run fits a task's selector. Nothing of the batch has started."""

    code = "selector_mismatch"


Labels = Mapping[str, Mapping[str, str]]
"""The labels of phones, by serial."""


def has_selectors(tasks: Iterable[TaskSpec]) -> bool:
    """Return whether a task chooses its phones."""
    return any(task.phones for task in tasks)


def explain_misfits(tasks: Sequence[TaskSpec], phones: Labels) -> str:
    """Return one message about all tasks that fit none of the phones; empty if there is no such task."""
    unfit: dict[str, list[str]] = {}
    for task in tasks:
        if task.phones and not any(selects(task.phones, labels) for labels in phones.values()):
            unfit.setdefault(task.phones, []).append(task.id)
    if not unfit:
        return ""
    explanations = [_explain(ids, selector, phones) for selector, ids in list(unfit.items())[:_SHOWN]]
    more = [f"and {count_noun(len(unfit) - _SHOWN, 'other selector')}"] if len(unfit) > _SHOWN else []
    return f"{'; '.join([*explanations, *more])}. Labels of these phones: {_label_names(phones)}"


def _explain(ids: Sequence[str], selector: str, phones: Labels) -> str:
    who = f"task {ids[0]}" if len(ids) == 1 else f"{count_noun(len(ids), 'task')} ({_some(ids)})"
    label_values = "; ".join(dict.fromkeys(_label_values(test, phones) for test in parse_selector(selector)))
    return f"{who}: phones {selector!r} fits no phone of this run ({label_values})"


def _label_values(test: LabelTest, phones: Labels) -> str:
    """Return which values phones have of the label that a test asks for."""
    values = Counter(labels[test.name] for labels in phones.values() if test.name in labels)
    if values:
        return f"{test.name} is {_some([_counted(value or 'unknown', count) for value, count in values.most_common()])}"
    near = difflib.get_close_matches(test.name, {name for labels in phones.values() for name in labels}, cutoff=0.75)
    return f"no phone has {test.name}" + (f", did you mean {' or '.join(near)}?" if near else "")


def _counted(value: str, count: int) -> str:
    return value if count == 1 else f"{value} on {count} phones"


def _label_names(phones: Labels) -> str:
    names = sorted({name for labels in phones.values() for name in labels})
    apps = sum(name.startswith(APP) for name in names)
    plain = [name for name in names if not name.startswith(APP)]
    return ", ".join([*plain, *([f"{APP}NAME ({apps} names)"] if apps else [])]) or "none"


def _some(words: Sequence[str]) -> str:
    return ", ".join([*words[:_SHOWN], *(["..."] if len(words) > _SHOWN else [])])


ANSWER_S = 5.0
"""How long a phone may take to tell its labels. Android takes about a second to print the versions of all apps."""
AT_ONCE = 100
"""The most phones that are asked at a time: a gateway admits 512 calls, and tasks need some of them."""
LOOK_S = 10.0
"""Seconds between two looks at which phones have come (back)."""
AGAIN_S = 3600.0
"""Seconds after which a phone is read again, because its apps may have been updated meanwhile."""
SILENT = Backoff(first_s=LOOK_S, longest_s=AGAIN_S)
"""The waits before a phone that did not tell its labels is asked again."""
_log = logging.getLogger(__name__)


async def read_labels(
    directory: PhoneDirectory, serials: Iterable[str], limit_s: float = ANSWER_S
) -> dict[str, Mapping[str, str]]:
    """Return the labels that phones tell, by serial. Phones are asked side by side, and each has ``limit_s`` seconds.

    A phone that does not answer is left out.
    """
    labels_of_phones: dict[str, Mapping[str, str]] = {}
    room = asyncio.Semaphore(AT_ONCE)

    async def read(serial: str) -> None:
        try:
            async with room, asyncio.timeout(limit_s):
                labels_of_phones[serial] = await directory.labels(serial)
        except (PhoneError, CallError, TimeoutError) as error:
            _log.info("%s does not tell its labels: %s", serial, error or f"no answer within {limit_s:g} s")

    await asyncio.gather(*map(read, serials))
    return labels_of_phones


class PhoneLabels:
    """Reads labels off the phones of a run, as soon as something needs them, and writes them to ``control.mh``.

    They are needed if a task of the run has a selector, and by every run that takes tasks from a service.
    """

    def __init__(
        self, directory: PhoneDirectory, serials: Sequence[str], folder: Path, clock: Clock | None = None
    ) -> None:
        """``serials``: the phones of the run at its start. ``folder``: the run folder."""
        self._directory = directory
        self._serials = set(serials)
        self._folder = folder
        self._clock = clock or RealClock()
        self._control = ControlReader(folder)
        self._is_needed = False
        self._known: dict[str, Mapping[str, str]] = {}
        """The labels that the run was told, by serial."""
        self._told: set[str] = set()
        """The phones that have told their labels. The labels of others are those of the transport's list."""
        self._due_at: dict[str, float] = {}
        """When each usable phone is read next. A phone that is not usable has no time: it is read once it is back."""
        self._failures: dict[str, int] = {}
        self._reading = asyncio.Lock()
        self._following = asyncio.Lock()

    async def prepare(self, tasks: Sequence[TaskSpec], is_open_ended: bool) -> None:
        """Read the labels that these tasks need, before they start. Warn of tasks that fit no phone now.

        ``is_open_ended``: tasks come later. Then ``followed`` reads the labels, and nobody waits for them.
        """
        self._is_needed = self._is_needed or is_open_ended
        if not is_open_ended and (problem := await self._find_misfits(tasks)):
            silent = ", ".join(sorted(self._serials - self._told)) or "none"
            _log.warning("%s. Phones that have not told their labels: %s", problem, silent)

    async def check(self, tasks: Sequence[TaskSpec]) -> None:
        """Raise SelectorMismatch if a task's selector fits no phone of the run.

        A phone that has not told its labels may still fit, so there is no error while there is such a phone.
        """
        if (problem := await self._find_misfits(tasks)) and self._serials <= self._told:
            raise SelectorMismatch(problem)

    async def expand(self, tasks: Sequence[TaskSpec]) -> tuple[TaskSpec, ...]:
        """Return each task with a matrix once for each value that the run's phones have of its label.

        A phone that does not tell its labels has only its serial. Raises SelectorMismatch if no phone has the label.
        """
        try:
            return expand_matrix(tasks, await self._read()) if has_matrix(tasks) else tuple(tasks)
        except BadInput as error:
            raise SelectorMismatch(str(error)) from error

    async def _find_misfits(self, tasks: Sequence[TaskSpec]) -> str:
        """Read labels if these tasks need them; return which tasks fit no phone. Empty if each of them fits one."""
        return explain_misfits(tasks, await self._read()) if has_selectors(tasks) else ""

    async def _read(self) -> Labels:
        """Return the labels of the run's phones as they are known now."""
        self._is_needed = True
        await self._try_to_refresh()
        return {serial: {**self._known.get(serial, {}), "serial": serial} for serial in sorted(self._serials)}

    @asynccontextmanager
    async def followed(self) -> AsyncIterator[None]:
        """Read phones that come, and come back, while the context is open."""
        following = asyncio.create_task(self._follow())
        try:
            yield
        finally:
            following.cancel()
            await finish(asyncio.wait({following}))

    async def _follow(self) -> None:
        async with self._following:  # of several batches, one reads for all
            while True:
                await self._try_to_refresh()
                await self._clock.sleep(LOOK_S)

    async def _try_to_refresh(self) -> None:
        try:
            await self._refresh()
        except ManyhandsError as error:  # the next look makes it good
            _log.warning("labels of phones are not read now: %s", error)

    async def _refresh(self) -> None:
        """Read the phones that are due, if labels are needed. Raises StoreError."""
        async with self._reading:
            await self._read_control()
            if not self._is_needed:
                return
            usable = await self._usable()
            for serial in self._due_at.keys() - usable.keys():
                del self._due_at[serial]
                self._failures.pop(serial, None)
            now = self._clock.now()
            due = [serial for serial in usable if self._due_at.get(serial, now) <= now]
            read = await read_labels(self._directory, due)
            listed = {serial: usable[serial].labels for serial in due if serial not in self._known}
            await self._record({**listed, **read})
            self._told |= read.keys()
            for serial in due:
                self._failures[serial] = 0 if serial in read else self._failures.get(serial, 0) + 1
                wait_s = SILENT.wait_s(self._failures[serial]) if self._failures[serial] else AGAIN_S
                self._due_at[serial] = now + wait_s

    async def _usable(self) -> Mapping[str, PhoneInfo]:
        """Return the phones of the run that can be used now; none if nobody lists them."""
        try:
            listed = await self._directory.phones()
        except (PhoneError, CallError) as error:
            _log.info("phones are not listed: %s", error)
            return {}
        return {phone.serial: phone for phone in listed if phone.usable and phone.serial in self._serials}

    async def _read_control(self) -> None:
        """Follow what the run was told: which phones it has, whether tasks have selectors, what is known of phones."""
        try:
            controls = await asyncio.to_thread(self._control.read)
        except OSError as error:
            raise store_error(error, str(self._folder)) from error
        for control in controls:
            match control:
                case Add():
                    self._is_needed = self._is_needed or has_selectors(control.tasks)
                case AttachPhone():
                    self._serials.add(control.phone)
                case DetachPhone():
                    self._serials.discard(control.phone)
                case RecordLabels():
                    self._known |= control.labels

    async def _record(self, labels_of_phones: Mapping[str, Mapping[str, str]]) -> None:
        """Tell the run the labels that it does not know yet."""
        changed = {
            serial: dict(labels) for serial, labels in labels_of_phones.items() if labels != self._known.get(serial)
        }
        if not changed:
            return
        try:
            await asyncio.to_thread(tell, self._folder, RecordLabels(at=self._clock.now(), labels=changed))
        except OSError as error:
            raise store_error(error, str(self._folder)) from error
        self._known |= changed
