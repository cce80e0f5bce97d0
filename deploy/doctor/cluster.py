"""Ask every node of a cluster what it has, and find what does not fit a run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from manyhands.deploy.cluster.node_facts import (
    Incompatibility,
    NodeAnswer,
    NodeRequirements,
    find_incompatibilities,
    format_labels,
    labels_without_rays,
    matches,
)
from manyhands.deploy.cluster.nodes import ask_nodes, facts_here, live_nodes
from manyhands.deploy.cluster.shared import joined_ray
from manyhands.deploy.fleet.model_servers.resolution import role_models
from manyhands.deploy.fleet.plan import check_places, check_urls, needs_of
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.errors import BadInput

COLUMNS = ("node", "labels", "manyhands", "protocol", "Python", "clock", "weights", "model")

_MENDS: Mapping[str, str] = {
    "answer": "see there: ray status; journalctl -u ray; then start Ray again: ray stop; ray start --address HEAD:6379",
    "manyhands": "there: pip install the wheel of this machine; then ray stop; ray start --address HEAD:6379",
    "protocol": "there: pip install the wheel of this machine; then ray stop; ray start --address HEAD:6379",
    "python": "there: a virtual environment with this machine's Python; then ray start from it",
    "ray": "there: pip install the ray of requirements.lock; then ray stop; ray start --address HEAD:6379",
    "clock": "there: timedatectl set-ntp true",
    "packages": "there: pip install 'manyhands[fleet]'",
    "weights": "copy the file there, to the same path",
    "key": "there: export it before ray start",
    "model": "serve it for other machines: manyhands mllm --host 0.0.0.0; then name an address that nodes reach",
}
"""How to mend an incompatibility, by its kind."""


def mend_of(incompatibility: Incompatibility) -> str:
    """Return what a person has to do to mend an incompatibility."""
    return _MENDS[incompatibility.what]


@dataclass(frozen=True, slots=True)
class ClusterReport:
    """Hold the answers of all nodes, and what does not fit."""

    needs: NodeRequirements
    answers: tuple[NodeAnswer, ...]
    incompatibilities: tuple[Incompatibility, ...]
    mistakes: tuple[str, ...]
    """Messages about settings that no node satisfies."""
    asked_s: float
    """How long the slowest node took to answer."""

    @property
    def fits(self) -> bool:
        return not self.incompatibilities and not self.mistakes

    @property
    def lines(self) -> Iterable[str]:
        """Return a line for each thing that does not fit. An incompatibility is followed by how to mend it."""
        lines_of_nodes = [f"{one.node.name} {one.reason} -> {mend_of(one)}" for one in self.incompatibilities]
        return (*self.mistakes, *lines_of_nodes)

    @property
    def rows(self) -> Iterable[tuple[str, ...]]:
        """Return a row of COLUMNS for each node."""
        return [self._row(answer) for answer in self.answers]

    def as_json(self) -> dict[str, Any]:
        """Return the report as one JSON value."""
        nodes = [
            {
                "node": answer.node.host,
                "address": answer.node.address,
                "labels": labels_without_rays(answer.node),
                "clock_off_s": round(answer.offset_s, 4),
                **({} if answer.facts is None else asdict(answer.facts)),
                "misfits": [
                    {"what": one.what, "said": one.reason, "mend": mend_of(one)}
                    for one in self.incompatibilities
                    if one.node is answer.node
                ],
            }
            for answer in self.answers
        ]
        return {"fits": self.fits, "asked_s": round(self.asked_s, 3), "mistakes": self.mistakes, "nodes": nodes}

    def _row(self, answer: NodeAnswer) -> tuple[str, ...]:
        facts, labels = answer.facts, format_labels(labels_without_rays(answer.node))
        if facts is None:
            return (answer.node.name, labels, *["?"] * (len(COLUMNS) - 2))
        reads = matches(answer.node.labels, self.needs.readers)
        wrong = {one.what for one in self.incompatibilities if one.node is answer.node}
        return (
            answer.node.name,
            labels,
            facts.manyhands or "none",
            "none" if facts.protocol is None else str(facts.protocol),
            facts.python,
            f"{answer.offset_s:+.3f} s",
            "-" if not reads or not self.needs.files else "no" if "weights" in wrong else "yes",
            "-" if not self.needs.urls else "no" if {"model", "key"} & wrong else "yes",
        )


async def examine_cluster(settings: FleetSettings) -> ClusterReport:
    """Ask every node of the cluster that the settings name. Raises BadInput if the cluster cannot be joined."""
    models = role_models(settings) if settings.mllm_url else {}
    needs = needs_of(settings, models)
    async with joined_ray(settings.ray_address, []) as joined:
        mistakes = []
        try:
            check_urls(models, joined.node)
        except BadInput as error:
            mistakes.append(str(error))
        try:
            await check_places(settings)
        except BadInput as error:
            mistakes.append(str(error))
        here = await asyncio.to_thread(facts_here, needs)
        began = time.monotonic()
        answers = await ask_nodes(live_nodes(), needs)
        asked_s = time.monotonic() - began
    return ClusterReport(needs, answers, find_incompatibilities(here, answers, needs), tuple(mistakes), asked_s)
