"""``manyhands suite judge``: let a person judge a run on a page of this machine."""

from __future__ import annotations

import asyncio
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.evaluation.judgements.judgements import KINDS
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:
    from manyhands.evaluation.judgements.session import JudgementSession

EXAMPLE = "Example: manyhands suite judge runs/20260102-101500_run --judge ann --open. Ctrl-C ends it; all is stored."


def command(
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    judge: Annotated[str, typer.Option("--judge", metavar="NAME", help="Who judges; each name has a file of its own.")],
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")] = 0,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in this machine's browser.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Serve a page on which a person judges a run by keyboard: success, rubrics, actions, verdicts, operations."""
    from manyhands.evaluation.judgements.server import JudgementServer
    from manyhands.evaluation.judgements.session import JudgementSession

    session = JudgementSession(RunFolder(run), judge)
    page = JudgementServer(session, port)

    async def serve_page() -> int:
        async with page as server:
            _tell_address(server.url, session, as_json)
            if open_page and not await asyncio.to_thread(webbrowser.open, server.url):
                text_console(stderr=True).print("no browser could be opened: open the address yourself")
            await _until_enough()
        _tell_what_was_stored(session, as_json)
        return 0

    carry_out(serve_page, as_json)


async def _until_enough() -> None:
    """Wait until Ctrl-C, which is the usual end of this command and no failure."""
    task = asyncio.current_task()
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        assert task is not None
        task.uncancel()


def _tell_address(url: str, session: JudgementSession, as_json: bool) -> None:
    if as_json:
        say_json({"url": url})
        return
    counts = session.progress()
    text_console().print(
        f"{url}\nThe page of judge {session.judge}: {counts.judged} of {counts.questions} questions are answered. "
        "Whoever has this address can judge; Ctrl-C ends it.",
        soft_wrap=True,
        markup=False,
    )


def _tell_what_was_stored(session: JudgementSession, as_json: bool) -> None:
    counts = session.progress()
    if as_json:
        say_json(stored(session))
    elif session.path.exists():
        text_console().print(
            f"{count_noun(counts.judged, 'judgement')} of {counts.questions} stored in {session.path}",
            soft_wrap=True,
            markup=False,
        )
    else:
        text_console().print("nothing was judged, nothing stored")


def stored(session: JudgementSession) -> dict[str, Any]:
    """Return what was judged, as ``--json`` prints it at the end."""
    counts = session.progress()
    judgements = [session.judgement(episode) for episode in session.sheets]
    answers = [
        question.kind
        for sheet, one in zip(session.sheets.values(), judgements, strict=True)
        for question in sheet.due_questions(one)
        if question.answer(one) is not None
    ]
    return {
        "judge": session.judge,
        "source": "person",
        "file": str(session.path) if session.path.exists() else None,
        "judged": counts.judged,
        "questions": counts.questions,
        "by_kind": {kind: answers.count(kind) for kind in KINDS},
        "episodes": {
            episode: one.model_dump(mode="json") for episode, one in zip(session.sheets, judgements, strict=True)
        },
    }
