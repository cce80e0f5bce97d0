"""Apply a lesson to a scope. Tips are compared with the list that the learner saw, shortcuts by their names.

This module also limits how much a scope may know, and estimates how many tokens a prompt needs for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from manyhands.actors.memory.lesson_transaction import LessonTransaction
from manyhands.actors.memory.memory_reader import MemoryReader
from manyhands.actors.memory.shortcut_uses import has_same_actions
from manyhands.actors.memory.shortcuts import ShortcutUnusable, check_shortcut
from manyhands.actors.memory.tip_diff import TipState, are_equivalent, comparison_words, diff_tips, similarity
from manyhands.protocol.roles.lessons import KnownShortcut, KnownTip, Lesson
from manyhands.protocol.roles.memory import MOST_SHORTCUTS, MOST_TIPS, Shortcut

MOST_TIPS_OF_A_SCOPE = 200
MOST_TOKENS_OF_A_SCOPE = 8000
"""The most tokens that all tips of a scope may take in a prompt, as estimated."""
MOST_SHORTCUTS_OF_A_SCOPE = 60
MOST_IMPORTED_TIPS, MOST_IMPORTED_SHORTCUTS = MOST_TIPS, MOST_SHORTCUTS
"""The most tips and shortcuts of a scope, if people add them. Learners have lower limits."""
NEARLY_FULL = 0.9
"""From this share of a limit on, the learner is asked to condense the scope's tips."""
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_LINE = 4
"""Tokens of a line's number and line break."""


def apply_tips(memory: MemoryReader, transaction: LessonTransaction, lesson: Lesson) -> None:
    """Find what a learner's answer changes in the list that it saw, and make the same changes in the current list."""
    if lesson.tips is None:
        return
    stand = memory.tips([lesson.scope])
    if lesson.replace_whole:
        _replace(memory, transaction, stand, lesson.tips.tips)
        return
    whole = {tip.id: tip for tip in stand}
    shown_tips, elsewhere = [], {tip.id: tip.text for tip in memory.initial.tips}
    for id in lesson.tips.shown:
        stood = memory.tip_as_of(id, lesson.made_from)
        if stood is not None and stood[1] == lesson.scope:
            shown_tips.append(TipState(id, stood[0], stood[2]))
        elif stood is not None:
            elsewhere[id] = stood[2]
    if shown_tips and not lesson.tips.tips:  # a complete list contains the initial tips at least
        transaction.refuse("the list of tips", f"it is empty; the {len(shown_tips)} that were shown stay")
        return
    answered = _tips_of_scope(lesson.tips.tips, shown_tips, elsewhere, transaction)
    changes, same = diff_tips(shown_tips, answered, {tip.id: TipState(tip.id, tip.version, tip.text) for tip in stand})
    for one in same:
        transaction.note("merged", one.id, one.text)
        transaction.taught(one.id, lesson.source.episode)
    texts = {tip.id: tip.text for tip in stand}
    for change in changes:
        if not change.text:
            transaction.remove_tip(change.id, texts.pop(change.id))
    for change in changes:
        if not change.text or not transaction.takes_tip(change.text):
            continue
        after = {**texts, change.id or f"new {len(texts)}": change.text}
        limit = exceeded_limit(after.values())
        if limit and len(change.text) > len(texts.get(change.id, "")):
            transaction.refuse(change.text, f"{lesson.scope} has {limit}: condense them first")
            continue
        if change.id:
            transaction.word_anew(whole[change.id], change.text)
        else:
            transaction.add_tip(change.text)
        texts = after


def _tips_of_scope(
    answered: Sequence[str],
    shown_tips: Sequence[TipState],
    elsewhere: Mapping[str, str],
    transaction: LessonTransaction,
) -> Sequence[str]:
    """Return the answered tips without those of other scopes. Keep a tip that this scope has too."""
    own, others = (
        Counter(comparison_words(tip.text) for tip in shown_tips),
        {comparison_words(text) for text in elsewhere.values()},
    )
    texts = []
    for text in answered:
        words = comparison_words(text)
        if own[words]:
            own[words] -= 1
            texts.append(text)
        elif words not in others:
            equal = next((id for id, other in elsewhere.items() if are_equivalent(text, other)), None)
            if equal is None:
                texts.append(text)
            else:
                transaction.note("merged", equal, text)
    return texts


