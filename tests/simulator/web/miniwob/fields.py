"""Play the pages that ask for texts. A function whose name ends in ``wrongly`` ends its task without reward."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable

from tests.simulator.web.miniwob.player import BACKSPACE, ENTER, LEFT, RIGHT, Missing, Node, Player

_NUMBERS = {"1st": 0, "2nd": 1, "3rd": 2}


def copy(player: Player) -> None:
    field, area = sorted(player.fields(), key=lambda node: node.bottom - node.top)
    player.fill(field, area.text)
    player.submit()


def writes(read: Callable[[Player], str], button: str = "Submit") -> Callable[[Player], None]:
    """Return a play that writes what ``read`` reads into the last field, and submits."""

    def play(player: Player) -> None:
        text = read(player)
        player.fill(player.fields()[-1], text)
        player.submit(button)

    return play


def quoted(player: Player) -> str:
    return player.quoted()[0]


def copied_2(player: Player) -> str:
    return player.fields()[_NUMBERS[player.words(r"the (\d\w\w) text area")[0]]].text


def upper_or_lower(player: Player) -> str:
    text = player.quoted()[0]
    return text.upper() if "upper case" in player.goal else text.lower()


def word_of_paragraph(player: Player) -> str:
    (place,) = player.words(r"the (\d+)\w\w word")
    paragraph = max(player.nodes("TextView"), key=lambda node: len(node.text))
    return re.sub(r"[^a-zA-Z]", "", paragraph.text.split()[int(place) - 1])


def last_word(player: Player) -> str:
    return player.fields()[0].text.split()[-1].rstrip(".")


def value_of_table(player: Player) -> str:
    return _value(player, player.words(r"the value of (.*) into")[0])


def _value(player: Player, label: str) -> str:
    cell = player.find(label, "TextView")
    return next(
        node.text
        for node in player.nodes("TextView")
        if node.left > cell.right and abs(node.middle[1] - cell.middle[1]) < player.pixels(5)
    )


def drawn_text(player: Player) -> str:
    return "".join(node.text for node in sorted(player.nodes("TextView"), key=lambda node: sum(node.middle[:1])))


def sum_of_numbers(player: Player) -> str:
    text = next(node.text for node in player.texts() if "=" in node.text)
    first, sign, second = re.findall(r"(-?\d+) ([-+*x]) (-?\d+)", text)[0]
    one, other = int(first), int(second)
    return str(one + other if sign == "+" else one - other if sign == "-" else one * other)


def unknown_number(player: Player) -> str:
    text = next(node.text for node in player.texts() if "=" in node.text and node.text != "x =")
    left, sign, right, total = re.findall(r"(x|\d+) ([-+]) (x|\d+) = (-?\d+)", text)[0]
    if left == "x":
        return str(int(total) - int(right) if sign == "+" else int(total) + int(right))
    return str(int(total) - int(left) if sign == "+" else int(left) - int(total))


def something_else(player: Player) -> str:
    return "nothing of that"


def password_twice(player: Player) -> None:
    for field in player.fields():
        player.fill(field, player.quoted()[0])
    player.submit()


def login(player: Player) -> None:
    _login(player, "Login", *player.quoted()[:2])


def login_wrongly(player: Player) -> None:
    _login(player, "Login", *reversed(player.quoted()[:2]))


def _login(player: Player, button: str, *texts: str) -> None:
    for field, text in zip(player.fields(), texts, strict=True):
        player.fill(field, text)
    player.submit(button)


def login_popup(player: Player) -> None:
    """Log in; refuse what appears before that."""
    for place, text in enumerate(player.quoted()[:2]):
        player.tap(player.fields()[place])
        player.wait_for_rest()
        if cancel := player.all("Cancel", "Button"):
            player.tap(cancel[0])
            player.wait_for_rest()
            player.tap(player.fields()[place])
        player.hand.type(text)
    player.submit("OK")


def ok_wrongly(player: Player) -> None:
    player.submit("OK")


def login_at_once_wrongly(player: Player) -> None:
    player.submit("Login")


def movie(player: Player) -> None:
    _movie(player, *player.words(r"Search for (\w+) movies directed by (.*) from year (\d+)"))


def movie_wrongly(player: Player) -> None:
    genre, director, year = player.words(r"Search for (\w+) movies directed by (.*) from year (\d+)")
    _movie(player, director, genre, year)


def _movie(player: Player, genre: str, director: str, year: str) -> None:
    """Fill the fields. Their labels vary in words and in place, but stand in the fields' order."""
    texts = {"genre": genre, "director": director, "year": year, "date": year}
    labels = [node.text.lower() for node in player.nodes("TextView")]
    order = [texts[word] for label in labels for word in texts if word in label]
    for field, text in zip(sorted(player.fields(), key=lambda node: node.top), order, strict=True):
        player.fill(field, text)
    player.tap(player.nodes("Button", "View")[-1])


