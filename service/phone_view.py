"""Compute how a service shows phones, from what people told the run and how the run stands. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from manyhands.protocol.runs.control_state import ControlState
from manyhands.protocol.runs.interventions import EpisodePhase
from manyhands.protocol.runs.progress import EpisodeProgress, RunProgress, RunWait
from manyhands.protocol.service.fleet import PhonePhase, PhoneStatus
from manyhands.protocol.service.interventions import ConsentStatus
from manyhands.service.phone_readings import Battery

_AWAY = "phone "
"""Begins the name of what a run waits for (``RunWait.what``) if that is a phone; its serial follows."""


def away_phones(progress: RunProgress) -> dict[str, RunWait]:
    """Return the phones that cannot be used now, by serial."""
    return {wait.what.removeprefix(_AWAY): wait for wait in progress.away if wait.what.startswith(_AWAY)}


def view_phones(
    serials: Sequence[str],
    state: ControlState,
    progress: RunProgress,
    now: float,
    last: Mapping[str, EpisodeProgress] | None = None,
    batteries: Mapping[str, Battery] | None = None,
) -> Sequence[PhoneStatus]:
    """Return the phones with these serials, in the order of the serials.

    ``now``: Unix seconds. ``last``: the last known state of the last episode of phones, by serial.
    ``batteries``: those that are known, by serial.
    """
    last, batteries = last or {}, batteries or {}
    running = {episode.serial: episode for episode in progress.running}
    away = away_phones(progress)
    return [
        _view(
            serial,
            state,
            running.get(serial),
            away.get(serial),
            now,
            last.get(serial),
            progress.losses.get(serial, 0),
            batteries.get(serial),
        )
        for serial in sorted(serials)
    ]


def _view(
    serial: str,
    state: ControlState,
    episode: EpisodeProgress | None,
    away: RunWait | None,
    now: float,
    last: EpisodeProgress | None,
    failures: int,
    battery: Battery | None,
) -> PhoneStatus:
    record = episode or last
    reservation = state.reservations.get(serial)
    if reservation is not None and reservation.until <= now:
        reservation = None
    is_aside = serial in state.paused.phones or serial in state.drained.phones
    since: float | None = None
    if away is not None:
        phase, reason, since = PhonePhase.AWAY, away.reason, away.since
    elif is_aside:
        phase, reason = PhonePhase.ASIDE, state.aside.get(serial, "set aside by manyhands control")
        since = state.paused.phones.get(serial, state.drained.phones.get(serial))
    elif episode is not None:
        phase, reason = PhonePhase.BUSY, ""
    elif reservation is not None:
        phase, reason = PhonePhase.RESERVED, f"reserved for {reservation.owner}"
    else:
        phase, reason = PhonePhase.FREE, ""
    return PhoneStatus(
        serial=serial,
        phase=phase,
        reason=reason,
        phase_since=since,
        labels=dict(state.labels_of(serial)),
        own_labels=dict(state.labels.get(serial, {})),
        task=None if episode is None else episode.task,
        step=None if episode is None else episode.step,
        doing=None if episode is None else episode.doing,
        episode=None if record is None else record.episode,
        subgoal="" if episode is None else episode.subgoal,
        stages=() if episode is None else episode.stages,
        stage_since=None if episode is None else episode.stage_since or None,
        step_since=None if episode is None else episode.step_since,
        screen=None if record is None else record.screen,
        battery=None if battery is None else battery.percent,
        celsius=None if battery is None else battery.celsius,
        failures=failures,
        taken_over_by=episode.held_by if episode is not None and episode.is_taken_over else None,
        held_by=None if episode is None else episode.held_by,
        held_since=None if episode is None else episode.held_since,
        question="" if episode is None else episode.question,
        consent=ConsentStatus.of(episode.consent) if episode is not None and episode.consent is not None else None,
        is_paused=episode is not None and episode.phase is EpisodePhase.PAUSED,
        reserved_for=None if reservation is None else reservation.owner,
        reserved_until=None if reservation is None else reservation.until,
    )
