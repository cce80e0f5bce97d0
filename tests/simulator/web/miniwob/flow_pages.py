"""List the pages of MiniWoB of which flows are made, and where their goals name what varies.

The rule was written before any flow was run. A page is taken if on every seed the same touches and typings in the same
order earn its reward, if what is typed stands in the goal letter by letter, and if each thing that is touched

- has its name in the goal letter by letter, or
- has the same name on every seed, or
- is the only control of its kind on the screen.

By the rule left out, among others: a number of choices that varies (``click-checkboxes``), a path that varies
(``click-tab-2``, ``navigate-tree``, ``search-engine``), what the page alone tells (``copy-paste``, ``read-table``),
another spelling than the goal's (``enter-date``, ``choose-date``, ``enter-text-2``, the "x" of ``click-dialog-2``),
things without a name (``email-inbox-delete``, ``click-color``, ``ascending-numbers`` after its first touch), and a
dialog that comes on some seeds only (``login-user-popup``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

FLOW_PAGES: Mapping[str, str] = {
    "choose-list": r"Select (?P<item>.+) from the list and click Submit\.",
    "click-button": r'Click on the "(?P<button>.+)" button\.',
    "click-button-sequence": r"Click button ONE, then click button TWO\.",
    "click-dialog": r'Close the dialog box by clicking the "x"\.',
    "click-link": r'Click on the link "(?P<link>.+)"\.',
    "click-option": r"Select (?P<option>.+) and click Submit\.",
    "click-pie": r'Expand the pie menu below and click on the item labeled "(?P<item>.+)"\.',
    "click-pie-nodelay": r'Expand the pie menu below and click on the item labeled "(?P<item>.+)"\.',
    "click-tab": r"Click on (?P<tab>Tab #\d)\.",
    "click-test": r"Click the button\.",
    "click-test-2": r"Click button ONE\.",
    "click-test-transfer": r"Click button ONE\.",
    "enter-password": r'Enter the password "(?P<password>.+)" into both text fields and press submit\.',
    "enter-text": r'Enter "(?P<text>.+)" into the text field and press Submit\.',
    "enter-text-dynamic": r'Enter "(?P<text>.+)" into the text field and press Submit\.',
    "focus-text": r"Focus into the textbox\.",
    "form-sequence-3": r'Choose (?P<height>.+) from the dropdown, then click the button labeled "(?P<button>.+)"\.',
    "login-user": r'Enter the username "(?P<user>.+)" and the password "(?P<password>.+)" into the text fields and '
    r"press login\.",
    "multi-orderings": r"Search for (?P<genre>.+) movies directed by (?P<director>.+) from year (?P<year>\d+)\.",
    "unicode-test": r'Click on the "(?P<button>.+)" button\.',
}
"""The pages by the rule, in the order of the catalogue, with the form of their goals."""


def goal_values(page: str, goal: str) -> dict[str, str]:
    """Return what a goal names, by the name of the variable."""
    match = re.fullmatch(FLOW_PAGES[page], goal)
    assert match is not None, f"{page}: the goal has another form: {goal!r}"
    return match.groupdict()
