"""Collect the views of a window during its layout, for callers that ask for its hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from manyhands.simulator.phone.ui.geometry import Box
from manyhands.simulator.phone.views import BUTTON, IMAGE, IMAGE_BUTTON, LAYOUT, ROOT, TEXT, ViewNode

Say = Callable[[str, str], str]
SPOKEN = {
    "back": ("Navigate up", "向上导航"),
    "cart": ("Cart", "购物车"),
    "close": ("Close", "关闭"),
    "edit": ("Edit", "编辑"),
    "minus": ("Remove one", "减少"),
    "mic": ("Voice search", "语音搜索"),
    "plus": ("Add", "添加"),
    "search": ("Search", "搜索"),
    "send": ("Send", "发送"),
    "trash": ("Delete", "删除"),
}
"""What a button with only a glyph is called, in English and in Chinese."""


class Outline:
    """Collect the views of one window. Nodes of the layout report where they are and which views they have."""

    def __init__(self, box: Box, say: Say) -> None:
        """``say`` chooses between English and Chinese."""
        self._say = say
        self._glyphs: dict[int, str] = {}
        self.restart(box)

    def restart(self, box: Box) -> None:
        """Begin again with another window, such as a dialog. Only the window in front counts."""
        self.root = ViewNode(ROOT, corners(box))
        content = ViewNode(ROOT, corners(box), resource_id="android:id/content")
        self.root.children.append(content)
        self._open = [content]

    def leaf(self, kind: str, box: Box, glyph: str = "", **facts: Any) -> None:
        """Add a view without children, unless it is invisible. ``glyph``: what an image shows."""
        if not box.empty:
            node = ViewNode(kind, corners(box), **facts)
            self._open[-1].children.append(node)
            if glyph:
                self._glyphs[id(node)] = glyph

    @contextmanager
    def group(self, kind: str, box: Box, **facts: Any) -> Iterator[None]:
        """Add a view. Views that are added within the block are inside it."""
        node = ViewNode(kind, corners(box), **facts)
        self._open.append(node)
        yield
        self._open.pop()
        self._close(node)
        if not box.empty and (node.children or node.important):
            self._open[-1].children.append(node)

    def _close(self, node: ViewNode) -> None:
        """Turn a button that holds only a text or only a glyph into a single view, as on Android."""
        inner = node
        while len(inner.children) == 1 and inner.children[0].kind == LAYOUT and not inner.children[0].important:
            inner = inner.children[0]
        if not node.clickable or node.kind != LAYOUT or len(inner.children) != 1:
            return
        (only,) = inner.children
        if only.kind == TEXT:
            node.kind, node.text, node.children = BUTTON, only.text, []
        elif only.kind == IMAGE and id(only) in self._glyphs:
            name = self._glyphs[id(only)]
            node.kind, node.children = IMAGE_BUTTON, []
            node.description = self._say(*SPOKEN.get(name, (name.capitalize(), name.capitalize())))


def corners(box: Box) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom."""
    return box.x, box.y, box.right, box.bottom
