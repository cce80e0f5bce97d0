"""Lines that are one wrapped text: which they are, and the text that they make.

All lengths are relative to the size of the type, which follows from the width of a line and its characters: heights of
boxes differ by what hangs below a line or stands above it.
"""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.perception.text.forms import east_asian
from manyhands.protocol.geometry import Box
from manyhands.protocol.screens import Element

INK_MARGIN = 0.25
"""Paper around the ink of a text in its box, in heights of the ink: as much as the detector leaves on average."""
SAME_SIZE = 1.15
"""The larger type by the smaller one, at most. A subtitle is smaller than its title: by 1.2 and more."""
NEAREST, FARTHEST = 0.8, 1.8
"""Between the middles of two lines that follow each other, in sizes of the type. Rows of a list are farther apart."""
FARTHEST_WORD = 1.4
"""The farthest below a line of a single word, which may be an item by itself."""
ALIGNED = 0.4
"""Between the left edges, or the middles, of two lines, in sizes of the type."""
SPACE = 0.25
"""Between two words, in sizes of the type."""

WIDTHS = {
    **dict.fromkeys("iljI|!.,:;'`", 0.26),
    **dict.fromkeys('ftr()[]{}-/\\"* ', 0.34),
    **dict.fromkeys("mwMW@%&", 0.85),
}
"""Widths of letters in usual sans-serif types, in sizes of the type. For others see ``_width``."""


def wrapped(lines: Sequence[Element]) -> list[list[Element]]:
    """Group ``lines`` into texts, each a list of lines from the top, in the order of their first lines.

    A line goes on in one below it that has the same type, hangs at the same left edge or about the same middle, is
    next to it, and whose first word had no room on it.
    """
    texts: list[list[Element]] = []
    for line in sorted(lines, key=lambda line: (line.box.y1, line.box.x1)):
        above = [text for text in texts if _goes_on(text, line)]
        if above:
            max(above, key=lambda text: text[-1].box.y2).append(line)
        else:
            texts.append([line])
    places = {id(line): place for place, line in enumerate(lines)}
    return sorted(texts, key=lambda text: places[id(text[0])])


def joined(lines: Sequence[Element]) -> Element:
    """Join the lines of a wrapped text, at least one: as sure as the least sure line, in a box around all."""
    content = lines[0].content
    for line in lines[1:]:
        apart = not (east_asian(content[-1:]) or east_asian(line.content[:1]) or content.endswith("-"))
        content += " " * apart + line.content
    box = Box.around(line.box for line in lines)
    return Element(kind="text", box=box, content=content, confidence=min(line.confidence for line in lines))


def type_size(line: Element) -> float:
    """Return the size in pixels. Two lines of one type differ by some per cent, short ones by more."""
    needed = sum(map(_width, line.content))
    return line.box.width / (needed + 2 * INK_MARGIN)


def _width(letter: str) -> float:
    """Return the letter's width in sizes of the type."""
    if east_asian(letter) or letter in "，。、：；！？（）":
        return 1.0
    return WIDTHS.get(letter, 0.65 if letter.isupper() else 0.54)


def _goes_on(text: Sequence[Element], line: Element) -> bool:
    """Return whether ``line`` is the next line of ``text``."""
    above = text[-1]
    sizes = type_size(above), type_size(line)
    size = sum(sizes) / 2
    if max(sizes) > SAME_SIZE * min(sizes):
        return False
    apart = line.centre[1] - above.centre[1]
    farthest = FARTHEST if _words(above.content) > 1 else FARTHEST_WORD
    if not NEAREST * size <= apart <= farthest * size:
        return False
    at_left = abs(line.box.x1 - above.box.x1) <= ALIGNED * size
    in_middle = all(abs(line.centre[0] - other.centre[0]) <= ALIGNED * size for other in text)
    if not at_left and not in_middle:
        return False
    room = max(other.box.width for other in (*text, line)) - above.box.width
    return room < (SPACE + ALIGNED) * size + _first_word(line, size)


def _words(content: str) -> int:
    return len(content) if east_asian(content) else len(content.split())


def _first_word(line: Element, size: float) -> float:
    """Return its width in pixels. A line may be broken at any Chinese character."""
    if east_asian(line.content[:1]):
        return size
    return line.box.width * len(line.content.split()[0]) / len(line.content)
