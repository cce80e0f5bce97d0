"""Carry out two goals side by side with settings of one's own. Run it: python docs/examples/two_goals.py"""

import asyncio

from manyhands import EpisodeResult, EpisodeSettings, Fleet

GOALS = ("Turn on dark mode.", "Send this greeting to Alice Carter in Messages: Good luck with the move today!")


def told(result: EpisodeResult) -> str:
    return f"{result.task}: {result.ending.value} after {result.steps} steps on {result.serial}"


async def main() -> None:
    episode = EpisodeSettings(schedule="speculate")
    async with Fleet(phones=["virtual:2"], mllm_url=["rehearsed"], episode=episode, name="two") as fleet:
        for result in await asyncio.gather(*map(fleet.run, GOALS)):
            print(told(result))


asyncio.run(main())