def table_2(player: Player) -> None:
    _table_2(player, 1)


def table_2_wrongly(player: Player) -> None:
    _table_2(player, -1)


def _table_2(player: Player, step: int) -> None:
    labels = [node.text.rstrip(":") for node in player.nodes("TextView") if node.text.endswith(":")]
    values = [_value(player, label) for label in labels]
    for field, text in zip(player.fields(), values[::step], strict=True):
        player.fill(field, text)
    player.submit()


def form_sequence_2(player: Player) -> None:
    radio, text, field = player.words(r'the (\d\w\w) radio button and enter the number "(.*)" into the (\d\w\w)')
    player.tap(player.nodes("RadioButton")[_NUMBERS[radio]])
    player.fill(player.fields()[_NUMBERS[field]], text)
    player.submit()


def guess(player: Player) -> None:
    low, high = 0, 9
    while low <= high:
        number = (low + high) // 2
        player.tap(player.fields()[0])
        for _ in player.fields()[0].text:
            player.hand.key(BACKSPACE)
        player.hand.type(str(number))
        player.submit()
        player.wait_for_rest()
        says = " ".join(node.text for node in player.texts())
        if "lower than" in says:
            high = number - 1
        elif "higher than" in says:
            low = number + 1
        else:
            return
    raise Missing("the number")


def date(player: Player) -> None:
    """Type a date into a field that has parts for month, day and year."""
    (text,) = player.words(r"(\d\d/\d\d/\d{4})")
    _fill_parts(player, text.replace("/", ""))


def clock(player: Player) -> None:
    hour, minute, half = player.words(r"(\d+):(\d\d)\s?([AP]M)")
    _fill_parts(player, f"{int(hour):02}{minute}{half}")


def _fill_parts(player: Player, text: str) -> None:
    """Touch the first part of a field, and type; the caret goes from part to part."""
    player.tap_beside(player.fields()[0], 10)
    player.hand.type(text)
    player.submit()


_MONTHS = list(calendar.month_name)[1:]


def calendar_date(player: Player) -> None:
    """Choose a date in a calendar that unfolds below a field; it begins at the last month that can be chosen."""
    _choose_date(player, 0)
    player.submit()


def calendar_date_wrongly(player: Player) -> None:
    _choose_date(player, 1)
    player.submit()


def _choose_date(player: Player, offset: int) -> None:
    month, day, year = map(int, player.words(r"(\d\d)/(\d\d)/(\d{4})"))
    player.tap(player.fields()[-1])
    for _ in range(40):
        player.wait_for_rest()
        head = " ".join(node.text for node in player.texts())
        match = re.search(rf"({'|'.join(_MONTHS)}) (\d{{4}})", head)
        if match is None:
            continue
        shown = int(match[2]) * 12 + _MONTHS.index(match[1])
        if shown == year * 12 + month - 1:
            break
        player.tap("Prev" if shown > year * 12 + month - 1 else "Next")
    chosen = day + offset if day < 28 else day - offset
    player.tap(str(chosen), "View")
    player.wait(lambda: player.all("Submit", "Button"))
    player.wait_for_rest()


