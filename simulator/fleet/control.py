"""Run the process of a fleet: print a line when it is ready, and obey control lines from stdin."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from manyhands.protocol.errors import BadInput
from manyhands.simulator.fleet.cut import Cut, cut_once
from manyhands.simulator.fleet.virtual_fleet import VirtualFleet
from manyhands.simulator.serving.shutdown import Shutdown
from manyhands.simulator.serving.stdin import StdinLines


async def control(fleet: VirtualFleet, line: str) -> dict[str, Any]:
    """Carry out one control line, and return the answer."""
    match line.split():
        case ["vanish", index] if index.isdecimal():
            doing, number = fleet.vanish(int(index)), int(index)
        case ["return", index] if index.isdecimal():
            doing, number = fleet.come_back(int(index)), int(index)
        case ["set", index, name, value] if index.isdecimal() and value.isdecimal():
            doing, number = fleet.set_condition(int(index), name, int(value)), int(index)
        case _:
            there = "'vanish INDEX', 'return INDEX' and 'set INDEX NAME NUMBER'"
            return {"error": f"not a control line: {line.strip()!r}; there are {there}"}
    try:
        await doing
    except BadInput as error:
        return {"error": str(error)}
    return {"done": line.split()[0], "phone": number}


async def obey(fleet: VirtualFleet, lines: StdinLines, shutdown: Shutdown) -> None:
    """Carry out control lines until stdin closes. Then begin the shutdown."""
    while (line := await lines.next()) is not None:
        if line.strip():
            say(json.dumps(await control(fleet, line), ensure_ascii=False))
    shutdown.begin()


def say(text: str) -> None:
    """Write a line to the parent process, which may no longer read."""
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - for the rest of the process


async def serve(fleet: VirtualFleet, *, as_json: bool, until_stdin_closes: bool, cut: Cut | None = None) -> None:
    """Announce the fleet, and serve it until a signal or the end of stdin."""
    loop, shutdown = asyncio.get_running_loop(), Shutdown()
    async with fleet:
        ready = {"ports": fleet.ports, "serials": fleet.serials, "seeds": fleet.seeds}
        say(json.dumps(ready) if as_json else "\n".join(fleet.serials))
        async with asyncio.TaskGroup() as tasks:
            beside = [tasks.create_task(obey(fleet, StdinLines(loop), shutdown))] if until_stdin_closes else []
            if cut is not None:
                beside += [tasks.create_task(cut_once(endpoint, cut)) for endpoint in fleet.endpoints]
            await shutdown.wait()
            for task in beside:
                task.cancel()
