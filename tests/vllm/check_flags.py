"""Parses golden commands with the installed vLLM's own parser: ``python tests/vllm/check_flags.py GOLDEN...``.

Run by the Python of an environment that has vLLM. ``.txt`` files hold shell commands of ``vllm serve``, ``.yaml``
files Ray Serve applications, whose ``engine_kwargs`` must be fields of vLLM's argument classes. Prints a line for
each file and, for each flag that this release lacks, its name; exit code 1 if there was one.
Imports nothing of ours: the environment has none of it.

To ask a release that has no build for the CPU, unpack its wheel, add ``+cpu`` to the version in the name and in the
METADATA of its ``dist-info``, and put the folder on PYTHONPATH before the environment's own vLLM.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib
import io
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import yaml

RELEASE = version("vllm").partition("+")[0]
_ASSIGNMENT = re.compile(r"[A-Z_][A-Z0-9_]*=")


def commands_in(text: str) -> Iterator[list[str]]:
    """The words of each command of a script: comments and leading assignments are left out."""
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for command in lines.replace("\\\n", " ").splitlines():
        words = shlex.split(command)
        while words and _ASSIGNMENT.match(words[0]):
            words.pop(0)
        if words:
            yield words


def serve_arguments() -> ModuleType:
    """The module that declares the arguments of ``vllm serve``; releases have it in different places."""
    for name in ("vllm.entrypoints.common.cli_args", "vllm.entrypoints.launchers.cli_args"):
        with contextlib.suppress(ModuleNotFoundError):
            return importlib.import_module(name)
    raise SystemExit(f"vLLM {RELEASE}: the arguments of vllm serve were not found")


def serve_parser(arguments: ModuleType) -> argparse.ArgumentParser:
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    parser: argparse.ArgumentParser = arguments.make_arg_parser(FlexibleArgumentParser(prog="vllm serve"))
    return parser


def engine_fields(arguments: ModuleType) -> set[str]:
    from vllm.engine.arg_utils import AsyncEngineArgs

    return {field.name for kind in (AsyncEngineArgs, arguments.FrontendArgs) for field in dataclasses.fields(kind)}


def wrong_in_command(parser: argparse.ArgumentParser, arguments: ModuleType, words: Sequence[str]) -> list[str]:
    """What is wrong with a command; empty where the parser takes it, and the engine the parsed arguments."""
    from vllm.engine.arg_utils import AsyncEngineArgs

    if list(words[1:2]) != ["serve"]:
        return [f"not a 'vllm serve' command: {shlex.join(words[:3])}"]
    flags = {word.partition("=")[0] for word in words if word.startswith("--")}
    unknown = sorted(flag for flag in flags if flag not in parser._option_string_actions)
    if unknown:
        return [f"vLLM {RELEASE} has no {flag}" for flag in unknown]
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            parsed = parser.parse_args(list(words[2:]))
        arguments.validate_parsed_serve_args(parsed)
        AsyncEngineArgs.from_cli_args(parsed)
    except SystemExit:
        return [f"vLLM {RELEASE} refuses: {said.getvalue().strip().splitlines()[-1]}"]
    except (TypeError, ValueError) as error:
        return [f"vLLM {RELEASE} refuses: {' '.join(str(error).split())}"]
    return []


def wrong_in_application(text: str, fields: set[str]) -> list[str]:
    given = {
        key
        for application in yaml.safe_load(text)["applications"]
        for config in application["args"]["llm_configs"]
        for key in config["engine_kwargs"]
    }
    return [f"vLLM {RELEASE} has no engine argument {key}" for key in sorted(given - fields)]


def main(paths: Sequence[str]) -> int:
    if not paths:
        sys.stderr.write("usage: check_flags.py GOLDEN...\n")
        return 2
    arguments = serve_arguments()
    parser, fields = serve_parser(arguments), engine_fields(arguments)
    bad = checked = 0
    for path in map(Path, paths):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".yaml":
            wrong, count = wrong_in_application(text, fields), 1
        else:
            commands = list(commands_in(text))
            wrong = [line for words in commands for line in wrong_in_command(parser, arguments, words)]
            count = len(commands)
        bad, checked = bad + len(wrong), checked + count
        sys.stdout.write(f"{path.name}: {'; '.join(dict.fromkeys(wrong)) or f'{count} taken by vLLM {RELEASE}'}\n")
    sys.stdout.write(f"{checked} commands checked against vLLM {RELEASE}, {bad} wrong\n")
    return 1 if bad or not checked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
