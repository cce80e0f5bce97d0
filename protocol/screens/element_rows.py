"""Define the text form of a screen's elements in prompts: the elements that lie together form a group.

Prompts and the rehearsed model share this form. With ``paper_exact`` the form of ``protocol.roles.sections`` is used
instead."""

from __future__ import annotations

import re
from collections.abc import Sequence

from manyhands.protocol.roles.sections import ListedElement, ListedScreen, parse_element_line, screen_lines, unfenced
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element

STATUS_BAR = 0.04
"""The most that a status bar takes of an upright screen's height."""
_GAP = 0.6
"""Elements are in one group if the space between them is at most this share of the lower one's height."""
_ROW = re.compile(r"^([1-9][0-9]{0,5}) \(([0-9]{1,6}),([0-9]{1,6})((?:; [a-z ]+)*)\) (.*)$")
FIELDS = frozenset({"EditText", "AutoCompleteTextView", "MultiAutoCompleteTextView"})
"""Classes of views that take text."""
_MARKED = re.compile(r"^(icon|text)(?:: (.*))?$")


def is_listed(element: Element, size: Size) -> bool:
    """Return whether prompts list an element: it has a name or a text, and is not in the status bar.

    Where a screen lies on its side, the status bar is often hidden, so nothing is left out there.
    """
    upright = size.height > size.width
    in_status_bar = upright and element.box.y2 <= STATUS_BAR * size.height
    return not in_status_bar and (element.kind == "text" or bool(element.content))


def group_elements(elements: Sequence[tuple[ListedElement, Element]]) -> tuple[tuple[ListedElement, ...], ...]:
    """Return listed elements in groups. ``elements``: each with its box, in reading order."""
    groups: list[list[ListedElement]] = []
    bottom = 0
    for listed, element in elements:
        box = element.box
        if groups and box.y1 - bottom <= _GAP * box.height:
            groups[-1].append(listed)
            bottom = max(bottom, box.y2)
        else:
            groups.append([listed])
            bottom = box.y2
    return tuple(map(tuple, groups))


def grouped_body(screen: ListedScreen, groups: Sequence[Sequence[ListedElement]]) -> str:
    """Return a section's text: the screen's size and remarks, then the elements between fences.

    An empty line ends each group but the last. ``screen`` gives the size and the remarks.
    """
    return screen_lines(screen, "\n\n".join("\n".join(map(element_row, group)) for group in groups))


def element_row(element: ListedElement) -> str:
    """Return ``N (x,y) TEXT`` or ``N (x,y) icon: NAME``; line breaks in the content become blanks.

    Facts about the control stand behind the place, as in ``N (x,y; checked; clickable) TEXT``. They stand before the
    content, because no content can look like them there.
    """
    content = " ".join(element.content.split())
    if element.kind != "text" or not content or _MARKED.match(content):
        content = element.kind + (f": {content}" if content else "")
    place = "; ".join((f"{element.x},{element.y}", *element.facts))
    return f"{element.number} ({place}) {content}"


def control_facts(element: Element) -> tuple[str, ...]:
    """Return what the phone tells of the control that an element is or lies in, in the words of rows."""
    control = element.control
    if control is None:
        return ()
    checked = {None: "", True: "checked", False: "not checked"}[control.checked]
    facts = {
        "text field": control.kind in FIELDS,
        checked: bool(checked),
        "focused": control.focused,
        "disabled": not control.enabled,
        "scrollable": control.scrollable,
        "clickable": control.clickable,
    }
    return tuple(fact for fact, holds in facts.items() if holds)


def parse_element_row(line: str) -> ListedElement | None:
    """Parse a line of ``element_row``; return None for any other line."""
    match = _ROW.match(line)
    if match is None:
        return None
    marked = _MARKED.match(match[5])
    kind, content = (marked[1], marked[2] or "") if marked else ("text", match[5])
    facts = tuple(match[4].split("; ")[1:])
    x, y = int(match[2]), int(match[3])
    return ListedElement(number=int(match[1]), x=x, y=y, kind=kind, content=content, facts=facts)


def parse_elements(body: str) -> tuple[ListedElement, ...]:
    """Return the elements that a section of a screen lists, in either form."""
    elements = (parse_element_line(line) or parse_element_row(line) for line in unfenced(body))
    return tuple(one for one in elements if one is not None)
