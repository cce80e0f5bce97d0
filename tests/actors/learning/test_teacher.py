"""An episode teaches: a real store and a real keeper, learners that answer what the test says."""

from __future__ import annotations

import resource
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from manyhands.actors.dispatch.lessons import with_start
from manyhands.actors.frames import ModelImage
from manyhands.actors.learning.lesson_selection import count_entry_tokens, count_tokens, fit_budget
from manyhands.actors.learning.teacher import Teacher, TeacherSettings
from manyhands.actors.memory import initial_memory
from manyhands.actors.memory.memory_reader import MemoryReader
from manyhands.actors.memory.memory_service import MemoryContents, MemoryService, MemorySettings
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.errors import ModelUnreachable
from manyhands.protocol.journals.records import (
    Acted,
    ActionDecided,
    EpisodeEnded,
    EpisodeStarted,
    Learned,
    Perceived,
    Planned,
    Record,
    Reflected,
    ScreenCaptured,
    Span,
    StageResult,
)
from manyhands.protocol.messages import Answered, CallContext, ModelCall
from manyhands.protocol.roles.learning import LearnOrder, RecallOrder
from manyhands.protocol.roles.lessons import (
    FLEET,
    LearnedFrom,
    Lesson,
    ShortcutUse,
    ShortcutUseReport,
    TaughtTips,
    task_scope,
)
from manyhands.protocol.roles.memory import LongTermMemory, Shortcut, ShortcutStep
from manyhands.protocol.roles.requests import (
    ALL_TOLD,
    Decision,
    Plan,
    Recollection,
    Reflection,
    Request,
    ShortcutsLearned,
    Subgoal,
    TipsLearned,
)
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import Action, Enter, OpenApp, Tap, Type
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element, Screen, Screenshot
from manyhands.protocol.tasks.task import TaskSpec

SIZE = Size(width=1000, height=2000)
TASK = TaskSpec(id="t", goal="Find a laptop in the shop.", apps=("Shop",), memory_scope="shopping")
SCOPE = task_scope("shopping")
EPISODE = "t-1-abc"
FIELD = Box(x1=100, y1=200, x2=900, y2=300)
FIND = Shortcut(
    name="Find_In_Shop",
    arguments=("words",),
    description="Search the shop.",
    precondition="The shop's start page is shown.",
    steps=(
        ShortcutStep(name="Click_Text", arguments_map={"text": "Search"}),
        ShortcutStep(name="Type", arguments_map={"text": "words"}),
        ShortcutStep(name="Enter"),
    ),
)
OPEN = FIND.model_copy(
    update={
        "name": "Open_The_Shop",
        "arguments": (),
        "steps": (
            ShortcutStep(name="Open_App", arguments_map={"app": "Shop"}),
            ShortcutStep(name="Click_Text", arguments_map={"text": "Search"}),
        ),
    }
)
INVENTED = FIND.model_copy(update={"steps": (*FIND.steps, ShortcutStep(name="Back"))})
DONE: list[Action] = [OpenApp(app="Shop"), Tap(x=500, y=250), Type(text="laptop"), Enter()]
SPAN = Span(start=1.0, end=2.0)


class Learner:
    """Answers by a function of what it is asked, and keeps that."""

    def __init__(self, role: Role, answer: Callable[[Any], Any]) -> None:
        self.asked: list[Any] = []
        self._role = role
        self._answer = answer

    async def answer(self, request: Request[Any], context: CallContext, *images: ModelImage) -> Answered[Any]:
        self.asked.append(request)
        call = ModelCall(role=self._role, server="s", request={}, reply="said", started_at=1.0, latency_ms=1.0)
        return Answered(value=self._answer(request), calls=(call,))


def more_tips(*added: str) -> Callable[[Any], TipsLearned]:
    return lambda request: TipsLearned(tips=(*request.brief.tips, *added))


def writes(*replies: Shortcut | Sequence[Shortcut] | None) -> Callable[[Any], ShortcutsLearned]:
    """Return a learner that writes a shortcut, several or none, one reply after another."""
    several = [(one,) if isinstance(one, Shortcut) else tuple(one or ()) for one in replies]
    return lambda request: ShortcutsLearned(shortcuts=several.pop(0) if several else ())


