"""What of a lesson is taken: tips as a difference to the list that was shown, shortcuts by their name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count

from manyhands.actors.memory.limits import (
    MOST_IMPORTED_SHORTCUTS,
    MOST_IMPORTED_TIPS,
    MOST_SHORTCUTS_OF_A_SCOPE,
    too_much,
)
from manyhands.actors.memory.merging import Stands, alike, changes, say_the_same, words
from manyhands.actors.memory.reading import MemoryReader
from manyhands.actors.memory.shortcuts import ShortcutUnusable, check_shortcut
from manyhands.actors.memory.taking import Taking, does_the_same
from manyhands.protocol.lessons import KnownShortcut, KnownTip, Lesson
from manyhands.protocol.memory import Shortcut


def take_tips(memory: MemoryReader, taking: Taking, lesson: Lesson) -> None:
    """Apply the difference between what a learner answered and what it was shown to what stands now."""
    if lesson.tips is None:
        return
    stand = memory.tips([lesson.scope])
    if lesson.replace_whole:
        _replace(memory, taking, stand, lesson.tips.tips)
        return
    whole = {tip.id: tip for tip in stand}
    shown, elsewhere = [], {tip.id: tip.text for tip in memory.initial.tips}
    for id in lesson.tips.shown:
        stood = memory.tip_as_of(id, lesson.made_from)
        if stood is not None and stood[1] == lesson.scope:
            shown.append(Stands(id, stood[0], stood[2]))
        elif stood is not None:
            elsewhere[id] = stood[2]
    if shown and not lesson.tips.tips:  # a whole list has the initial tips at least
        taking.refuse("the list of tips", f"it is empty; the {len(shown)} that were shown stay")
        return
    answered = _own(lesson.tips.tips, shown, elsewhere, taking)
    found, same = changes(shown, answered, {tip.id: Stands(tip.id, tip.version, tip.text) for tip in stand})
    for one in same:
        taking.note("merged", one.id, one.text)
        taking.taught(one.id, lesson.source.episode)
    texts = {tip.id: tip.text for tip in stand}
    for change in found:
        if not change.text:
            taking.remove_tip(change.id, texts.pop(change.id))
    for change in found:
        if not change.text or not taking.takes_tip(change.text):
            continue
        after = {**texts, change.id or f"new {len(texts)}": change.text}
        limit = too_much(after.values())
        if limit and len(change.text) > len(texts.get(change.id, "")):
            taking.refuse(change.text, f"{lesson.scope} has {limit}: condense them first")
            continue
        if change.id:
            taking.word_anew(whole[change.id], change.text)
        else:
            taking.add_tip(change.text)
        texts = after


def _own(
    answered: Sequence[str], shown: Sequence[Stands], elsewhere: Mapping[str, str], taking: Taking
) -> Sequence[str]:
    """Return those of an answered list that are not tips of other scopes; what another knows too stays its own."""
    own, others = Counter(words(tip.text) for tip in shown), {words(text) for text in elsewhere.values()}
    found = []
    for text in answered:
        said = words(text)
        if own[said]:
            own[said] -= 1
            found.append(text)
        elif said not in others:
            equal = next((id for id, other in elsewhere.items() if say_the_same(text, other)), None)
            if equal is None:
                found.append(text)
            else:
                taking.note("merged", equal, text)
    return found


def _replace(memory: MemoryReader, taking: Taking, stand: Sequence[KnownTip], answered: Sequence[str]) -> None:
    """Have a scope know the answered list and nothing else, as in the paper."""
    for tip in stand:
        if all(alike(tip.text, text) < 1.0 for text in answered):
            taking.remove_tip(tip.id, tip.text)
    standing = [tip.text for tip in (*stand, *memory.initial.tips)]
    for text in answered:
        if all(alike(text, other) < 1.0 for other in standing) and taking.takes_tip(text):
            taking.add_tip(text)
            standing.append(text)


def import_tips(memory: MemoryReader, taking: Taking, texts: Sequence[str]) -> None:
    """Add tips that people wrote; what stands there already is not added again."""
    standing = [tip.text for tip in (*memory.tips([taking.scope]), *memory.initial.tips)]
    before = len(standing) - len(memory.initial.tips)
    for text in texts:
        if any(alike(text, other) == 1.0 for other in standing):
            continue
        if before + len(taking.added) >= MOST_IMPORTED_TIPS:
            taking.refuse(text, f"{taking.scope} has {MOST_IMPORTED_TIPS} tips")
        elif taking.takes_tip(text):
            taking.add_tip(text)
            standing.append(text)


def take_shortcut(
    memory: MemoryReader,
    taking: Taking,
    shortcut: Shortcut,
    revises: bool,
    people: bool = False,
    made_from: int | None = None,
) -> None:
    """Add a shortcut, or a new version of the one of its name; refuse what may not be.

    ``revises``: a known one may be. ``people``: a person says so, who may fill a scope further than a learner.
    ``made_from``: the version of the memory that a learner was shown. One of that name that was taught since was not
    meant: both stay, this one under a name of its own.
    """
    try:
        check_shortcut(shortcut, shares=taking.has_size)
    except ShortcutUnusable as error:
        return taking.refuse(shortcut.name, str(error).removeprefix(f"{shortcut.name}: "), "shortcut")
    fault = taking.faults(*_texts(shortcut))
    if fault or any("\n" in text or "\r" in text for text in _texts(shortcut)):
        return taking.refuse(shortcut.name, f"one of its texts {fault or 'has several lines'}", "shortcut")
    initial = [one.shortcut for one in memory.initial.shortcuts if one.shortcut.name == shortcut.name]
    if initial:
        if people and initial[0].steps == shortcut.steps:
            return None
        return taking.refuse(shortcut.name, "a shortcut of that name is there from the start", "shortcut")
    stand = memory.shortcuts([taking.scope], put_aside=True)
    known = next((one for one in stand if one.shortcut.name == shortcut.name), None)
    why = memory.why_put_aside(shortcut)
    if why:
        return taking.refuse(shortcut.name, f"it is as it was when it was put aside: {why}", "shortcut")
    if known is not None and revises and made_from is not None and memory.since(known.id) > made_from:
        same = next(
            (one for one in stand if _is_called_so(one, shortcut) and does_the_same(one.shortcut, shortcut)), None
        )
        if same is not None:
            return taking.note("merged", same.id, shortcut.name)
        known, shortcut = None, _of_its_own_name(shortcut, [one.shortcut.name for one in stand])
    if known is None:
        most = MOST_IMPORTED_SHORTCUTS if people else MOST_SHORTCUTS_OF_A_SCOPE
        if sum(not one.put_aside for one in stand) >= most:
            return taking.refuse(shortcut.name, f"{taking.scope} has {most} shortcuts", "shortcut")
        return taking.add_shortcut(shortcut)
    return _revise(taking, known, shortcut, revises)


def _revise(taking: Taking, known: KnownShortcut, shortcut: Shortcut, revises: bool) -> None:
    if known.shortcut == shortcut:
        taking.note("merged", known.id, shortcut.name)
    elif revises:
        taking.revise(known, shortcut)
    else:
        taking.refuse(shortcut.name, "a shortcut of that name is there", "shortcut")


def _is_called_so(known: KnownShortcut, shortcut: Shortcut) -> bool:
    """Return whether a shortcut has the name of another, or one that was made of it."""
    return re.fullmatch(rf"{shortcut.name}(_\d+)?", known.shortcut.name) is not None


def _of_its_own_name(shortcut: Shortcut, names: Sequence[str]) -> Shortcut:
    free = (f"{shortcut.name[:95]}_{number}" for number in count(2))
    return shortcut.model_copy(update={"name": next(name for name in free if name not in names)})


def _texts(shortcut: Shortcut) -> tuple[str, ...]:
    literals = [value for step in shortcut.steps for value in step.arguments_map.values() if isinstance(value, str)]
    return (shortcut.description, shortcut.precondition, *shortcut.arguments, *literals)
