"""Write tasks for MiniWoB's problems. A goal varies with its seed, so it is read from the page."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.task import TaskSpec, parse_tasks
from manyhands.protocol.utilities.yaml_document import YamlDocument
from manyhands.simulator.miniwob.pages import (
    PAGE_WIDTH,
    PAGES,
    PLAYED,
    WORLD_SCRIPT,
    html_folder,
    problem_number,
    problem_url,
)
from manyhands.simulator.web.access import PageAccess
from manyhands.simulator.web.browser import WebBrowser
from manyhands.simulator.web.screen import DP, WebScreen

STATE = "content://manyhands.simulator/state"
_SCREEN = (PAGE_WIDTH, 2 * PAGE_WIDTH, DP)
"""Width, height and dots per inch of the screen on which goals are read."""


def chosen_pages(pages: Sequence[str]) -> tuple[str, ...]:
    """Return the named pages, or all that are not left out. Raises BadInput for one that is missing or left out."""
    for page in pages:
        if page not in PAGES:
            raise BadInput(f"MiniWoB has no page {page!r}")
        if PAGES[page] is not None:
            raise BadInput(f"MiniWoB's page {page} is left out: {PAGES[page]}")
    return tuple(pages) or PLAYED


def write_suite(pages: Sequence[str], seeds: Sequence[int]) -> dict[str, Any]:
    """Return the content of a file of tasks, one for each page and seed. Raises BadInput, DeviceLost."""
    document = {
        "suite": "miniwob",
        "description": "Pages of MiniWoB on web phones. No figure of it is one of real phones.",
        "tasks": asyncio.run(_read_tasks(chosen_pages(pages), seeds)),
    }
    read_suite(document)
    return document


def read_suite(document: dict[str, Any]) -> tuple[TaskSpec, ...]:
    """Return the tasks of a suite's content. Raises BadInput."""
    return parse_tasks(YamlDocument(document, "miniwob"))


async def _read_tasks(pages: Sequence[str], seeds: Sequence[int]) -> list[dict[str, Any]]:
    folder = html_folder()
    async with WebBrowser(PageAccess((folder,)), WORLD_SCRIPT) as browser:
        screen = WebScreen(browser, *_SCREEN)
        try:
            await screen.start("about:blank")
            return [await _read_task(screen, folder, page, seed) for page in pages for seed in seeds]
        finally:
            await screen.stop()


async def _read_task(screen: WebScreen, folder: Path, page: str, seed: int) -> dict[str, Any]:
    number = problem_number(page, seed)
    await screen.show(problem_url(folder, number))
    state = (await screen.facts()).page
    if not state or state.get("task") != page or not state.get("goal"):
        raise BadInput(f"MiniWoB's page {page} tells no goal for seed {seed}: {state}")
    passed = [{"path": "page.task", "equals": page}, {"path": "page.reward", "at_least": 1}]
    return {
        "id": f"miniwob.{page}.{seed}",
        "goal": state["goal"],
        "tags": ["miniwob", page],
        "reset_seed": number,
        "check": {"source": STATE, "holds": {"all": passed}},
    }