def fails(request: Any) -> Any:
    raise ModelUnreachable("no server answers")


def records(actions: Sequence[Action] = DONE, *more: Record) -> tuple[Record, ...]:
    found: list[Record] = [
        EpisodeStarted(
            at=1.0, run="r", episode=EPISODE, attempt=1, task=TASK, serial="p", epoch=3, profile="e+evo",
            schedule="overlap", memory=LongTermMemory(),
        )
    ]  # fmt: skip
    for step, action in enumerate(actions):
        shot = Screenshot(
            content_id=f"{step:032x}", size=SIZE, serial="p", taken_at=1.0, capture_ms=1.0, app="com.shop"
        )
        seen = (Element(kind="text", box=FIELD, content="Search", confidence=1.0),)
        screen = Screen(content_id=shot.content_id, size=SIZE, elements=seen, keyboard="hidden")
        subgoal = Subgoal(id=1, text="search")
        plan = Plan(thought="", text="1. Search.", subgoal=subgoal, change="next", status="continue")
        verdict = Reflection(outcome=Outcome.A, error="", progress=f"{step + 1} done", made_by="model")
        found += [
            ScreenCaptured(step=step, span=SPAN, screenshot=shot),
            Perceived(step=step, span=SPAN, screen=screen),
            Planned(step=step, span=SPAN, plan=plan),
            ActionDecided(step=step, span=SPAN, decision=Decision(thought="", action=action, expectation="so")),
            Acted(step=step, span=SPAN),
            Reflected(step=step, span=SPAN, reflection=verdict),
        ]
    ended = EpisodeEnded(at=9.0, ending=Ending.FINISHED, reason="", steps=len(actions), verified=True, rubrics={})
    return (*found, *more, ended)


class School:
    def __init__(self, folder: Path, tips: Callable[[Any], Any], shortcuts: Callable[[Any], Any]) -> None:
        self.tips, self.shortcuts = Learner(Role.LEARN_TIPS, tips), Learner(Role.LEARN_SHORTCUTS, shortcuts)
        self.retriever = Learner(Role.RECALL, lambda request: Recollection(tips=(), shortcuts=()))
        (folder / "run").mkdir(parents=True, exist_ok=True)
        self.store = RunStore(StoreSettings(folder=folder / "run"))
        self.keeper = MemoryService(MemorySettings(path=folder / "memory.sqlite"))
        self.settings = TeacherSettings(budget_tokens=300, shown_tokens=2000)

    @property
    def teacher(self) -> Teacher:
        agents = {Role.LEARN_TIPS: self.tips, Role.LEARN_SHORTCUTS: self.shortcuts, Role.RECALL: self.retriever}
        return Teacher(self.settings, self.keeper, self.store, agents)

    async def learn(self, **settings: Any) -> Any:
        order = LearnOrder(
            run="r", episode=EPISODE, epoch=3, task=TASK, settings=EpisodeSettings(**settings),
            future=("Buy a mouse.",), deadline=1e12,
        )  # fmt: skip
        return await self.teacher.learn(order)

    async def learned(self) -> list[Learned]:
        scan = await self.store.read(EPISODE, 3)
        return [record for record in scan.records if isinstance(record, Learned)]


@asynccontextmanager
async def school(
    folder: Path, tips: Callable[[Any], Any], shortcuts: Callable[[Any], Any], wrote: Sequence[Record] | None = None
) -> AsyncIterator[School]:
    opened = School(folder, tips, shortcuts)
    await opened.store.start()
    await opened.keeper.start()
    try:
        await opened.store.append(EPISODE, tuple(records() if wrote is None else wrote), 0, 3)
        yield opened
    finally:
        await opened.keeper.stop()
        await opened.store.stop()


async def test_an_episode_teaches_its_scope_and_its_journal_says_so(tmp_path: Path) -> None:
    async with school(tmp_path, more_tips("Close the sale first."), writes(FIND)) as one:
        taught = await one.learn()
        known = await one.keeper.known([SCOPE])
        (record,) = await one.learned()
        (index,) = await one.store.index()
    assert (taught.scope, taught.problem, len(taught.taken.added)) == (SCOPE, "", 2)
    assert known.tips[-1].text == "Close the sale first."
    assert known.shortcuts[-1].shortcut == FIND
    source = known.shortcuts[-1].learned_from
    assert (source.episode, source.size, source.app) == (EPISODE, SIZE, "com.shop")
    assert [call.role for call in record.calls] == [Role.LEARN_TIPS, Role.LEARN_SHORTCUTS]
    assert index.taught
    assert index.ended is not None


