"""``manyhands suite judge`` and ``record-human``: store what a person judges of a run, and does by hand."""

from __future__ import annotations

import asyncio
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.cells import flatten
from manyhands.deploy.command_line.commands.suite.instructions import chosen_instructions
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.evaluation.judgements.judgements import KINDS
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:
    from manyhands.evaluation.judgements.session import JudgementSession

JUDGE_EXAMPLE = (
    "Example: manyhands suite judge runs/20260102-101500_run --judge ann --open. Ctrl-C ends it; all is stored."
)


@options.reads_runs
def judge(
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


RECORD_HUMAN_EXAMPLE = (
    "Example: manyhands suite record-human mobile_eval.gmail.1 --to human.yaml. Then: manyhands suite run mobile_eval "
    "--human human.yaml."
)


@options.reads_runs
def record_human(
    instruction: Annotated[str, typer.Argument(metavar="ID", help="An instruction's id.", show_default=False)],
    to: Annotated[Path, typer.Option("--to", help="The YAML file of operations; others in it stay.")],
    operation: Annotated[
        list[str] | None,
        typer.Option("--operation", help="An operation in words, as 'tap Gmail'; repeatable. No terminal is asked."),
    ] = None,
    taken_over: Annotated[
        Path | None,
        typer.Option(
            "--from", help="A run folder: what a person did who took the instruction's episode over at its start."
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Count and store the operations of a person who does an instruction: by hand, or in an episode taken over.

    By hand, you write each operation in a few words; an empty line ends. CR and RE compare an agent with them.
    """
    from manyhands.evaluation.run_folder import RunFolder
    from manyhands.evaluation.suites.human_operations import operations_of_person, store_human_operations

    if operation and taken_over is not None:
        raise BadInput("give either --operation or --from")
    ones = chosen_instructions([instruction], [])
    if [one.id for one in ones] != [instruction]:
        raise BadInput(f"{instruction}: names {count_noun(len(ones), 'instruction')}; name one, as {ones[0].id}")
    if taken_over is not None:
        operations = operations_of_person(RunFolder(taken_over), instruction)
    else:
        operations = tuple(operation or _ask(ones[0].printed))
    if not operations:
        raise BadInput(f"{instruction}: no operation was named, and nothing is stored")
    store_human_operations(to, instruction, operations)
    if as_json:
        say_json(
            {"instruction": instruction, "operations": list(operations), "count": len(operations), "file": str(to)}
        )
    else:
        lines = [f"{number}. {flatten(words)}" for number, words in enumerate(operations, 1)]
        stored = f"{count_noun(len(operations), 'operation')} of {instruction} stored in {to}"
        text_console().print("\n".join([*lines, stored]), soft_wrap=True, markup=False)


def _ask(goal: str) -> Iterator[str]:
    """Yield what a person writes, a line for each operation, until an empty line or the end of the input."""
    console = text_console(stderr=True)
    console.print(goal, soft_wrap=True, markup=False)
    console.print("Do it by hand. Write each operation in a few words, such as 'tap Gmail'. An empty line ends.")
    for line in sys.stdin:
        if not line.strip():
            return
        yield line.strip()


SUBCOMMANDS = {
    "judge": Subcommand(judge, JUDGE_EXAMPLE),
    "record-human": Subcommand(record_human, RECORD_HUMAN_EXAMPLE),
}