def _replace(
    memory: MemoryReader, transaction: LessonTransaction, stand: Sequence[KnownTip], answered: Sequence[str]
) -> None:
    """Replace all tips of a scope by the answered list, including the initial ones, as in the paper."""
    visible = (*stand, *memory.initial_tips([transaction.scope]))
    for tip in visible:
        if all(similarity(tip.text, text) < 1.0 for text in answered):
            transaction.remove_tip(tip.id, tip.text)
    standing = [tip.text for tip in visible if tip.id not in transaction.removed]
    for text in answered:
        if all(similarity(text, other) < 1.0 for other in standing) and transaction.takes_tip(text):
            transaction.add_tip(text)
            standing.append(text)


def import_tips(memory: MemoryReader, transaction: LessonTransaction, texts: Sequence[str]) -> None:
    """Add tips that people wrote. Skip a tip that the scope, or the initial memory, has already."""
    standing = [tip.text for tip in (*memory.tips([transaction.scope]), *memory.initial.tips)]
    before = len(standing) - len(memory.initial.tips)
    for text in texts:
        if any(similarity(text, other) == 1.0 for other in standing):
            continue
        if before + len(transaction.added) >= MOST_IMPORTED_TIPS:
            transaction.refuse(text, f"{transaction.scope} has {MOST_IMPORTED_TIPS} tips")
        elif transaction.takes_tip(text):
            transaction.add_tip(text)
            standing.append(text)


def apply_shortcut(
    memory: MemoryReader,
    transaction: LessonTransaction,
    shortcut: Shortcut,
    revises: bool,
    people: bool = False,
    made_from: int | None = None,
) -> None:
    """Add a shortcut, or a new version of the known shortcut of its name. Refuse one that breaks a rule.

    ``revises``: a known shortcut may be changed. ``people``: a person adds it, and may fill a scope further than a
    learner. ``made_from``: the version of the memory that the learner saw. If another lesson has changed the shortcut
    of this name since that version, the learner did not mean the changed one. Then both stay, and the new shortcut gets
    another name.
    """
    try:
        check_shortcut(shortcut, shares=transaction.has_size)
    except ShortcutUnusable as error:
        return transaction.refuse(shortcut.name, str(error).removeprefix(f"{shortcut.name}: "), "shortcut")
    if fault := _dangers(transaction, shortcut):
        return transaction.refuse(shortcut.name, fault, "shortcut")
    initial = [one.shortcut for one in memory.initial.shortcuts if one.shortcut.name == shortcut.name]
    if initial:
        if people and initial[0].steps == shortcut.steps:
            return None
        return transaction.refuse(shortcut.name, "a shortcut of that name is there from the start", "shortcut")
    stand = memory.shortcuts([transaction.scope], put_aside=True)
    stored = next((one for one in stand if one.shortcut.name == shortcut.name), None)
    why = memory.why_put_aside(shortcut)
    if why:
        return transaction.refuse(shortcut.name, f"it is as it was when it was put aside: {why}", "shortcut")
    if stored is not None and revises and made_from is not None and memory.since(stored.id) > made_from:
        same = next(
            (one for one in stand if _is_called_so(one, shortcut) and has_same_actions(one.shortcut, shortcut)), None
        )
        if same is not None:
            return transaction.note("merged", same.id, shortcut.name)
        stored, shortcut = None, _of_its_own_name(shortcut, [one.shortcut.name for one in stand])
    if stored is None:
        most = MOST_IMPORTED_SHORTCUTS if people else MOST_SHORTCUTS_OF_A_SCOPE
        if sum(not one.put_aside for one in stand) >= most:
            return transaction.refuse(shortcut.name, f"{transaction.scope} has {most} shortcuts", "shortcut")
        return transaction.add_shortcut(shortcut)
    if people and stored.shortcut == shortcut:  # the same shortcut is there already: nothing is new
        return None
    return _revise(transaction, stored, shortcut, revises)


