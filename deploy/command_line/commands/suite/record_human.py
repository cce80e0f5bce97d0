"""``manyhands suite record-human``: store what a person does who carries out an instruction by hand."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.cells import flatten
from manyhands.deploy.command_line.commands.suite.selection import chosen_instructions
from manyhands.deploy.command_line.output import say_json, text_console
from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities.terminal_text import count_noun

EXAMPLE = (
    "Example: manyhands suite record-human mobile_eval.gmail.1 --to human.yaml. Then: manyhands suite run mobile_eval "
    "--human human.yaml."
)


def command(
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
