"""Find one thing on a screenshot by words.

python docs/examples/locate.py SHOT.png text Settings
python docs/examples/locate.py SHOT.png icon "the gear, top right"

Prints a line for each match, the best first. Exit codes: 0 found, 1 nothing fits, 2 bad input. Uses modules that are no
part of the public API.
"""

import argparse
import asyncio
import sys
import time
from pathlib import Path

from pydantic import ValidationError

from manyhands.actors.frames import Frame, content_id
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.deploy.perception.reader import read_picture
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.messages import CallContext
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import LocateQuery, Match, Screenshot


async def locate(picture: Path, query: LocateQuery) -> tuple[Match, ...]:
    """All that may be meant, the best first. Raises BadInput for a file that is no picture, PerceptionError."""
    rgb = read_picture(picture)
    size = Size(width=rgb.shape[1], height=rgb.shape[0])
    # Of a phone, gateway.capture gives the screenshot and its frame; behind Ray the frame is a reference, and
    # PerceptionProxy.locate takes that.
    shot = Screenshot(content_id=content_id(rgb), size=size, serial=str(picture), taken_at=time.time(), capture_ms=0)
    service = PerceptionService(PerceptionSettings(workers=1))
    await service.start()
    try:
        context = CallContext(episode="example", step=0, deadline=time.time() + 60)
        return (await service.locate(shot, Frame("rgb", rgb), query, context)).matches
    finally:
        await service.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description="Find one thing on a screenshot by words.")
    parser.add_argument("picture", type=Path, help="a screenshot, e.g. PNG or JPEG")
    parser.add_argument("kind", choices=("text", "icon"))
    parser.add_argument("words", help="a text as it is written, or an icon's description")
    given = parser.parse_args()
    try:
        query = LocateQuery(kind=given.kind, words=given.words)
        matches = asyncio.run(locate(given.picture, query))
    except (ManyhandsError, ValidationError) as error:
        parser.error(str(error))
    if not matches:
        print(f"nothing on {given.picture} fits {given.kind} {given.words!r}", file=sys.stderr)
        return 1
    for match in matches:
        print(*match.element.centre, match.element.content or "no name", f"{match.score:.2f}", *match.ways)
    return 0


if __name__ == "__main__":
    sys.exit(main())
