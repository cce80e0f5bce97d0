"""Work for a graph that assumes nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from manyhands.actors.episode.schedule import GraphStop, Node


class Simple:
    """Work without assumptions: one function of a node, which may raise or answer with a stop."""

    def __init__(self, do: Callable[[Node], Awaitable[GraphStop[str] | None]]) -> None:
        self._do = do
        self._stops: dict[Node, GraphStop[str] | None] = {}

    async def execute(self, node: Node, assumed: frozenset[Node]) -> Node | None:
        if assumed:
            return None
        self._stops[node] = await self._do(node)
        return node

    async def commit(self, node: Node, result: Node, assumed: frozenset[Node]) -> GraphStop[str] | None:
        return self._stops.pop(node)

    def finish(self, node: Node) -> None:
        pass

    def as_assumed(self, node: Node) -> bool:
        return True

    async def drop(
        self, node: Node, result: Node | None, assumed: frozenset[Node], wrong: Node | None
    ) -> GraphStop[str] | None:
        return None