async def test_learners_are_shown_all_that_it_did(tmp_path: Path) -> None:
    async with school(tmp_path, more_tips(), writes(None)) as one:
        await one.learn()
        request = one.tips.asked[0]
    assert [past.action for past in request.history] == DONE
    assert (request.plan, request.progress, request.future) == ("1. Search.", "4 done", ("Buy a mouse.",))
    assert request.brief.tips == initial_memory().tips
    assert one.shortcuts.asked[0].brief.shortcuts == initial_memory().shortcuts


async def test_one_that_has_taught_does_not_again(tmp_path: Path) -> None:
    async with school(tmp_path, more_tips("Close the sale first."), writes(FIND, INVENTED)) as one:
        first = await one.learn()
        assert await one.learn() == first
        assert len(one.tips.asked) == len(await one.learned()) == 1


async def test_a_lesson_whose_record_was_lost_counts_once(tmp_path: Path) -> None:
    async with school(tmp_path, more_tips("Close the sale first."), writes(None)) as one:
        await one.keeper.teach(Lesson(id=EPISODE, scope=SCOPE, made_from=0, source=LearnedFrom(episode=EPISODE)))
        taught = await one.learn()
        assert taught.taken.again
        assert len((await one.keeper.known([SCOPE])).tips) == len(initial_memory().tips)


async def test_what_did_not_happen_is_told_the_learner_once(tmp_path: Path) -> None:
    async with school(tmp_path, more_tips(), writes(INVENTED, FIND)) as one:
        taught = await one.learn()
        assert [request.refused != "" for request in one.shortcuts.asked] == [False, True]
        assert "step 4 (Back)" in one.shortcuts.asked[1].refused
        assert len(taught.taken.added) == 1
    async with school(tmp_path / "again", more_tips(), writes(INVENTED, INVENTED, FIND)) as one:
        taught = await one.learn()
        assert (len(one.shortcuts.asked), taught.taken.added) == (2, ())
        assert taught.problem.count("step 4 (Back)") == 2


async def test_of_several_shortcuts_each_is_checked_alone(tmp_path: Path) -> None:
    invented = INVENTED.model_copy(update={"name": "Find_And_Leave"})
    async with school(tmp_path, more_tips(), writes((OPEN, invented, FIND), (invented,))) as one:
        taught = await one.learn()
        assert "Find_And_Leave, step 4 (Back)" in one.shortcuts.asked[1].refused
        assert "Open_The_Shop" not in one.shortcuts.asked[1].refused
        known = (await one.keeper.known([SCOPE])).shortcuts
    assert len(taught.taken.added) == 2
    assert [refusal.what for refusal in taught.taken.refused] == ["Find_And_Leave"] * 2
    learned = {one.shortcut.name: one.learned_from for one in known if not one.initial}
    apps = {name: source.app for name, source in learned.items()}
    assert apps == {OPEN.name: "", FIND.name: "com.shop"}  # each where its own actions began


async def test_of_several_shortcuts_the_one_that_was_mended_joins_the_others(tmp_path: Path) -> None:
    async with school(tmp_path, more_tips(), writes((OPEN, INVENTED), (FIND,))) as one:
        await one.learn()
        known = (await one.keeper.known([SCOPE])).shortcuts
    assert sorted((one.shortcut for one in known if not one.initial), key=lambda one: one.name) == [FIND, OPEN]


async def test_with_paper_exact_several_shortcuts_are_kept_as_they_were_written(tmp_path: Path) -> None:
    secret = FIND.model_copy(update={"name": "Log_In", "description": "Type {{secret:password}}."})
    async with school(tmp_path, more_tips(), writes((INVENTED, secret, OPEN))) as one:
        taught = await one.learn(paper_exact=True)
        known = (await one.keeper.known([SCOPE])).shortcuts
    assert sorted((one.shortcut for one in known if not one.initial), key=lambda one: one.name) == [INVENTED, OPEN]
    assert [refusal.what for refusal in taught.taken.refused] == ["Log_In"]
    assert [request.paper_exact for request in one.shortcuts.asked] == [True]


