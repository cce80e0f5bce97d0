"""Carry out one goal on one phone. Run it: python docs/examples/one_goal.py"""

import asyncio

from manyhands import Fleet


async def main() -> None:
    # Real ones: phones=["R58M123ABC"], mllm_url=["http://127.0.0.1:8000/v1"].
    async with Fleet(phones=["virtual:1"], mllm_url=["rehearsed"]) as fleet:
        result = await fleet.run("Turn on dark mode.")
        print(f"{result.ending.value} after {result.steps} steps; run folder: {fleet.folder}")


asyncio.run(main())
