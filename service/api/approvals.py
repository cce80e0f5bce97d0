"""Group the questions of agents whether an action may be sent, so that a person answers equal ones at once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from manyhands.protocol.service.attention import Approval, HeldEpisode


def group_approvals(held: Iterable[HeldEpisode]) -> tuple[Approval, ...]:
    """Return the questions of held episodes, equal ones as one, in the order of their first episodes.

    Questions are equal if their goals and texts are. The text names the action, its target, the app, what was typed and
    the greatest amount shown.
    """
    groups: dict[tuple[str, str], list[HeldEpisode]] = {}
    for episode in held:
        if episode.consent is not None:
            groups.setdefault((episode.goal, episode.question), []).append(episode)
    return tuple(
        Approval(id=_digest(episodes), goal=goal, question=question, episodes=tuple(episodes))
        for (goal, question), episodes in groups.items()
    )


def _digest(episodes: Sequence[HeldEpisode]) -> str:
    """Return the digest of what a person saw: these episodes, each with its question."""
    seen = sorted(f"{one.episode} {one.consent.id}" for one in episodes if one.consent)
    return hashlib.blake2b("\n".join(seen).encode(), digest_size=8).hexdigest()
