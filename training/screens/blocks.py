"""Components of app pages, as the values that templates draw: what the grammar puts together."""

from __future__ import annotations

from training.screens.look import Block, Look


def navbar(look: Look) -> Block:
    rng = look.rng
    left = [look.at(rng.choice(("back", "back", "back", "menu", "close")))] if look.maybe(0.8) else []
    wanted = [
        rng.choice(("search", "more", "add", "share", "")) for _ in range(rng.choices((0, 1, 2, 3), (2, 4, 4, 1))[0])
    ]
    right = [look.at(place) if place else look.icon(tile=0.1) for place in wanted]
    return {
        "kind": "navbar",
        "title": look.word("title"),
        "subtitle": look.word("value") if look.maybe(0.12) else "",
        "left": left,
        "right": right,
        "height": rng.choice((44, 48, 56, 56, 64)),
        "size": rng.choice((20, 22, 24, 24, 26)),
        "font": rng.choice((17, 18, 20)),
        "align": rng.choice(("left", "center")),
    }


def search(look: Look) -> Block:
    rng = look.rng
    tail = [look.at(rng.choice(("microphone", "camera", "close"))) for _ in range(rng.choices((0, 1, 2), (3, 4, 1))[0])]
    return {
        "kind": "search",
        "text": look.word("hint"),
        "icon": look.at("search"),
        "tail": tail,
        "radius": rng.choice((4, 10, 24)),
        "pad": rng.choice((7, 9, 12)),
        "size": rng.choice((16, 18, 20, 22)),
    }


def segment(look: Look) -> Block:
    labels = look.words("short", look.rng.randrange(2, 5))
    return {"kind": "segment", "labels": labels, "active": look.rng.randrange(len(labels))}


def rows(look: Look, count: int, plain: bool = False) -> Block:
    """Draw a list, with one kind of lead and of tail for all rows, as apps have it, with a few exceptions."""
    rng = look.rng
    lead = rng.choices(("icon", "tile", "colour", "photo", "letter", ""), (5, 4, 1.5, 1.5, 0.8, 2))[0]
    tail = rng.choices(("chevron", "toggle", "radio", "checkbox", "icon", "icons", ""), (5, 2, 0.8, 1, 2.5, 1, 2))[0]
    tile = look.tile() if look.maybe(0.4) else None
    kept = look.at("forward"), look.icon(), rng.choice((14, 16, 16, 18, 20, 22, 24))
    titles = look.words("person" if lead in ("photo", "letter") else "label", count)
    subtitles = look.maybe(0.4) and not plain
    drawn: list[Block] = []
    for number in range(count):
        row: Block = {"title": titles[number], "lead": lead, "on": look.maybe(0.5), "sub": "", "value": ""}
        if lead in ("icon", "tile", "colour"):
            row["icon"] = look.coloured() if lead == "colour" else look.icon()
            row["size"] = rng.choice((20, 22, 24)) if number == 0 else drawn[0]["size"]
            if lead == "tile":
                row["icon"]["tile"] = tile or look.tile()
                row["icon"]["tile"] |= {"scale": 1.55 if tile is None else tile["scale"]}
        elif lead == "photo":
            row |= {"picture": look.photo(), "size": rng.choice((40, 48)), "radius": rng.choice(("50%", "6px"))}
        elif lead == "letter":
            row |= {"letter": row["title"][0], "background": look.vivid()}
        if subtitles:
            row["sub"] = look.word("sentence")
        mine = tail if look.maybe(0.88) else rng.choice(("chevron", "toggle", ""))
        row["tail"], row["tail_size"] = mine, kept[2]
        if mine in ("chevron", "icon"):
            row["tail_icon"] = kept[0] if mine == "chevron" else kept[1] if look.maybe(0.8) else look.at("more")
        if mine == "icons":
            row["tail_icons"] = [look.icon(), look.at("more")]
        if mine in ("chevron", "") and look.maybe(0.35):
            row["value"] = look.word("value")
        if look.maybe(0.05):
            row["badge"] = str(rng.randrange(1, 99))
        drawn.append(row)
    return {
        "kind": "list",
        "rows": drawn,
        "header": look.word("title") if look.maybe(0.4) else "",
        "inset": look.maybe(0.35),
        "lines": look.maybe(0.6),
        "pad": rng.choice((7, 10, 12, 14, 18)),
        "font": rng.choice((15, 16, 17)),
        "loud": look.maybe(0.2),
        "cut": look.maybe(0.7),
        "control": rng.choice((20, 24, 28)),
    }