async def test_a_shortcut_that_validation_refused_stands_in_the_memorys_history(tmp_path: Path) -> None:
    async with school(tmp_path, more_tips(), writes(INVENTED, INVENTED)) as one:
        await one.learn()
    contents = MemoryReader(tmp_path / "memory.sqlite")
    events = contents.history(SCOPE)
    contents.close()
    assert [(event.kind, "step 4 (Back)" in event.text) for event in events] == [("refused", True)] * 2


async def test_what_was_typed_is_in_no_tip_that_others_read(tmp_path: Path) -> None:
    (typed,) = (action.text for action in DONE if isinstance(action, Type))
    async with school(tmp_path, more_tips(f"Search for the {typed} by name.", "Scroll for more."), writes(None)) as one:
        taught = await one.learn()
        assert [typed in refusal.what for refusal in taught.taken.refused] == [True]
        assert (await one.keeper.known([SCOPE])).tips[-1].text == "Scroll for more."


async def test_a_learner_of_a_full_scope_is_asked_to_condense(tmp_path: Path) -> None:
    async with school(tmp_path, more_tips(), writes(None)) as one:
        one.settings = TeacherSettings(budget_tokens=300, shown_tokens=12_000)
        many = tuple(f"Row {number} holds thing {number}." for number in range(190))
        tips = TaughtTips(shown=(), tips=many)
        source = LearnedFrom(episode="e")
        await one.keeper.teach(Lesson(id="l", scope=SCOPE, made_from=0, source=source, tips=tips))
        await one.learn()
        assert [request.condense for request in one.tips.asked] == [True]


async def test_a_learner_that_fails_costs_its_lesson_alone(tmp_path: Path) -> None:
    async with school(tmp_path, fails, writes(FIND)) as one:
        taught = await one.learn()
        assert taught.problem == "tips learner: no server answers"
        assert len(taught.taken.added) == 1
    async with school(tmp_path / "again", fails, fails) as one:
        taught = await one.learn()
        assert taught.taken is None
        assert [record.taken for record in await one.learned()] == [None]


async def test_one_that_did_nothing_asks_nobody(tmp_path: Path) -> None:
    async with school(tmp_path, more_tips("x"), writes(FIND), records(())) as one:
        taught = await one.learn()
        assert (taught.taken, one.tips.asked, one.shortcuts.asked) == (None, [], [])
        assert len(await one.learned()) == 1


@pytest.mark.parametrize(("without", "asked"), [("learn-tips", (0, 1)), ("learn-shortcuts", (1, 0))])
async def test_learners_can_be_left_out(tmp_path: Path, without: str, asked: tuple[int, int]) -> None:
    async with school(tmp_path, more_tips(), writes(FIND)) as one:
        await one.learn(without=(without, "future-tasks"))
        assert (len(one.tips.asked), len(one.shortcuts.asked)) == asked
        assert [request.future for request in (*one.tips.asked, *one.shortcuts.asked)] == [()]


async def test_uses_that_nobody_took_in_are_told_first(tmp_path: Path) -> None:
    memory = MemoryContents(tmp_path / "memory.sqlite")
    (id,) = memory.teach(
        Lesson(id="l", scope=SCOPE, made_from=0, source=LearnedFrom(episode="e"), shortcuts=(FIND,))
    ).added
    memory.close()
    use = ShortcutUse(shortcut=f"{id}@1", episode=EPISODE, step=1, outcome="failed")
    lost = StageResult(
        step=1, span=SPAN, stage="watch", data=ShortcutUseReport(use=use, taken_in=False).model_dump(mode="json")
    )
    async with school(tmp_path, more_tips(), writes(None), records(DONE, lost)) as one:
        await one.learn()
        assert list(await one.keeper.put_aside([f"{id}@1"])) == [f"{id}@1"]
        assert all(shortcut.name != FIND.name for shortcut in one.shortcuts.asked[0].brief.shortcuts)


