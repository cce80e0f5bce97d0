"""When a server that died is started again: after a pause that grows, and not for ever."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """``deaths`` within ``within_s`` seconds and a server is given up; the pause doubles up to ``longest_s``."""

    deaths: int = 5
    within_s: float = 600.0
    first_s: float = 2.0
    longest_s: float = 60.0


@dataclass(slots=True)
class Deaths:
    """One server's deaths, by a clock that its caller reads."""

    policy: RestartPolicy
    times: list[float] = field(default_factory=list)

    def pause_after(self, now: float, was_well: bool = True) -> float | None:
        """Seconds until the next start after a death at ``now``; None: given up.

        ``was_well``: the life that ended had come up. One that had not says that the deaths before are still of
        interest, however long it took to load.
        """
        kept = [time for time in self.times if now - time < self.policy.within_s or not was_well]
        self.times = [*kept, now]
        count = len(self.times)
        if count >= self.policy.deaths:
            return None
        return min(self.policy.longest_s, self.policy.first_s * 2.0 ** (count - 1))
