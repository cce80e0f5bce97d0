"""What the phone itself shows: bars, keyboard, home screen, quick settings, a picture in full."""

from __future__ import annotations

from training.screens.look import Block, Look

LETTERS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
DIGITS = ("123", "456", "789")
NAVIGATION = 50
"""CSS pixels that a page over the whole screen leaves to the navigation bar."""


def status(look: Look, light_ink: bool) -> Block:
    rng = look.rng
    right = [look.at(place) for place in ("signal", "wifi", "battery") if look.maybe(0.92)]
    return {
        "height": rng.choice((24, 28, 32, 36, 44)),
        "font": rng.choice((12, 13, 14, 15)),
        "weight": rng.choice((400, 500, 600)),
        "ink": "#ffffff" if light_ink else "#111111",
        "back": "transparent",
        "pad": rng.choice((10, 16, 24)),
        "clock": look.clock(),
        "left": [look.at("alarm") for _ in range(rng.choice((0, 0, 1, 2)))],
        "right": right,
        "size": rng.choice((13, 14, 16, 18)),
        "speed": f"{rng.uniform(0.1, 9):.1f}K/s" if look.maybe(0.12) else "",
        "charge": f"{rng.randrange(5, 100)}%" if look.maybe(0.3) else "",
    }


def navigation(look: Look, back: str, ink: str) -> Block:
    rng = look.rng
    if look.maybe(0.62):
        return {
            "form": "gesture",
            "height": rng.choice((16, 20, 24, 28)),
            "width": rng.choice((100, 120, 134)),
            "thick": rng.choice((3, 4, 5)),
            "back": back,
            "ink": ink,
        }
    icons = [look.at("back"), look.at("home"), look.at("recents")]
    return {
        "form": "buttons",
        "height": rng.choice((40, 44, 48)),
        "icons": icons if look.maybe(0.75) else icons[::-1],
        "size": rng.choice((16, 18, 20, 22)),
        "back": back,
        "ink": ink,
    }


def _digits(look: Look) -> list[Block]:
    rows: list[Block] = [{"indent": 0, "caps": [_cap(digit) | {"font": 22} for digit in line]} for line in DIGITS]
    return [*rows, {"indent": 0, "caps": [_cap("."), _cap("0"), {"icon": look.at("backspace"), "wide": 1}]}]


def _letters(look: Look) -> list[Block]:
    rng = look.rng
    upper = look.maybe(0.2)
    lines = [[_cap(letter.upper() if upper else letter) for letter in line] for line in LETTERS]
    lines[2] = [{"icon": look.at("shift"), "wide": 1.4}, *lines[2], {"icon": look.at("backspace"), "wide": 1.4}]
    lines.append(
        [
            {"label": "?123" if look.language == "en" else "符", "wide": 1.4, "font": 14},
            {"icon": look.at(rng.choice(("emoji", "microphone"))), "wide": 1},
            {"space": True, "label": look.word("short"), "wide": rng.choice((4, 5))},
            _cap("." if look.language == "en" else "。"),
            {"icon": look.at("enter"), "wide": 1.4, "tile": look.colours["accent"] if look.maybe(0.5) else ""},
        ]
    )
    rows: list[Block] = [{"indent": 16 * (number == 1), "caps": caps} for number, caps in enumerate(lines)]
    if look.maybe(0.25):
        rows.insert(0, {"indent": 0, "caps": [_cap(digit) for digit in "1234567890"]})
    return rows


def _cap(label: str) -> Block:
    return {"label": label, "wide": 1}


def keyboard(look: Look) -> Block:
    rng, dark = look.rng, look.dark
    key, special = (
        rng.choice((("#3c4043", "#2b2d30"), ("#4a4a4c", "#333336"), ("transparent", "transparent")))
        if dark
        else rng.choice((("#ffffff", "#ccd0d6"), ("#ffffff", "#ffffff"), ("transparent", "transparent")))
    )
    rows = _digits(look) if look.maybe(0.15) else _letters(look)
    strip = (
        [{"label": word} for word in look.words("short", 3)]
        if look.maybe(0.35)
        else [{"icon": look.icon()} for _ in range(rng.randrange(4, 8))]
    )
    return {
        "back": "#1f1f21" if dark else rng.choice(("#eceff1", "#d3d6dc", "#f1f3f4")),
        "ink": "#f0f0f0" if dark else "#1b1b1d",
        "key": key,
        "special": special,
        "set": "keyboard",
        "gap": rng.choice((4, 5, 6)),
        "height": rng.choice((38, 42, 44, 46)),
        "radius": rng.choice((4, 5, 6, 10)),
        "font": rng.choice((19, 21, 23)),
        "size": rng.choice((20, 22, 24)),
        "rows": rows,
        "strip": strip if look.maybe(0.6) else None,
        "foot": [look.at("emoji"), look.at("microphone")] if look.maybe(0.2) else None,
    }