# ---------------------------------------------------------------------------- recall
def recall_order(**settings: Any) -> RecallOrder:
    return RecallOrder(run="r", episode=EPISODE, task=TASK, settings=EpisodeSettings(**settings), deadline=1e12)


async def test_all_is_told_where_it_fits(tmp_path: Path) -> None:
    memory = MemoryContents(tmp_path / "memory.sqlite")
    memory.add(SCOPE, ["Close the sale first."], [])
    memory.add(task_scope("notes"), ["Notes save by themselves."], [])
    memory.close()
    async with school(tmp_path, fails, fails) as one:
        found = await one.teacher.recall(recall_order())
    assert found.memory.tips == (*initial_memory().tips, "Close the sale first.")
    assert (found.calls, found.left_out, one.retriever.asked) == ((), 0, [])


async def test_a_retriever_chooses_where_it_is_much_and_what_is_initial_stays(tmp_path: Path) -> None:
    memory = MemoryContents(tmp_path / "memory.sqlite")
    memory.add(FLEET, [f"Row {number} of the list holds thing {number}." for number in range(150)], [])
    memory.add(SCOPE, ["A laptop is found by the search of the shop."], [FIND])
    memory.close()
    async with school(tmp_path, fails, fails) as one:
        one.retriever = Learner(
            Role.RECALL,
            lambda request: Recollection(
                tips=tuple(place for place, tip in enumerate(request.brief.tips) if "laptop" in tip), shortcuts=()
            ),
        )
        found = await one.teacher.recall(recall_order())
        whole = (await one.teacher.recall(recall_order(without=("recall",)))).memory
        exact = (await one.teacher.recall(recall_order(paper_exact=True))).memory
    start = initial_memory()
    assert found.memory.tips == (*start.tips, "A laptop is found by the search of the shop.")
    assert found.memory.shortcuts == start.shortcuts
    assert found.left_out == 151
    assert [call.role for call in found.calls] == [Role.RECALL]
    assert len(whole.tips) == len(exact.tips) == len(start.tips) + 151


async def test_without_an_answer_the_budget_holds_all_the_same(tmp_path: Path) -> None:
    memory = MemoryContents(tmp_path / "memory.sqlite")
    memory.add(SCOPE, [f"Laptop number {number} of the shop costs {number * 7}." for number in range(150)], [FIND])
    known = memory.known([SCOPE])
    memory.close()
    async with school(tmp_path, fails, fails) as one:
        one.settings = TeacherSettings(budget_tokens=400, shown_tokens=2000)
        one.retriever = Learner(Role.RECALL, fails)
        found = await one.teacher.recall(recall_order())
    told = [tip for tip in known.tips if tip.text in found.memory.tips]
    spent = sum(map(count_entry_tokens, told)) + sum(count_entry_tokens(one) for one in known.shortcuts)
    assert len(initial_memory().tips) < len(told)
    assert spent <= 400
    assert count_tokens(fit_budget(known, 400)) <= 400 < count_tokens(known)


async def test_a_full_memory_keeps_earlier_lessons_and_the_journal_says_why(
    tmp_path: Path,
) -> None:
    async with school(tmp_path, more_tips("Close the sale first."), writes(FIND)) as one:
        earlier = TaughtTips(shown=(), tips=("Look at the price twice.",))
        await one.keeper.teach(
            Lesson(id="before", scope=SCOPE, made_from=0, source=LearnedFrom(episode="before"), tips=earlier)
        )
        log = tmp_path / "memory.sqlite-wal"
        with files_of_at_most(log.stat().st_size + 4096):
            taught = await one.learn()
        (record,) = await one.learned()
        known = await one.keeper.known([SCOPE])
    assert "memory.sqlite" in taught.problem
    assert (record.taken, record.problem, len(record.calls)) == (None, taught.problem, 2)
    assert [tip.text for tip in known.tips if not tip.initial] == ["Look at the price twice."]
    assert [one for one in known.shortcuts if not one.initial] == []


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let this process write no file beyond a size; Python ignores the signal for it, so writing fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_a_task_of_an_unseen_scenario_recalls_from_all_that_it_names(tmp_path: Path) -> None:
    memory = MemoryContents(tmp_path / "memory.sqlite")
    memory.add(SCOPE, ["A laptop is found by the search of the shop."], [FIND])
    memory.add(task_scope("notes"), ["Notes save by themselves."], [])
    memory.close()
    unseen = TASK.model_copy(update={"memory_scope": None, "recall_scopes": ("shopping", "notes")})

    def choose(request: Any) -> Recollection:
        tips, shortcuts = request.brief.tips, request.brief.shortcuts
        about = tuple(place for place, tip in enumerate(tips) if "laptop" in tip)
        return Recollection(tips=about, shortcuts=tuple(range(len(shortcuts))))

    async with school(tmp_path, fails, fails) as one:
        for exact, told in ((False, [ALL_TOLD]), (True, [("tips",), ("shortcuts",)])):
            one.retriever = Learner(Role.RECALL, choose)
            order = recall_order(paper_exact=exact).model_copy(update={"task": unseen})
            found = await one.teacher.recall(order)
            initial = () if exact else initial_memory().tips
            assert found.memory.tips == (*initial, "A laptop is found by the search of the shop.")
            assert found.memory.shortcuts == (*initial_memory().shortcuts, FIND)
            assert [request.brief.told for request in one.retriever.asked] == told
            assert (len(found.calls), found.left_out) == (len(told), 5 if exact else 1)


