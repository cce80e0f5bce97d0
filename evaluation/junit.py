"""Write the results of a run as JUnit XML for CI systems. A check that does not hold becomes a failed test case."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from junitparser import Error, Failure, Skipped
from junitparser.xunit2 import FlakyFailure, JUnitXml, RerunFailure, TestCase, TestSuite

from manyhands.evaluation.metrics.exits import EXITS
from manyhands.evaluation.results import TaskResult, results_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol import secure_files
from manyhands.protocol.errors import store_error
from manyhands.protocol.terminal_text import count_noun, show_controls


def to_junit(results: Sequence[TaskResult], folder: Path) -> str:
    """Return a test suite as XML, with a test case for each task.

    A task whose check did not hold, or whose agent ended without success, is a failure. If a model judged the check,
    the property ``verified_by`` says so. A task that ended for a reason
    outside the agent (a lost phone or host, a check that could not be evaluated) is an error. A cancelled task is
    skipped. Each task's last screen, in ``folder``, is attached in the notation of Jenkins, GitLab and others:
    ``[[ATTACHMENT|path]]``.
    """
    name = show_controls(results[0].run if results else folder.name)
    suite = TestSuite(name)  # type: ignore[no-untyped-call]
    for result in results:
        suite.add_testcase(_case(result, folder))
    written = JUnitXml("manyhands")
    written.add_testsuite(suite)
    found: bytes = written.tostring()  # type: ignore[no-untyped-call]
    return found.decode("utf-8")


def write_junit(run: Path, out: Path) -> None:
    """Write the results of a run folder to a file. Raises BadInput for any other folder, and StoreError."""
    try:
        secure_files.replace_text(out, to_junit(results_of(RunFolder(run)), run))
    except OSError as error:
        raise store_error(error, f"{out} cannot be written") from error


def _case(result: TaskResult, folder: Path) -> TestCase:
    case = TestCase(show_controls(result.id), classname=show_controls(result.run), time=round(result.seconds, 3))
    told = _message(result)
    if result.verdict == "cancelled":
        case.result = [Skipped(told)]
    elif result.verdict == "undecided" or (result.verdict == "failed" and EXITS[result.finished] == "left_out"):
        case.result = [_with_details(Error(told, result.finished.value), result)]
    elif result.verdict in ("failed", "judged_not_done"):
        kind = "judge" if result.is_judged else "check" if result.unmet else result.finished.value
        case.result = [_with_details(Failure(told, kind), result)]
    for failed in result.failed_tries:  # Surefire's elements for tests that run again
        rerun = FlakyFailure if result.passes else RerunFailure
        case.add_interim_result(rerun(show_controls(str(failed)), "check" if failed.unmet else failed.finished.value))
    if result.unexpected_changes:
        case.add_property("unexpected_changes", show_controls("; ".join(map(str, result.unexpected_changes))))
    if result.is_judged:
        case.add_property("verified_by", "judge")
    if result.retries:
        case.add_property("verdict", result.shown_verdict)
    if result.repeats is not None:
        case.add_property("repeats", show_controls(f"{result.repeats.task}: {result.repeats}"))
    if result.last_screen is not None:
        case.system_out = f"[[ATTACHMENT|{show_controls(str((folder / result.last_screen).absolute()))}]]\n"
    return case


def _message(result: TaskResult) -> str:
    if result.unmet:
        return show_controls("; ".join(map(str, result.unmet)))
    return show_controls(f"{result.finished.value}: {result.reason}" if result.reason else result.finished.value)


def _with_details(found: Failure | Error, result: TaskResult) -> Failure | Error:
    """Add details below the message: the goal, the ending, the last action and rubrics that never held."""
    lines = [
        f"goal: {result.goal}",
        f"ended: {result.finished.value} after {count_noun(result.steps, 'step')}, {result.reason}",
        *(f"check: {test}" for test in result.unmet),
        *(f"unexpected change: {change}" for change in result.unexpected_changes or ()),
        *(f"rubric {name}: {test}" for name, tests in result.rubrics_unmet.items() for test in tests),
        f"last action: {result.last_action or 'none'}",
        f"episode: {result.episode or 'none'}",
    ]
    found.text = show_controls("\n".join(lines))
    return found
