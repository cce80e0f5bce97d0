"""Play the pages with letters. A function whose name ends in ``wrongly`` ends its task without reward.

Their pictures have no names: they are touched at their distance from what has one.
"""

from __future__ import annotations

import re

from tests.simulator.web.miniwob.player import Node, Player


def letter(player: Player) -> None:
    """Do what the goal asks with the letter by a person."""
    name = _sender(player.goal)
    _handle(player, player.seek(lambda: _letters(player, name), name))


def letter_wrongly(player: Player) -> None:
    """Do the same with another letter."""
    name = _sender(player.goal)
    _handle(player, next(node for node in _letters(player, "") if not node.text.startswith(f"{name} ")))


def _sender(goal: str) -> str:
    (match,) = re.findall(r"email by (\S+)", goal)
    return str(match)


def _letters(player: Player, name: str) -> list[Node]:
    width = player.pixels(120)
    whole = [node for node in player.nodes("View") if node.text and node.right - node.left > width]
    return [
        node
        for node in whole
        if (node.text.startswith(f"{name} ") or not name) and node.bottom - node.top > player.pixels(30)
    ]


def _handle(player: Player, node: Node) -> None:
    goal = player.goal
    icon_y = node.top + player.pixels(13)
    if "trash" in goal or "star icon" in goal:
        player.hand.tap(node.left + player.pixels(136 if "trash" in goal else 122), icon_y)
        return
    player.hand.tap(node.left + player.pixels(30), icon_y)
    player.tap("Reply" if "reply" in goal else "Forward")
    field = player.wait(player.fields, "field")[0 if "forward" in goal else -1]
    text = player.quoted()[0] if "reply" in goal else re.findall(r"to (\S+)\.$", goal)[0]
    player.fill(field, text)
    player.wait_for_rest()
    player.hand.tap(player.pixels(148), player.page_top + player.pixels(62))