def autocomplete(player: Player) -> None:
    """Type the beginning, and touch what ends as the goal says."""
    start, *end = player.quoted()
    player.fill(player.fields()[0], start)

    def items() -> list[Node]:
        items = [node for node in player.texts() if node.kind != "EditText" and node.text.startswith(start)]
        return [node for node in items if node.text.endswith(end[0] if end else "")]

    player.tap(player.wait(items, "".join(player.quoted()))[0])
    player.wait_for_rest()
    player.submit()


def autocomplete_wrongly(player: Player) -> None:
    player.fill(player.fields()[0], "Zz")
    player.submit()


# ---------------------------------------------------------------------------- other controls
def spinner(player: Player) -> None:
    _spin(player, int(player.words(r"Select (-?\d+)")[0]))


def spinner_wrongly(player: Player) -> None:
    _spin(player, int(player.words(r"Select (-?\d+)")[0]) + 1)


def _spin(player: Player, number: int) -> None:
    field = player.fields()[0]
    y = field.middle[1] + player.pixels(-5 if number > 0 else 5)
    for _ in range(abs(number)):
        player.hand.tap(field.right + player.pixels(3), y)
    if player.fields()[0].text != str(number):
        raise Missing(f"{number}: {player.fields()[0].text}")
    player.submit()


def slider(player: Player) -> None:
    _slide(player, int(player.words(r"Select (-?\d+)")[0]))
    player.submit()


def slider_wrongly(player: Player) -> None:
    """Leave the slider beside the number."""
    number = int(player.words(r"Select (-?\d+)")[0])
    _slide(player, number)
    player.hand.key(LEFT)
    player.hand.key(LEFT)
    if _slid(player) == number:  # it was at its end
        player.hand.key(RIGHT)
    player.submit()


def _slid(player: Player) -> int:
    return int(next(node.text for node in player.texts() if re.fullmatch(r"-?\d+", node.text)))


def _slide(player: Player, number: int) -> None:
    """Touch the slider where the number is about, then press keys until it is there."""
    label = next(node for node in player.texts() if re.fullmatch(r"-?\d+", node.text))
    track = min((n for n in player.nodes("View") if not n.text), key=lambda n: abs(n.middle[1] - label.middle[1]))
    player.hand.tap(*track.middle)
    for _ in range(220):
        shown = _slid(player)
        if shown == number:
            return
        for _ in range(min(abs(shown - number), 20)):
            player.hand.key(LEFT if shown > number else RIGHT)
    raise Missing(str(number))


def form_sequence(player: Player) -> None:
    number, place = player.words(r"Select (-?\d+) with the slider, click the (\d\w\w) checkbox")
    _slide(player, int(number))
    player.tap(player.nodes("CheckBox")[_NUMBERS[place]])
    player.submit()


def terminal(player: Player) -> None:
    """List the files, and delete one of the extension that the goal names."""
    ending = (re.findall(r"extension (\.\S+)", player.goal) or [""])[0]
    _terminal(player, lambda name: name.endswith(ending) if ending else "." not in name)


def terminal_wrongly(player: Player) -> None:
    ending = (re.findall(r"extension (\.\S+)", player.goal) or [""])[0]
    _terminal(player, lambda name: not name.endswith(ending) if ending else "." in name)


def _terminal(player: Player, wants: Callable[[str], bool]) -> None:
    player.tap(player.texts()[0])
    player.hand.type("ls")
    player.hand.key(ENTER)

    def files() -> list[str]:
        screen = " ".join(node.text for node in player.texts())
        return re.findall(r"user\$ ?ls (.*?) ?user\$", screen)

    names = player.wait(files, "files")[0].split()
    player.hand.type(f"rm {next(name for name in names if wants(name))}")
    player.hand.key(ENTER)