def grid(look: Look, lines: int = 0) -> Block:
    rng = look.rng
    columns = rng.choice((3, 4, 4, 5, 5))
    form = rng.choice(("glyph", "tile", "colour", "mixed"))
    tile = look.tile() if look.maybe(0.3) else None
    entries = []
    for label in look.words("label", columns * (lines or rng.randrange(1, 4))):
        icon = (
            look.coloured()
            if form == "colour" or (form == "mixed" and look.maybe(0.5))
            else look.icon(colour=look.vivid() if look.maybe(0.3) else "")
        )
        if form == "tile":
            icon["tile"] = tile or look.tile()
        entries.append({"icon": icon, "label": label, "badge": str(rng.randrange(1, 20)) if look.maybe(0.06) else ""})
    if look.maybe(0.12):
        for entry in entries:
            entry["label"] = ""
    return {
        "kind": "grid",
        "columns": columns,
        "entries": entries,
        "size": rng.choice((22, 26, 28, 32)),
        "gap": rng.choice((12, 18, 24)),
        "space": rng.choice((4, 6, 8)),
        "font": rng.choice((11, 12, 13, 14)),
        "card": look.maybe(0.4),
    }


def media(look: Look) -> Block:
    rng = look.rng
    corners = [
        "left:12px;top:12px",
        "right:12px;top:12px",
        "right:14px;bottom:14px",
        "left:calc(50% - 22px);top:calc(50% - 22px)",
        "right:64px;top:12px",
        "right:64px;bottom:14px",
    ]
    rng.shuffle(corners)
    icons = []
    for place in corners[: rng.randrange(1, 5)]:
        icon = look.at(rng.choice(("heart", "play", "share", "close", "back", "more", "camera")))
        if look.maybe(0.45):
            icon["tile"] = look.tile() | {
                "background": rng.choice(("rgba(0,0,0,.45)", "#ffffff", "rgba(255,255,255,.85)")),
                "radius": "50%",
            }
            icon["tile"]["colour"] = "#fff" if icon["tile"]["background"].startswith("rgba(0") else "#222"
        icons.append(
            {
                "icon": icon,
                "place": place,
                "size": rng.choice((20, 22, 24, 28)),
                "colour": "#ffffff",
                "shadow": look.maybe(0.7),
            }
        )
    return {
        "kind": "media",
        "picture": look.photo(),
        "height": rng.randrange(140, 320),
        "inset": look.maybe(0.5),
        "icons": icons,
        "caption": look.word("sentence") if look.maybe(0.4) else "",
        "font": rng.choice((14, 17, 20)),
    }


def actions(look: Look) -> Block:
    rng = look.rng
    labelled = look.maybe(0.5)
    places = [rng.choice(("heart", "comment", "share", "more", "")) for _ in range(rng.randrange(2, 6))]
    entries = [
        {
            "icon": look.at(p) if p else look.icon(),
            "label": str(rng.randrange(2, 999)) if labelled and look.maybe(0.8) else "",
        }
        for p in places
    ]
    return {
        "kind": "actions",
        "entries": entries,
        "size": rng.choice((18, 20, 22, 24)),
        "gap": rng.choice((16, 24, 32)),
        "justify": rng.choice(("flex-start", "space-between", "space-around")),
        "direction": rng.choice(("row", "row", "column")),
    }


def card(look: Look) -> Block:
    return {
        "kind": "card",
        "picture": look.photo() if look.maybe(0.7) else "",
        "height": look.rng.randrange(110, 220),
        "title": look.word("title"),
        "subtitle": look.word("label"),
        "text": look.word("sentence"),
        "actions": actions(look),
    }


def buttons(look: Look) -> Block:
    entries = [
        {"label": label, "icon": look.icon() if look.maybe(0.5) else None, "solid": look.maybe(0.6)}
        for label in look.words("button", look.rng.randrange(1, 4))
    ]
    return {"kind": "buttons", "entries": entries, "round": look.maybe(0.4)}


def form(look: Look) -> Block:
    stacked = look.maybe(0.5)
    fields = [
        {
            "label": label,
            "value": look.word(look.rng.choice(("person", "value", "label"))),
            "stacked": stacked,
            "icon": look.icon() if look.maybe(0.45) else None,
            "tail": look.at(look.rng.choice(("close", "down", "down", "")) or "down") if look.maybe(0.5) else None,
        }
        for label in look.words("label", look.rng.randrange(2, 6))
    ]
    return {"kind": "form", "fields": fields}