def keep_shortcut(memory: MemoryReader, transaction: LessonTransaction, shortcut: Shortcut) -> None:
    """Add a shortcut as its learner wrote it, as in the paper. Refuse it if its name is known.

    Beyond that, refuse only a shortcut whose texts would be a danger in prompts.
    """
    stand = (*memory.initial.shortcuts, *memory.shortcuts([transaction.scope], put_aside=True))
    if fault := _dangers(transaction, shortcut):
        transaction.refuse(shortcut.name, fault, "shortcut")
    elif any(one.shortcut.name == shortcut.name for one in stand):
        transaction.refuse(shortcut.name, "a shortcut of that name is there", "shortcut")
    else:
        transaction.add_shortcut(shortcut)


def _dangers(transaction: LessonTransaction, shortcut: Shortcut) -> str:
    """Return why a shortcut's texts must not get into prompts. Return an empty text if they may."""
    texts = _texts(shortcut)
    fault = transaction.faults(*texts) or (
        "has several lines" if any(re.search(r"[\r\n]", text) for text in texts) else ""
    )
    return fault and f"one of its texts {fault}"


def _revise(transaction: LessonTransaction, stored: KnownShortcut, shortcut: Shortcut, revises: bool) -> None:
    if stored.shortcut == shortcut:
        transaction.note("merged", stored.id, shortcut.name)
    elif revises:
        transaction.revise(stored, shortcut)
    else:
        transaction.refuse(shortcut.name, "a shortcut of that name is there", "shortcut")


def _is_called_so(stored: KnownShortcut, shortcut: Shortcut) -> bool:
    """Return whether a known shortcut has this shortcut's name, alone or with a number appended."""
    return re.fullmatch(rf"{shortcut.name}(_\d+)?", stored.shortcut.name) is not None


def _of_its_own_name(shortcut: Shortcut, names: Sequence[str]) -> Shortcut:
    free = (f"{shortcut.name[:95]}_{number}" for number in count(2))
    return shortcut.model_copy(update={"name": next(name for name in free if name not in names)})


def _texts(shortcut: Shortcut) -> tuple[str, ...]:
    literals = [value for step in shortcut.steps for value in step.arguments_map.values() if isinstance(value, str)]
    return (shortcut.description, shortcut.precondition, *shortcut.arguments, *literals)


# ---------------------------------------------------------------------------- how much a scope may know
def tokens(text: str) -> int:
    """Estimate the tokens of a text: one for each Chinese character, one for every four other characters."""
    chinese = len(_CHINESE.findall(text))
    return chinese + -(-(len(text) - chinese) // 4)


def tokens_of_tip(text: str) -> int:
    """Estimate how many tokens a tip takes in a prompt."""
    return _LINE + tokens(text)


def tokens_of_shortcut(one: Shortcut) -> int:
    """Estimate how many tokens a shortcut takes in a prompt."""
    return 2 * _LINE + tokens(" ".join((one.name, *one.arguments, one.description, one.precondition)))


def exceeded_limit(tips: Iterable[str]) -> str:
    """Return which limit the tips of a scope exceed. Return an empty text if they exceed none."""
    texts = list(tips)
    spent = sum(map(tokens_of_tip, texts))
    if len(texts) > MOST_TIPS_OF_A_SCOPE:
        return f"{MOST_TIPS_OF_A_SCOPE} tips"
    return f"about {MOST_TOKENS_OF_A_SCOPE} tokens of tips" if spent > MOST_TOKENS_OF_A_SCOPE else ""


def needs_condensing(tips: Iterable[str]) -> bool:
    """Return whether to ask the learner for fewer or shorter tips, because the scope is nearly full."""
    texts = list(tips)
    spent = sum(map(tokens_of_tip, texts))
    return len(texts) > NEARLY_FULL * MOST_TIPS_OF_A_SCOPE or spent > NEARLY_FULL * MOST_TOKENS_OF_A_SCOPE
