"""When a server that died is restarted: after a growing pause, a limited number of times."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """Give a server up after ``deaths`` within ``within_s`` seconds; the pause doubles up to ``longest_s``."""

    deaths: int = 5
    within_s: float = 600.0
    first_s: float = 2.0
    longest_s: float = 60.0


@dataclass(slots=True)
class Deaths:
    """Count one server's deaths; its caller reads the clock."""

    policy: RestartPolicy
    times: list[float] = field(default_factory=list)

    def pause_after(self, now: float, was_ready: bool = True) -> float | None:
        """Return the seconds until the next start after a death at ``now``; None to give up.

        ``was_ready`` tells whether the server had become ready. If not, earlier deaths still count, however long it
        took to load.
        """
        kept = [time for time in self.times if now - time < self.policy.within_s or not was_ready]
        self.times = [*kept, now]
        count = len(self.times)
        if count >= self.policy.deaths:
            return None
        return min(self.policy.longest_s, self.policy.first_s * 2.0 ** (count - 1))
