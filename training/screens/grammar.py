"""The grammar of pages: which components stand on a screen, drawn from a seed, as markup of one kit."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import jinja2

from training.screens import blocks, system
from training.screens.kits import Kit, Materials
from training.screens.look import Block, Look, Phone

SYSTEM_SHARE = 0.2
"""Share of screens that are the phone's own: home screen, quick settings, a picture in full."""

SYSTEM_PAGES = {system.launcher: 3, system.shade: 1.5, system.viewer: 1.5}
BODY = {
    blocks.search: 2,
    blocks.segment: 1.5,
    blocks.grid: 3,
    blocks.media: 2,
    blocks.card: 2,
    blocks.actions: 1,
    blocks.buttons: 1.5,
    blocks.form: 1.5,
    blocks.chips: 1.2,
    blocks.text: 1.5,
    blocks.chart: 1,
}


@dataclass(frozen=True)
class Page:
    """Hold one screen before it is rendered. ``markup`` is the kit's; ``before`` and ``after`` are the phone's bars."""

    number: int
    kit: Kit
    variant: str
    phone: Phone
    language: str
    dark: bool
    markup: str
    before: str
    after: str
    full: bool
    back: str
    scroll: float
    font: str
    tag: str
    glyphs: dict[str, str] = field(repr=False)


class Templates:
    """Draws the macros of a kit; what it has none for is drawn by plain.jinja."""

    def __init__(self) -> None:
        loader = jinja2.FileSystemLoader(Path(__file__).parent / "templates")
        environment = jinja2.Environment(loader=loader, trim_blocks=True, autoescape=False)
        self._modules: dict[str, Any] = {
            name.removesuffix(".jinja"): environment.get_template(name).module for name in environment.list_templates()
        }

    def draw(self, kit: str, macro: str, *values: Any) -> str:
        for name in (kit, "plain", "system"):
            drawn = getattr(self._modules[name], macro, None)
            if drawn is not None:
                return str(drawn(*values))
        raise KeyError(f"no template draws {macro!r}")


class Grammar:
    """Draws page ``number`` of a series; the same seed and number give the same page."""

    def __init__(self, seed: int, materials: Materials) -> None:
        self._seed = seed
        self._materials = materials
        self._templates = Templates()

    def page(self, number: int) -> Page:
        rng = Random(f"{self._seed}/{number}/{self._materials.holdout}")
        kit = rng.choice(self._materials.kits)
        variant = rng.choice(list(kit.variants))
        look = Look(rng, self._materials)
        look.colours["material"] = variant == "material"
        phone = Phone.drawn(rng)
        if rng.random() < SYSTEM_SHARE:
            draw = rng.choices(list(SYSTEM_PAGES), list(SYSTEM_PAGES.values()))[0]
            block = draw(look)
            kit = next((k for k in self._materials.kits if k.mount == "html" and not k.modules), kit)
            variant = next(iter(kit.variants))
            markup, tag, full = self._draw(kit, block, look), block["kind"], True
            light = block["kind"] != "shade" or look.dark
        else:
            markup, tag = self._app(kit, look)
            full = False
            light = look.dark or look.colours["on_bar"] == "#ffffff"
        return Page(
            number=number,
            kit=kit,
            variant=variant,
            phone=phone,
            language=look.language,
            dark=look.dark,
            markup=markup,
            before=self._templates.draw("system", "status", system.status(look, light)) if look.maybe(0.92) else "",
            after=self._after(look, full, light),
            full=full,
            back=look.colours["bar"],
            tag=tag,
            glyphs=look.glyphs,
            scroll=rng.random() if rng.random() < 0.4 else 0.0,
            font=rng.choice(("Roboto", "Inter", "Noto Sans CJK SC")),
        )

    def _app(self, kit: Kit, look: Look) -> tuple[str, str]:
        rng = look.rng
        body: list[Block] = []
        form = rng.choices(("list", "mixed", "icons", "player", "chat"), (4, 5, 1.6, 0.6, 0.9))[0]
        if form == "list":
            if look.maybe(0.35):
                body.append(blocks.search(look))
            body += [blocks.rows(look, rng.randrange(2, 8)) for _ in range(rng.randrange(2, 5))]
        elif form == "mixed":
            draws = rng.choices(list(BODY), list(BODY.values()), k=rng.randrange(3, 8))
            body = [draw(look) for draw in draws]
            body.insert(rng.randrange(len(body) + 1), blocks.rows(look, rng.randrange(2, 6)))
        elif form == "icons":
            body = [blocks.grid(look, rng.randrange(3, 6)) for _ in range(2)]
        elif form == "player":
            body = [blocks.player(look), blocks.actions(look)]
        else:
            body = [blocks.chat(look)]
        foot = (
            [blocks.composer(look)]
            if form == "chat"
            else [blocks.tabbar(look)]
            if look.maybe(0.5)
            else [blocks.toolbar(look)]
            if look.maybe(0.2)
            else []
        )
        over = [blocks.fab(look)] if look.maybe(0.2) else []
        if look.maybe(0.2):
            over.append(rng.choice((blocks.dialog, blocks.dialog, blocks.sheet))(look))
        head = [blocks.navbar(look)] if look.maybe(0.92) else []
        parts = ["".join(self._draw(kit, block, look) for block in part) for part in (head, body, foot, over)]
        tag = form + "".join(f", {block['kind']}" for block in over)
        return self._templates.draw(kit.name, "page", *parts, look.colours), tag

    def _draw(self, kit: Kit, block: Block, look: Look) -> str:
        """Draw a block by its kit, or plainly: apps have components of their own beside their kit's."""
        name = "plain" if block["kind"] in ("navbar", "list", "grid") and look.maybe(0.12) else kit.name
        return self._templates.draw(name, block["kind"], block, look.colours)

    def _after(self, look: Look, full: bool, light: bool) -> str:
        c = look.colours
        keys = ""
        if not full and look.maybe(0.16):
            keys = self._templates.draw("system", "keyboard", system.keyboard(look))
        back, ink = ("transparent", "#ffffff" if light else "#111111") if full else (c["back"], c["ink"])
        return keys + (
            self._templates.draw("system", "navigation", system.navigation(look, back, ink)) if look.maybe(0.9) else ""
        )
