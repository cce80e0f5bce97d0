"""Play the pages that ask for touches. A function whose name ends in ``wrongly`` ends its task without reward."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.simulator.web.miniwob.player import Missing, Node, Player

_WIDGETS = {
    "radio": "RadioButton",
    "checkbox": "CheckBox",
    "text": "EditText",
    "textarea": "EditText",
    "button": "Button",
}


def submit_wrongly(player: Player) -> None:
    """End the task without doing anything for it."""
    player.submit()


# ---------------------------------------------------------------------------- buttons
def named_button(player: Player) -> None:
    player.tap(player.quoted()[0], "Button")


def named_button_wrongly(player: Player) -> None:
    name = player.quoted()[0]
    others = [node for node in player.nodes("Button") if node.text != name]
    if others:
        player.tap(others[0])
    else:
        beside(player)


def only_button(player: Player) -> None:
    player.tap(player.nodes("Button")[0])


def beside(player: Player) -> None:
    """Touch the goal instead of what it asks for."""
    player.hand.tap(player.hand.width // 2, player.page_top + player.pixels(20))


def button_one(player: Player) -> None:
    player.tap("ONE", "Button")


def button_one_wrongly(player: Player) -> None:
    player.tap("TWO", "Button")


def button_sequence(player: Player) -> None:
    second = player.find("TWO", "Button")
    player.tap("ONE", "Button")
    player.tap(second)


def button_sequence_wrongly(player: Player) -> None:
    first = player.find("ONE", "Button")
    player.tap("TWO", "Button")
    player.tap(first)


def ascending_numbers(player: Player) -> None:
    for node in sorted((node for node in player.nodes() if node.text.isdigit()), key=lambda node: int(node.text)):
        player.tap(node)


def ascending_numbers_wrongly(player: Player) -> None:
    player.tap(max((node for node in player.nodes() if node.text.isdigit()), key=lambda node: int(node.text)))


def _ticket(player: Player, place: int) -> Node:
    """Return a button of the tickets, which are sorted by what the goal asks for: the right one comes first."""
    buttons = player.nodes("Button")
    values = [float(button.text.split("$")[1]) for button in buttons]
    if "duration" in player.goal:
        hours = [match for node in player.texts() if (match := re.fullmatch(r"(\d+)h (\d+)m", node.text.strip()))]
        values = [int(match[1]) + int(match[2]) / 60 for match in hours]
    sign = -1 if "longest" in player.goal or "expensive" in player.goal else 1
    return sorted(zip(values, buttons, strict=True), key=lambda pair: sign * pair[0])[place][1]


def buy_ticket(player: Player) -> None:
    player.tap(_ticket(player, 0))


def buy_ticket_wrongly(player: Player) -> None:
    player.tap(_ticket(player, -1))


def odd_or_even(player: Player) -> None:
    _mark(player, ("Even", "Odd"))


def odd_or_even_wrongly(player: Player) -> None:
    _mark(player, ("Odd", "Even"))


def _mark(player: Player, names: Sequence[str]) -> None:
    nodes = player.nodes()
    for number in (node for node in nodes if re.fullmatch(r"-?\d+", node.text)):
        buttons = [node for node in nodes if node.text == names[int(number.text) % 2]]
        player.tap(min(buttons, key=lambda node: abs(node.middle[1] - number.middle[1])))
    player.submit()


def generate_number(player: Player) -> None:
    _generate(player, _wants_number(player.goal))


def generate_number_wrongly(player: Player) -> None:
    wants = _wants_number(player.goal)
    _generate(player, lambda number: not wants(number))


def _wants_number(goal: str):  # type: ignore[no-untyped-def]
    if "than" not in goal:
        return lambda number: number % 2 == ("odd" in goal)
    limit = int(re.findall(r"\d+", goal)[0])
    return lambda number: number < limit if "less" in goal else number > limit


def _generate(player: Player, wants) -> None:  # type: ignore[no-untyped-def]
    for _ in range(100):
        player.tap("Generate", "Button")
        number = player.nodes("TextView")[0].text
        if number.isdigit() and wants(int(number)):
            player.submit()
            return
    raise Missing("a number")


# ---------------------------------------------------------------------------- boxes
def _choices(goal: str) -> list[str]:
    (names,) = re.findall(r"Select (.*?)(?: from the .*)? and click Submit", goal)
    return [] if names == "nothing" else names.split(", ")


def checkboxes(player: Player) -> None:
    for name in _choices(player.goal):
        player.tap(player.seek(lambda name=name: player.all(name, "CheckBox"), name))
    player.tap(player.seek(lambda: player.all("Submit", "Button"), "Submit"))


def checkboxes_wrongly(player: Player) -> None:
    """Choose those that the goal does not name."""
    wanted = _choices(player.goal)
    for node in player.nodes("CheckBox"):
        if node.text not in wanted:
            player.tap(node)
    player.tap(player.seek(lambda: player.all("Submit", "Button"), "Submit"))


def option(player: Player) -> None:
    player.tap(_choices(player.goal)[0], "RadioButton")
    player.submit()


def option_wrongly(player: Player) -> None:
    player.tap(next(node for node in player.nodes("RadioButton") if node.text != _choices(player.goal)[0]))
    player.submit()


def list_item(player: Player) -> None:
    _choose(player, _choices(player.goal)[0])


def list_item_wrongly(player: Player) -> None:
    player.tap(player.nodes("Spinner")[0])
    wanted = _choices(player.goal)[0]
    items = player.wait(lambda: [node for node in player.hand.nodes() if node.kind == "RadioButton"])
    player.tap(next(node for node in items if node.text != wanted))
    player.submit()


def _choose(player: Player, name: str) -> None:
    player.tap(player.nodes("Spinner")[0])
    items = player.wait(lambda: [n for n in player.hand.nodes() if n.kind == "RadioButton" and n.text == name], name)
    player.tap(items[0])
    player.submit()


def widget(player: Player) -> None:
    name = player.quoted()[0]
    fields = player.nodes(_WIDGETS[name])
    if name in ("text", "textarea"):  # the one is a line high, the other higher
        fields = [node for node in fields if (node.bottom - node.top > player.pixels(23)) == (name == "textarea")]
    player.tap(fields[0])


def widget_wrongly(player: Player) -> None:
    kind = _WIDGETS[player.quoted()[0]]
    player.tap(next(node for node in player.nodes(*_WIDGETS.values()) if node.kind != kind))


def focus(player: Player) -> None:
    player.tap(player.fields()[int((re.findall(r"\d", player.goal) or ["1"])[0]) - 1])


def focus_wrongly(player: Player) -> None:
    player.tap(player.fields()[int(re.findall(r"\d", player.goal)[0]) % 3])


def dropdown(player: Player) -> None:
    """Choose from a list that the page draws itself, then touch the button that the goal names."""
    height, button = player.words(r'Choose (.*) from the dropdown, then click the button labeled "(.*)"')
    _dropdown(player, height, button)


def dropdown_wrongly(player: Player) -> None:
    height, button = player.words(r'Choose (.*) from the dropdown, then click the button labeled "(.*)"')
    _dropdown(player, height, "No" if button == "Yes" else "Yes")


def _dropdown(player: Player, height: str, button: str) -> None:
    player.tap("▾")
    player.wait_for_rest()
    player.tap(height)
    player.wait_for_rest()
    player.tap(button, "Button")


def pie(player: Player) -> None:
    _pie(player, lambda text, name: text == name)


def pie_wrongly(player: Player) -> None:
    _pie(player, lambda text, name: text not in (name, "-"))


def _pie(player: Player, wants) -> None:  # type: ignore[no-untyped-def]
    """Unfold the pie by its middle, and touch a piece."""
    name = player.quoted()[0]
    player.tap("+", "View")
    player.find("-", "View")
    player.wait_for_rest()
    player.tap(next(node for node in player.texts() if node.kind == "View" and wants(node.text, name)))


# ---------------------------------------------------------------------------- links, sections and tabs
def link(player: Player) -> None:
    player.tap(player.quoted()[0], "View")


def link_wrongly(player: Player) -> None:
    player.tap(next(node for node in player.texts() if node.kind == "View" and node.text != player.quoted()[0]))


def section(player: Player) -> None:
    player.tap(next(node for node in player.texts() if node.text.startswith("Section")))
    player.wait_for_rest()
    player.submit()


_HEADER = r"Section #\d|Tab #\d|\d"


def link_in_parts(player: Player) -> None:
    """Look for the link in each section or tab."""
    name = player.quoted()[0]
    _tap_in_parts(player, lambda node: node.text == name)


def link_in_parts_wrongly(player: Player) -> None:
    name = player.quoted()[0]
    _tap_in_parts(player, lambda node: node.text != name and not re.fullmatch(_HEADER, node.text))


def _tap_in_parts(player: Player, wants) -> None:  # type: ignore[no-untyped-def]
    for header in dict.fromkeys(node.text for node in player.texts() if re.fullmatch(_HEADER, node.text)):
        player.tap(header, "View")
        player.wait_for_rest()
        links = [node for node in player.texts() if node.kind == "View" and wants(node)]
        if links:
            player.tap(links[0])
            return
    raise Missing(f"a link for {player.goal!r}")


def link_or_tab(player: Player) -> None:
    """Touch the link, or the second tab if the first one does not have the link."""
    links = player.all(player.quoted()[0], "View")
    player.tap(links[0] if links else player.find("Tab #2", "View"))


def link_or_tab_wrongly(player: Player) -> None:
    name = player.quoted()[0]
    player.tap(next(n for n in player.texts() if n.kind == "View" and n.text != name and not re.match(_HEADER, n.text)))


def tab(player: Player) -> None:
    player.tap(re.findall(r"Tab #\d", player.goal)[0], "View")


def tab_wrongly(player: Player) -> None:
    player.tap("Tab #2" if "Tab #1" in player.goal else "Tab #1", "View")


def dialog(player: Player) -> None:
    player.tap(player.find("Close", "Button"))


def dialog_wrongly(player: Player) -> None:
    node = player.find("Close", "Button")
    player.hand.tap(node.left - player.pixels(30), node.middle[1])


def dialog_2(player: Player) -> None:
    name = player.quoted()[0]
    player.tap("Close" if name == "x" else name, "Button")


def dialog_2_wrongly(player: Player) -> None:
    player.tap("Cancel" if player.quoted()[0] == "OK" else "OK", "Button")


def tree(player: Player) -> None:
    """Open the folders, which are the nodes with something before their name, until the name is there."""
    name = player.quoted()[0]
    opened: set[tuple[str, int]] = set()
    while not (names := player.all(name)):
        left = min(node.left for node in player.texts())
        folders = [
            node
            for node in player.nodes("View")
            if not node.text and (node.right - node.left) < player.pixels(20) and node.left >= left
        ]
        label = next(
            (
                node
                for folder in folders
                for node in player.texts()
                if node.left > folder.left
                and abs(node.middle[1] - folder.middle[1]) < player.pixels(4)
                and (node.text, node.left) not in opened
            ),
            None,
        )
        if label is None:
            raise Missing(name)
        opened.add((label.text, label.left))
        player.tap(label)
        player.wait_for_rest()
    player.tap(names[-1])


def tree_wrongly(player: Player) -> None:
    name = player.quoted()[0]
    files = [node for node in player.texts() if node.text != name]
    player.tap(files[-1])


# ---------------------------------------------------------------------------- lists with pages
def phone_book(player: Player) -> None:
    name, what = player.words(r"Find (.*) in the contact book and click on their (phone|email|address)")
    player.wait(lambda: player.all(name) or (player.all(">") and player.tap(">")), name)
    label = player.find(f"{what.capitalize()}:")
    player.tap(_beside(player, label))


def phone_book_wrongly(player: Player) -> None:
    """Touch another thing of another person."""
    name, what = player.words(r"Find (.*) in the contact book and click on their (phone|email|address)")
    if player.all(name):
        player.tap(">")
    player.tap(_beside(player, player.find("Email:" if what == "phone" else "Phone:")))


def _beside(player: Player, label: Node) -> Node:
    texts = player.texts()
    return texts[texts.index(label) + 1]


def search_engine(player: Player) -> None:
    _search(player, 0)


def search_engine_wrongly(player: Player) -> None:
    _search(player, 1)


def _search(player: Player, offset: int) -> None:
    text, place = player.words(r'enter "(.*)" and press .* the (\d)')
    player.fill(player.fields()[0], text)
    player.tap("Search", "Button")
    page, line = divmod((int(place) - 1 + offset) % 9, 3)
    player.find("1", "View")
    if page:
        player.tap(str(page + 1), "View")
        player.wait_for_rest()
    urls = [node for node in player.texts() if node.text.startswith("https://")]
    player.hand.tap(urls[line].left + player.pixels(6), urls[line].middle[1] - player.pixels(11))
