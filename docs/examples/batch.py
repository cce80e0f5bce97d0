"""Carry out a batch with checks on two phones, watch it, and read its figures."""

import asyncio

from manyhands import Check, Fleet, TaskSpec, Value

STATE = "content://manyhands.simulator/state"
TASKS = [
    TaskSpec(
        id="dark_mode",
        goal="Turn on dark mode.",
        check=Check(source=STATE, holds=Value(path="settings.dark_mode", equals=True)),
    ),
    TaskSpec(
        id="quiet",
        goal="Set the system sound to Do Not Disturb.",
        hints="The switch for Do Not Disturb is on the page Sound & vibration.",
        check=Check(source=STATE, holds=Value(path="settings.do_not_disturb", equals=True)),
    ),
]


async def main() -> None:
    async with Fleet(phones=["virtual:2"], mllm_url=["rehearsed"]) as fleet:
        batch = asyncio.create_task(fleet.run_batch(TASKS))
        while not batch.done():
            progress = await fleet.progress()
            print(f"{progress.done.tasks} of {progress.total} done")
            await asyncio.wait({batch}, timeout=2)
        summary = fleet.summary()
        print(f"{summary.verified} of {summary.tasks} verified in {summary.steps} steps")


asyncio.run(main())
