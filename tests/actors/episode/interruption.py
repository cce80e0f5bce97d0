"""Interrupt an episode of the small world after the fact: cut its journal, and put its phone to where that was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from manyhands.protocol.journals.frames import walk
from manyhands.protocol.journals.journal import scan
from manyhands.protocol.journals.records import ActionReceived, ActionSent, Record
from manyhands.protocol.phones import Receipt
from manyhands.protocol.runs.results import EpisodeOrder
from tests.actors.episode.world import World
from tests.virtual_clock import START

Fate = Literal["done", "perhaps", "perhaps not", "never begun"]
"""What became of the last action that was sent, where its receipt is not in the journal: its receipt was written, or it
was begun without one and came to the phone or not, or it was never begun."""
FATES: tuple[Fate, ...] = ("done", "perhaps", "perhaps not", "never begun")


@dataclass(frozen=True)
class Cut:
    """Hold where a journal ends, as a share of its bytes, and what was lost with it."""

    place: float
    """Which part of it stays: of its records, or of its bytes."""
    of_bytes: bool
    fate: Fate
    screens_lost: bool = False
    """Whether the newest screen was not on disk yet."""


def interrupted(world: World, order: EpisodeOrder, cut: Cut) -> EpisodeOrder:
    """Cut the journal of an order. Return the order to go on, under the next lease."""
    data = bytes(world.on_disk[order.episode])
    if cut.of_bytes:
        kept = data[: round(cut.place * len(data))]
        kept = kept[: walk(kept).torn_at]  # a store that opens it cuts the torn tail off
    else:
        ends = [0, *(frame.end for frame in walk(data).frames)]
        kept = data[: ends[round(cut.place * (len(ends) - 1))]]
    if cut.screens_lost and world.screens:
        world.screens.popitem()
    return _cut(world, order, kept, cut.fate)


def cut_after(world: World, order: EpisodeOrder, last: Callable[[Record], bool], fate: Fate = "done") -> EpisodeOrder:
    """Cut the journal of an order after the first record that is meant. Return the order to go on."""
    data = bytes(world.on_disk[order.episode])
    records = [(frame.end, scan(data[frame.start : frame.end]).records[0]) for frame in walk(data).frames]
    return _cut(world, order, data[: next(end for end, record in records if last(record))], fate)


def _cut(world: World, order: EpisodeOrder, kept: bytes, fate: Fate) -> EpisodeOrder:
    episode, found = order.episode, scan(kept)
    assert not found.damage
    world.on_disk[episode] = bytearray(kept)
    world.journals[episode] = list(found.records)
    world.places[episode] = found.next_seq
    _rewind(world, found.records, fate)
    world.epoch += 1
    lease = order.lease.model_copy(update={"epoch": world.epoch})
    return order.model_copy(update={"lease": lease, "resume": "killed"})


def _rewind(world: World, records: tuple[Record, ...], fate: Fate) -> None:
    sent = {record.key: record.action for record in records if isinstance(record, ActionSent)}
    received = {record.receipt.key for record in records if isinstance(record, ActionReceived)}
    performed = [key for key in world.ledger if key in sent]
    receipts = {key: receipt for key, receipt in world.receipts.items() if key in sent}
    last = next(reversed(sent), None)
    if last in performed and last not in received:
        if fate in ("perhaps not", "never begun"):
            performed.remove(last)
        if fate == "never begun":
            del receipts[last]
        elif fate != "done":
            receipts[last] = Receipt(key=last, status="unknown", sent_at=START, ms=0)
    world.screen, world.ledger, world.receipts = "s0", [], receipts
    for key in performed:
        world.ledger.append(key)
        world.screen = world.moves(world.screen, sent[key])


def actions(world: World, order: EpisodeOrder) -> list[Any]:
    """The actions that came to the phone, in order."""
    sent = {record.key: record.action for record in world.written(order.episode) if isinstance(record, ActionSent)}
    return [sent[key] for key in world.ledger]
