"""Write the results of a run as JUnit XML for CI systems, and as one self-contained HTML page with a sortable table.

In JUnit, a check that does not hold is a failed test case.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import get_args
from urllib.parse import quote

from junitparser import Error, Failure, Skipped
from junitparser.xunit2 import FlakyFailure, JUnitXml, RerunFailure, TestCase, TestSuite

from manyhands.evaluation.markup import embed_pictures, page_templates
from manyhands.evaluation.metrics.outcomes import EXITS
from manyhands.evaluation.results import TaskResult, Verdict, answer_columns, answer_fields, results_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import store_error
from manyhands.protocol.tasks.repeats import count_repeats
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.terminal_text import count_noun, show_controls


def to_html(results: Sequence[TaskResult], run: RunFolder, written_to: Path | None = None) -> str:
    """Return the page. It shows the last screens of the tasks that did not pass.

    ``written_to``: the page's file. If it is inside the run folder, links to episodes are relative, so that the folder
    can be moved with its page. Elsewhere links hold the run's full path, so that the page alone can be moved.
    """
    not_passed = (result.last_screen for result in results if not result.passes)
    picture_names = {screen: Path(screen).stem for screen in not_passed if screen is not None}
    counts = Counter(result.verdict for result in results)
    return (
        page_templates("manyhands.evaluation")
        .get_template("results.html.jinja")
        .render(
            run=results[0].run if results else run.path.name,
            results=results,
            counts={verdict.replace("_", " "): counts[verdict] for verdict in get_args(Verdict)},
            repeats=count_repeats(results),
            answer_columns=answer_columns(results),
            answers=[answer_fields(result) for result in results],
            screens=picture_names,
            pictures=embed_pictures(run, sorted(picture_names.values())),
            links=[link_to_episode(run, result.episode, written_to) for result in results],
        )
    )


def link_to_episode(run: RunFolder, episode: str | None, written_to: Path | None) -> str | None:
    """Return a link to an episode: to its place in the run's report, or to its folder if there is no report.

    ``written_to``: the file of the page that has the link (``to_html``).
    """
    if episode is None:
        return None
    folder = run.path.resolve()
    if written_to is None or not written_to.resolve().is_relative_to(folder):
        base = folder.as_uri()
    else:
        base = quote(Path(os.path.relpath(folder, written_to.resolve().parent)).as_posix())
    return (
        f"{base}/report.html#/episodes/{quote(episode)}" if _has_report(run) else f"{base}/episodes/{quote(episode)}/"
    )


def _has_report(run: RunFolder) -> bool:
    return (run.path / "report.html").is_file()


def run_to_junit(run: RunFolder, results: Sequence[TaskResult]) -> str:
    """Return the results of a run folder as XML. The suite has the run's ``name``, the same in each run of a file.

    Screens are attached by their paths, relative to the working directory if they lie below it, as GitLab wants it.
    """
    settings = run.asked.get("settings") or {}
    name = str(settings.get("name") or run.asked.get("run_id") or run.path.name)
    return to_junit(results, name, partial(_screen_path, run.path))


def to_junit(results: Sequence[TaskResult], name: str, attach: Callable[[TaskResult], str | None]) -> str:
    """Return a test suite called ``name`` as XML, with a test case for each task, named by the task's id.

    Names and classes are the same in each run, so that a CI system can follow a task. A task whose check did not hold,
    whose agent ended without success, or whose app under test crashed, is a failure. If a model judged the check, the
    property ``verified_by`` says so. A task that ended for a reason outside the agent (a lost phone or host, a check
    that could not be evaluated) is an error. A cancelled task is skipped. ``attach`` returns where a task's last screen
    is, a path or an address. It is attached in the notation of Jenkins, GitLab and others: ``[[ATTACHMENT|path]]``.
    """
    suite = TestSuite(show_controls(name))  # type: ignore[no-untyped-call]
    several = len({result.batch for result in results}) > 1
    for result in results:
        suite.add_testcase(_case(result, f"{name}.{result.batch}" if several else name, attach(result)))
    xml = JUnitXml("manyhands")
    xml.add_testsuite(suite)
    content: bytes = xml.tostring()  # type: ignore[no-untyped-call]
    return content.decode("utf-8")


def write_junit(folder: Path, out: Path) -> None:
    """Write the results of a run folder to a file. Raises BadInput for any other folder, and StoreError."""
    run = RunFolder(folder)
    try:
        secure_files.replace_text(out, run_to_junit(run, results_of(run)))
    except OSError as error:
        raise store_error(error, f"{out} cannot be written") from error


def _screen_path(folder: Path, result: TaskResult) -> str | None:
    if result.last_screen is None:
        return None
    path, here = (folder / result.last_screen).absolute(), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _case(result: TaskResult, class_name: str, screen: str | None) -> TestCase:
    case = TestCase(show_controls(result.id), classname=show_controls(class_name), time=round(result.seconds, 3))
    message = _message(result)
    if result.verdict == "cancelled":
        case.result = [Skipped(message)]
    elif result.verdict == "undecided" or (result.verdict == "failed" and _says_nothing(result)):
        case.result = [_with_details(Error(message, result.finished.value), result)]
    elif result.verdict in ("failed", "judged_not_done"):
        kind = "judge" if result.is_judged else "check" if result.unmet else result.finished.value
        case.result = [_with_details(Failure(message, kind), result)]
    for failed in result.failed_tries:  # Surefire's elements for tests that run again
        rerun = FlakyFailure if result.passes else RerunFailure
        case.add_interim_result(rerun(show_controls(str(failed)), "check" if failed.unmet else failed.finished.value))
    if result.unexpected_changes:
        case.add_property("unexpected_changes", show_controls("; ".join(map(str, result.unexpected_changes))))
    if result.is_judged:
        case.add_property("verified_by", "judge")
    if result.retries:
        case.add_property("verdict", result.shown_verdict)
    if result.phone:
        case.add_property("phone", show_controls(result.phone))
    if result.product:
        case.add_property("product", show_controls(result.product))
    if result.matrix:
        case.add_property(result.matrix, show_controls(result.matrix_value))
    if result.repeats is not None:
        case.add_property("repeats", show_controls(f"{result.repeats.task}: {result.repeats}"))
    if screen is not None:
        case.system_out = f"[[ATTACHMENT|{show_controls(screen)}]]\n"
    return case


def _says_nothing(result: TaskResult) -> bool:
    """Return whether an ending says nothing about the agent, nor about the app under test."""
    return EXITS[result.finished] == "left_out" and result.finished is not Ending.APP_CRASHED


def _message(result: TaskResult) -> str:
    if result.unmet:
        return show_controls("; ".join(map(str, result.unmet)))
    return show_controls(f"{result.finished.value}: {result.reason}" if result.reason else result.finished.value)


def _with_details(detail: Failure | Error, result: TaskResult) -> Failure | Error:
    """Add details below the message: goal, ending, last action, rubrics that never held, and the trace of a crash."""
    lines = [
        f"goal: {result.goal}",
        f"ended: {result.finished.value} after {count_noun(result.steps, 'step')}, {result.reason}",
        *(f"check: {test}" for test in result.unmet),
        *(f"unexpected change: {change}" for change in result.unexpected_changes or ()),
        *(f"rubric {name}: {test}" for name, tests in result.rubrics_unmet.items() for test in tests),
        f"last action: {result.last_action or 'none'}",
        f"episode: {result.episode or 'none'}",
        *((result.trace,) if result.trace else ()),
    ]
    detail.text = show_controls("\n".join(lines))
    return detail
