"""Planner, reflector and notetaker under the papers' headers, and in damaged JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from manyhands.actors.mllm import parse
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.role import (
    NoteReply,
    PlanReply,
    ReflectChangeReply,
    ReflectChangeSubgoalReply,
    ReflectReply,
    ReflectSubgoalReply,
)

E_PLAN = "### Thought ###\nfirst\n\n### Plan ###\n1. Open Maps\n2. Search\n\n### Current Subgoal ###\nOpen Maps"
V3_PLAN = "### Thought ###\nfirst\n### Historical Operations ###\nnone\n### Plan ###\n1. Open Maps 2. Search 3. Read"


def verdict(outcome: str, error: str = "None", progress: str = "Opened Maps") -> str:
    return f"### Outcome ###\n{outcome}\n\n### Error Description ###\n{error}\n\n### Progress Status ###\n{progress}"


def plan(text: str, subgoal: str, status: str = "continue", change: str = "replan") -> dict[str, Any]:
    return {"thought": "first", "plan": text, "change": change, "subgoal": subgoal, "status": status}


STEPS = "1. Open Maps\n2. Search"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(E_PLAN, plan(STEPS, "Open Maps"), id="E"),
        pytest.param(E_PLAN.replace(" ###\n", "\n"), plan(STEPS, "Open Maps"), id="closing hashes missing"),
        pytest.param(E_PLAN.replace(" ###\n", "：\n"), plan(STEPS, "Open Maps"), id="full-width colon"),
        pytest.param(V3_PLAN, plan("1. Open Maps 2. Search 3. Read", "Open Maps"), id="v3 names no subgoal"),
        pytest.param(
            "### Thought ###\nfirst\n### Plan ###\n1.\n Open Maps, level 1.2  \n2. Search",
            plan("1.\n Open Maps, level 1.2  \n2. Search", "Open Maps, level 1.2"),
            id="the first step on a line of its own",
        ),
        pytest.param("### Thought ###\nfirst\n### Plan ###\nOpen Maps", plan("Open Maps", "Open Maps"), id="no steps"),
        pytest.param("### Thought ###\nfirst\n### Plan ###\nFinished.", plan("", "", "finished"), id="v3 is finished"),
        pytest.param(E_PLAN[: E_PLAN.rindex("Open")] + "Finished", plan(STEPS, "", "finished"), id="the subgoal is"),
        pytest.param(
            E_PLAN[: E_PLAN.rindex("Open")] + "Finished\n### Status ###\ncontinue",
            plan(STEPS, ""),
            id="finished, but the status says otherwise",
        ),
        pytest.param(
            E_PLAN.replace("###\nOpen", "###\nFinished\n### Change ###\nnext\n### Status ###\ncontinue\n#### Open"),
            "none of continue",
            id="a status with more words",
        ),
        pytest.param(
            E_PLAN + "\n### Change ###\nkeep\n### Status ###\nimpossible",
            plan(STEPS, "Open Maps", "impossible", "keep"),
            id="change and status",
        ),
        pytest.param(
            E_PLAN.replace("2. Search", "2. Search until finished"),
            plan(STEPS + " until finished", "Open Maps"),
            id="the word finished in a plan is no finish",
        ),
        pytest.param(E_PLAN + "\n### Change ###\nmaybe", "Change is none of", id="an unknown change"),
        pytest.param("### Completed contents ###\nOpened Maps", "no whole JSON object", id="v2 has no plan"),
        pytest.param(E_PLAN + "\n### Plan ###\n1. Other", "stands twice", id="two plans"),
        pytest.param(
            E_PLAN.replace("2. Search", "2. " + "s" * 2000),
            plan(f"1. Open Maps\n2. {'s' * 1984}", "Open Maps"),
            id="a plan too long is cut",
        ),
        pytest.param(f"<think>{E_PLAN}</think>", "no whole JSON object", id="only in the reasoning"),
    ],
)
def test_planner(text: str, expected: dict[str, Any] | str) -> None:
    check(PlanReply, text, expected)


def reflection(outcome: str, error: str = "None", progress: str = "Opened Maps") -> dict[str, Any]:
    return {"outcome": outcome, "error": error, "progress": progress}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(verdict("A"), reflection("A"), id="E"),
        pytest.param(verdict("A: Successful. As expected."), reflection("A"), id="colon"),
        pytest.param(verdict("B：last Action led to a wrong page"), reflection("B"), id="full-width colon"),
        pytest.param(verdict("C - nothing changed by the last Action"), reflection("C"), id="blank and dash"),
        pytest.param(verdict("B. Failed"), reflection("B"), id="full stop"),
        pytest.param(verdict("C\nThe Action did nothing."), reflection("C"), id="own line"),
        pytest.param(verdict("B … the last Action was wrong"), reflection("B"), id="an ellipsis"),
        pytest.param(verdict("B ... last Action led to a page"), reflection("B"), id="three dots"),
        pytest.param(verdict("C… nothing changed"), reflection("C"), id="an ellipsis at once"),
        pytest.param(verdict("B. A page opened"), reflection("B"), id="an article after it"),
        pytest.param(verdict("B\nA wrong page, and A dialog"), reflection("B"), id="an article on the next line"),
        pytest.param(verdict("C, and a dialog"), reflection("C"), id="and after it"),
        pytest.param(verdict("A. B"), "several letters", id="two letters with a full stop"),
        pytest.param(verdict("B: A."), "several letters", id="two letters with a colon"),
        pytest.param(verdict("A, B or C"), "several letters", id="three letters"),
        pytest.param(verdict("A, or B was meant"), "several letters", id="a letter after or"),
        pytest.param(verdict("B, and A."), "several letters", id="a letter after and"),
        pytest.param(verdict("A. C/B"), "several letters", id="letters and a slash"),
        pytest.param(verdict("A … B …"), "several letters", id="letters and ellipses"),
        pytest.param(verdict("B ... last Action led to A"), "several letters", id="a letter at the end of the line"),
        pytest.param(verdict("A, but rather C"), "several letters", id="a letter that takes it back"),
        pytest.param(verdict("A. It opened.\nThe item C is in it."), reflection("A"), id="a letter in another line"),
        pytest.param(verdict("A\nB"), "several letters", id="letters on lines"),
        pytest.param(verdict("A/B"), "A, B or C alone", id="a slash"),
        pytest.param(verdict("A Successful"), "A, B or C alone", id="a letter that is a word"),
        pytest.param(verdict("A good Action"), "A, B or C alone", id="an article"),
        pytest.param(verdict("Both"), "A, B or C alone", id="a word that begins with B"),
        pytest.param(verdict("a"), "A, B or C alone", id="small letter"),
        pytest.param(verdict("A or B"), "A, B or C alone", id="two letters"),
        pytest.param(verdict("A, B"), "several letters", id="a list of letters"),
        pytest.param(verdict("A|B|C"), "A, B or C alone", id="the choice repeated"),
        pytest.param(verdict("Outcome is A"), "A, B or C alone", id="a letter at the end"),
        pytest.param(verdict(""), "A, B or C alone", id="empty"),
        pytest.param("### Thought ###\nIt is A.", "no whole JSON object", id="only in the thought"),
        pytest.param("### Thought ###\nnot it\n### Answer ###\nB", reflection("B", "not it", ""), id="v2"),
        pytest.param("### Outcome ###\nA\n### Error Description ###\nNone", reflection("A", progress=""), id="v3"),
        pytest.param("{'outcome': 'A', 'error': '', 'progress': 'it\\'s open',}", reflection("A", "", "it's open"),
                     id="Python literal"),
        pytest.param('{"outcome": "A or B", "error": "", "progress": ""}', "outcome", id="our JSON with two letters"),
        pytest.param('### Outcome ###\n{"outcome": "A", "error": "", "progress": ""}', reflection("A", "", ""),
                     id="our JSON under a heading"),
        pytest.param('{"outcome": "A", "error": "", "progress": ""}\n### Outcome ###\nNot clear', "beside our JSON",
                     id="our JSON and no outcome under the heading"),
        pytest.param("B ... last Action", "no whole JSON object", id="no header at all"),
    ],
)  # fmt: skip
def test_reflector(text: str, expected: dict[str, Any] | str) -> None:
    check(ReflectReply, text, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(verdict("A") + "\n### Subgoal Reached ###\nYes.", {"subgoal_reached": True}, id="yes"),
        pytest.param(verdict("B") + "\n### Subgoal Reached ### no", {"subgoal_reached": False}, id="no"),
        pytest.param(verdict("A"), {"subgoal_reached": None}, id="nothing is said of it"),
        pytest.param(verdict("A") + "\n### Subgoal Reached ###\nalmost", "Subgoal Reached is none of", id="a guess"),
    ],
)
def test_reflector_who_is_asked_about_the_subgoal(text: str, expected: dict[str, Any] | str) -> None:
    outcome = "B" if "B" in text.split("###")[2] else "A"
    check(ReflectSubgoalReply, text, expected if isinstance(expected, str) else reflection(outcome) | expected)


def test_a_reflector_who_says_what_has_changed() -> None:
    said = "### Screen Change ###\nA dialog came up.\n"
    expected = {"change": "A dialog came up.", **reflection("A")}
    check(ReflectChangeReply, said + verdict("A"), expected)
    check(ReflectChangeReply, verdict("A"), expected | {"change": ""})
    both = f"{said}{verdict('A')}\n### Subgoal Reached ###\nno"
    check(ReflectChangeSubgoalReply, both, expected | {"subgoal_reached": False})
    bare = reflection("B", "e", "")
    check(ReflectChangeReply, json.dumps(bare), {"change": "", **bare})


def test_our_json_says_whether_the_subgoal_is_reached_only_where_asked() -> None:
    bare = reflection("A", "", "p")
    check(ReflectSubgoalReply, json.dumps(bare), "subgoal_reached")
    check(ReflectReply, json.dumps(bare | {"subgoal_reached": True}), "subgoal_reached")
    check(ReflectSubgoalReply, json.dumps(bare | {"subgoal_reached": None}), bare | {"subgoal_reached": None})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("### Important Notes ###\nPrice: 5", {"notes": "Price: 5"}, id="E"),
        pytest.param("### Important content ###\nPrice: 5", {"notes": "Price: 5"}, id="v2"),
        pytest.param("## important notes\nPrice: 5 ###", {"notes": "Price: 5"}, id="damaged hashes"),
        pytest.param("### Important Notes ###\nNone of them is 5", {"notes": "None of them is 5"}, id="None in a note"),
        pytest.param(
            "### Important Notes ###\na\n### Other ###\nb", {"notes": "a\n### Other ###\nb"}, id="unknown header"
        ),
        pytest.param("{'notes': 'a'}", {"notes": "a"}, id="Python literal"),
        pytest.param("Important notes: a", "no whole JSON object", id="no header"),
        pytest.param("### Important Notes ###\n" + "a" * 2001, {"notes": "a" * 2000}, id="notes too long are cut"),
    ],
)
def test_notetaker(text: str, expected: dict[str, Any] | str) -> None:
    check(NoteReply, text, expected)


def check(reply: type[Reply], text: str, expected: dict[str, Any] | str) -> None:
    if isinstance(expected, str):
        with pytest.raises(ReplyUnusable) as unusable:
            parse(reply, text)
        assert expected in str(unusable.value)
    else:
        assert parse(reply, text).model_dump(mode="json") == expected


def test_an_operators_call_is_no_reply_of_another_role() -> None:
    call = json.dumps({"name": "mobile_use", "arguments": {"action": "wait"}})
    for reply in (PlanReply, ReflectReply, NoteReply):
        with pytest.raises(ReplyUnusable):
            parse(reply, f"<tool_call>\n{call}\n</tool_call>")