def chips(look: Look) -> Block:
    icons, tails = look.maybe(0.5), look.maybe(0.3)
    entries = [
        {"label": label, "icon": look.icon() if icons else None, "tail": look.at("down") if tails else None}
        for label in look.words("short", look.rng.randrange(3, 6))
    ]
    return {"kind": "chips", "entries": entries, "outline": look.maybe(0.4)}


def text(look: Look) -> Block:
    pause = " " if look.language == "en" else "。"
    return {
        "kind": "text",
        "title": look.word("title") if look.maybe(0.5) else "",
        "font": look.rng.choice((12, 14, 16)),
        "text": pause.join(look.words("sentence", look.rng.randrange(1, 5))),
        "soft": look.maybe(0.4),
    }


def chart(look: Look) -> Block:
    """Draw shapes that are not icons."""
    forms = ("bars", "line", "code", "ring", "skeleton", "month", "stars")
    return {
        "kind": "chart",
        "form": look.rng.choice(forms),
        "heights": [look.rng.randrange(10, 98) for _ in range(9)],
        "picture": f"/code/{look.rng.randrange(500)}.jpg",
        "day": look.rng.randrange(1, 31),
    }


def player(look: Look) -> Block:
    rng = look.rng
    controls = [look.at("shuffle"), look.at("previous"), look.at("play", tile=0.4), look.at("next"), look.at("queue")]
    return {
        "kind": "player",
        "picture": look.photo(),
        "size": rng.randrange(200, 300),
        "title": look.word("title"),
        "artist": look.word("person"),
        "like": look.at("heart"),
        "done": rng.randrange(5, 95),
        "controls": controls,
        "sizes": [22, 30, 38, 30, 22],
    }


def chat(look: Look) -> Block:
    messages = [
        {
            "mine": look.maybe(0.5),
            "text": look.word("sentence"),
            "picture": look.photo(),
            "icon": look.icon() if look.maybe(0.12) else None,
        }
        for _ in range(look.rng.randrange(4, 9))
    ]
    return {"kind": "chat", "messages": messages, "avatars": look.maybe(0.6)}


def composer(look: Look) -> Block:
    return {
        "kind": "composer",
        "left": [look.at(look.rng.choice(("add", "camera", "microphone")))] if look.maybe(0.7) else [],
        "text": look.word("hint"),
        "inside": [look.at("emoji")] if look.maybe(0.5) else [],
        "right": [look.at(look.rng.choice(("share", "microphone", "add", "emoji")), tile=0.3)],
        "size": look.rng.choice((22, 24, 26)),
    }


def tabbar(look: Look) -> Block:
    labels = look.words("short", look.rng.randrange(3, 6))
    bare = look.maybe(0.15)
    entries = [
        {
            "icon": look.icon(),
            "label": "" if bare else label,
            "badge": str(look.rng.randrange(1, 9)) if look.maybe(0.08) else "",
        }
        for label in labels
    ]
    return {
        "kind": "tabbar",
        "entries": entries,
        "active": look.rng.randrange(len(labels)),
        "size": look.rng.choice((22, 24, 24, 26, 28)),
    }


def toolbar(look: Look) -> Block:
    return {
        "kind": "toolbar",
        "icons": [look.icon(tile=0.08) for _ in range(look.rng.randrange(3, 7))],
        "size": look.rng.choice((20, 22, 24, 26)),
    }


def fab(look: Look) -> Block:
    icon = look.at("add") if look.maybe(0.4) else look.icon()
    return {
        "kind": "fab",
        "icon": icon,
        "size": 56,
        "radius": look.rng.choice(("50%", "50%", "30%")),
        "bottom": look.rng.choice((20, 76, 90)),
    }


def dialog(look: Look) -> Block:
    return {
        "kind": "dialog",
        "icon": look.icon() if look.maybe(0.45) else None,
        "title": look.word("title"),
        "text": look.word("sentence"),
        "buttons": look.words("button", look.rng.choice((1, 2, 2))),
    }


def sheet(look: Look) -> Block:
    filled = {"grid": grid(look)} if look.maybe(0.45) else {"list": rows(look, look.rng.randrange(3, 7), plain=True)}
    return {
        "kind": "sheet",
        "title": look.word("title"),
        "close": look.at("close", tile=0.25) if look.maybe(0.6) else None,
        "grid": None,
        "list": None,
    } | filled