async def test_with_paper_exact_what_is_initial_is_told_only_where_a_retriever_chose_it(tmp_path: Path) -> None:
    memory = MemoryContents(tmp_path / "memory.sqlite")
    memory.add(SCOPE, ["A laptop is found by the search of the shop."], [FIND])
    memory.close()
    unseen = TASK.model_copy(update={"memory_scope": None, "recall_scopes": ("shopping",)})
    start = initial_memory()

    def choose(request: Any) -> Recollection:
        """Take the first initial tip, and what is about laptops; of shortcuts the learned one."""
        tips = tuple(place for place, tip in enumerate(request.brief.tips) if place == 0 or "laptop" in tip)
        shortcuts = tuple(place for place, one in enumerate(request.brief.shortcuts) if one.name == FIND.name)
        return Recollection(tips=tips, shortcuts=shortcuts)

    async with school(tmp_path, fails, fails) as one:
        one.retriever = Learner(Role.RECALL, choose)
        found = await one.teacher.recall(recall_order(paper_exact=True).model_copy(update={"task": unseen}))
    told = with_start(found.memory, start)
    assert told.tips == (start.tips[0], "A laptop is found by the search of the shop.")
    assert told.shortcuts == (FIND,)
    assert found.left_out == len(start.tips) - 1 + len(start.shortcuts)


async def test_paper_exact_keeps_lists_as_written_but_for_dangerous_entries(tmp_path: Path) -> None:
    start = initial_memory()
    kept, gone = start.tips[:2], start.tips[2:]
    typed = "Search for the laptop by name, order 48151623."
    lacking = INVENTED.model_copy(update={"steps": (ShortcutStep(name="Type", arguments_map={"text": "words"}),)})
    secret = FIND.model_copy(update={"name": "Log_In", "description": "Type {{secret:password}}."})

    def rewrite(request: Any) -> TipsLearned:
        return TipsLearned(tips=(*kept, typed, "Type {{secret:pin}} at the door."))

    async with school(tmp_path, rewrite, writes(lacking)) as one:
        taught = await one.learn(paper_exact=True)
        assert len(one.shortcuts.asked) == 1
        known = await one.keeper.known([SCOPE])
        elsewhere = await one.keeper.known([task_scope("notes")])
        recalled = await one.teacher.recall(recall_order(paper_exact=True))
    assert tuple(tip.text for tip in known.tips) == (*kept, typed)
    assert recalled.memory.tips == (*kept, typed)
    assert with_start(recalled.memory, start).tips == (*kept, typed)
    assert tuple(tip.text for tip in elsewhere.tips) == start.tips
    assert known.shortcuts[-1].shortcut == lacking
    assert [refusal.reason for refusal in taught.taken.refused] == ["it holds the place of a secret"]
    assert len(taught.taken.removed) == len(gone)
    async with school(tmp_path / "secret", more_tips(), writes(secret)) as one:
        taught = await one.learn(paper_exact=True)
    assert [refusal.what for refusal in taught.taken.refused] == ["Log_In"]
    assert taught.taken.added == ()
