"""Sum up the model's usage by role, server and asker, from the calls in journals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from manyhands.evaluation.timing import percentiles, union_length
from manyhands.protocol.journals.records import Learned, Recalled, Record, StageRecord, StatementJudged
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.role import STEP_ROLES, Role
from manyhands.protocol.runs.run_summary import Asker, RoleUsage

ASKERS: Mapping[Role, Asker] = {
    Role.PERMIT: "verifier",
    Role.RECALL: "retriever",
    Role.LEARN_TIPS: "learners",
    Role.LEARN_SHORTCUTS: "learners",
    Role.JUDGE: "judge",
}
"""Who asks a model outside of steps, by role. Calls of all other roles belong to steps."""


def calls_of(records: Iterable[Record]) -> list[ModelCall]:
    """Return the agent's model calls, including those of failed stages, retrievers and learners."""
    return [call for record in records if isinstance(record, StageRecord | Recalled | Learned) for call in record.calls]


def all_calls_of(records: Iterable[Record]) -> list[ModelCall]:
    """Return all model calls: the agent's, then those of the judge of its checks."""
    all_records = list(records)
    judged = (record for record in all_records if isinstance(record, StatementJudged))
    return [*calls_of(all_records), *(call for record in judged for call in record.calls)]


def usage_by_role(calls: Iterable[ModelCall]) -> dict[str, RoleUsage]:
    """Return the usage of each step role, even without calls, and of other roles with calls.

    Calls of captioners are in no journal, because captions serve the whole fleet.
    """
    by_role: dict[str, list[ModelCall]] = {role.value: [] for role in STEP_ROLES}
    for call in calls:
        by_role.setdefault(call.role.value, []).append(call)
    return {role: usage(calls) for role, calls in by_role.items()}


def usage_by_server(calls: Iterable[ModelCall]) -> dict[str, RoleUsage]:
    """Return the usage of each server. A call counts for the server to which it was sent last."""
    by_server: dict[str, list[ModelCall]] = defaultdict(list)
    for call in calls:
        by_server[call.server].append(call)
    return {server: usage(by_server[server]) for server in sorted(by_server)}


def calls_by_asker(records: Iterable[Record]) -> Mapping[Asker, list[ModelCall]]:
    """Group calls by asker: the steps, the verifier, the retriever, the learners; also the judge, if it was asked."""
    calls: dict[Asker, list[ModelCall]] = {"steps": [], "verifier": [], "retriever": [], "learners": []}
    for call in all_calls_of(records):
        calls.setdefault(ASKERS.get(call.role, "steps"), []).append(call)
    return calls


def usage(calls: Sequence[ModelCall]) -> RoleUsage:
    """Return the sums and percentiles of calls."""
    input_tokens = sum(call.usage.input_tokens for call in calls)
    cached_tokens = sum(call.usage.cached_tokens for call in calls)
    return RoleUsage(
        calls=len(calls),
        input_tokens=input_tokens,
        output_tokens=sum(call.usage.output_tokens for call in calls),
        cached_tokens=cached_tokens,
        cached_share=cached_tokens / input_tokens if input_tokens else None,
        errors=sum(call.error is not None for call in calls),
        retries=sum(call.attempts - 1 for call in calls),
        repairs=sum(call.repair for call in calls),
        queue_ms=percentiles([call.queue_ms for call in calls]),
        latency_ms=percentiles([_latency_ms(call) for call in calls if call.error is None]),
    )


def _latency_ms(call: ModelCall) -> float:
    """Return the latency of a call without the time in which no server answered."""
    within = (call.started_at, call.started_at + call.latency_ms / 1000)
    return max(0.0, call.latency_ms - union_length(call.away, within) * 1000)
