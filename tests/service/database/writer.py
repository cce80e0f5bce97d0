"""A process that writes to a database until it is killed, and prints each answer: run with the URL as the argument."""

from __future__ import annotations

import asyncio
import sys

from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from tests.service.database.work import AT, begin, end, progress, request, result


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def main(url: str, first: int) -> None:
    """``first``: the number of the first key. Batches are submitted, handed over and carried out, without end."""
    batches = BatchRepository(await ServiceDatabase.open(url))
    say("open")

    async def work(lane: int) -> None:
        number = first + lane
        while True:
            made, _ = await batches.accept(request("a", "b", "c"), "ann", f"key-{number}", AT)
            say(f"accepted {made.id} key-{number}")
            for task in ("a", "b"):
                id = f"{made.id}.{task}"
                await begin(batches, id, f"{id}-1", "p1", AT)
                await batches.record_progress([progress(id, 1)], AT)
                if await end(batches, result(id)):
                    say(f"ended {id}")
            if number % 3 == 0:
                await batches.cancel([made.id], AT, "not needed")
                say(f"cancelled {made.id}")
            number += 4

    await asyncio.gather(*(work(lane) for lane in range(4)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
