"""Submit the tasks of a file to a service, and print each event until the batch has ended.

manyhands login http://127.0.0.1:8008
python docs/examples/service_events.py tasks.yaml
"""

import asyncio
import sys
from datetime import date

from manyhands import AsyncClient, EventKind, ServiceError


async def main(file: str) -> int:
    async with AsyncClient() as client:
        # The same key again, for instance after a crash of this program, gives the same batch.
        batch = await client.submit(file=file, tags=["example"], idempotency_key=f"{date.today()}-nightly")
        async for event in client.events(after=0, batch=batch):
            print(event.kind.value, event.task or "", event.phone or "")
            if event.kind is EventKind.BATCH_ENDED:
                break
        ended = await client.batch(batch.id)
        return 0 if ended.failed == 0 else 1


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main(sys.argv[1])))
    except ServiceError as error:
        sys.exit(str(error))