def _app(look: Look, label: str) -> Block:
    rng = look.rng
    use = rng.choices(("brand", "glyph", "colour"), (4, 3, 2))[0]
    if use == "colour":
        icon, background, share = (
            look.icon(look.materials.picture(rng, "colour")),
            rng.choice(("#ffffff", "#f3f4f6", "#202124")),
            rng.uniform(0.55, 0.8),
        )
    elif use == "brand":
        icon, background, share = look.icon(look.materials.picture(rng, "brand")), look.vivid(), rng.uniform(0.5, 0.66)
    else:
        icon, background, share = (
            look.icon(look.materials.family(rng).any(rng, 0.8)),
            look.vivid(),
            rng.uniform(0.45, 0.62),
        )
    colour = "#ffffff"
    if use != "colour" and look.maybe(0.25):
        background, colour = "#ffffff", look.vivid()
    elif use != "colour" and look.maybe(0.3):
        background = f"linear-gradient({rng.randrange(360)}deg,{background},{look.vivid()})"
    return {
        "icon": icon,
        "background": background,
        "colour": colour,
        "share": share,
        "label": label,
        "badge": str(rng.randrange(1, 30)) if look.maybe(0.06) else "",
    }


def launcher(look: Look) -> Block:
    rng = look.rng
    columns = rng.choice((4, 4, 4, 5))
    box = None
    if look.maybe(0.6):
        light = look.maybe(0.6)
        box = {
            "icon": look.at("search"),
            "text": look.word("hint") if look.maybe(0.5) else "",
            "pad": rng.choice((8, 12, 14)),
            "tail": [look.at(p) for p in ("microphone", "camera") if look.maybe(0.7)],
            "back": "#ffffff" if light else "#202124",
            "ink": "#444444" if light else "#e8eaed",
        }
    return {
        "kind": "launcher",
        "picture": look.photo(),
        "light": rng.choice((0.55, 0.7, 0.85)),
        "ink": "#ffffff",
        "columns": columns,
        "size": rng.choice((48, 52, 56, 60)),
        "radius": rng.choice(("50%", "22%", "28%", "12px")),
        "labels": look.maybe(0.88),
        "font": rng.choice((11, 12, 13)),
        "gap": rng.choice((16, 22, 30)),
        "top": 50,
        "bottom": NAVIGATION,
        "side": rng.choice((8, 14, 20)),
        "apps": [_app(look, label) for label in look.words("label", columns * rng.randrange(2, 6))],
        "fixed": [_app(look, label) for label in look.words("short", columns)],
        "search": box,
        "search_top": look.maybe(0.4),
        "dock": rng.choice(("", "rgba(255,255,255,.25)")),
        "date": look.word("value") if look.maybe(0.6) else "",
        "clock": look.clock(),
        "clock_size": rng.choice((30, 48, 64)),
    }


def shade(look: Look) -> Block:
    rng, c = look.rng, look.colours
    low = "#2c2c2e" if look.dark else "#e3e5ea"
    entries = []
    for label in look.words("label", rng.choice((4, 6, 8))):
        on = look.maybe(0.45)
        entries.append(
            {
                "icon": look.icon(),
                "label": label,
                "back": c["accent"] if on else low,
                "ink": "#ffffff" if on else c["ink"],
            }
        )
    notes = [
        {
            "icon": look.icon(tile=0.5),
            "app": look.word("label"),
            "when": look.clock(),
            "title": look.word("person"),
            "text": look.word("sentence"),
            "more": look.at("down"),
        }
        for _ in range(rng.randrange(0, 4))
    ]
    return {
        "kind": "shade",
        "back": "#101012" if look.dark else "#f4f5f8",
        "ink": c["ink"],
        "top": 50,
        "clock": look.clock(),
        "icons": [look.icon() for _ in range(rng.randrange(1, 4))],
        "form": rng.choice(("pills", "round")),
        "entries": entries,
        "bright": look.at("sun"),
        "low": low,
        "level": rng.randrange(20, 95),
        "notes": notes,
    }


def viewer(look: Look) -> Block:
    rng = look.rng
    side = (
        [{"icon": look.at(p), "label": str(rng.randrange(5, 999))} for p in ("heart", "comment", "share")]
        if look.maybe(0.5)
        else None
    )
    play = [look.at("previous"), look.at("play"), look.at("next")] if look.maybe(0.35) else None
    labelled = look.maybe(0.5)
    foot = [
        {"icon": look.icon(tile=0.1), "label": look.word("button") if labelled else ""}
        for _ in range(rng.randrange(3, 6))
    ]
    return {
        "kind": "viewer",
        "picture": look.photo(),
        "bottom": NAVIGATION,
        "inset": rng.choice((0, 0, 18, 28)),
        "top": rng.choice((36, 48)),
        "size": rng.choice((22, 24, 26)),
        "back": look.at("back", tile=0.25),
        "title": look.word("person"),
        "icons": [look.icon() for _ in range(rng.randrange(1, 4))],
        "side": side,
        "play": play,
        "foot": foot,
    }
