"""List the tasks that are played, each rightly and wrongly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.simulator.web.miniwob import clicks, fields, letters
from tests.simulator.web.miniwob.clicks import submit_wrongly
from tests.simulator.web.miniwob.fields import something_else, writes
from tests.simulator.web.miniwob.player import Player


@dataclass(frozen=True, slots=True)
class Play:
    """Hold how a task is played."""

    right: Callable[[Player], None]
    wrong: Callable[[Player], None]


_LINK_IN_PARTS = Play(clicks.link_in_parts, clicks.link_in_parts_wrongly)
_PIE = Play(clicks.pie, clicks.pie_wrongly)
_LETTER = Play(letters.letter, letters.letter_wrongly)
_DATE = Play(fields.calendar_date, fields.calendar_date_wrongly)
_ENTER = Play(writes(fields.quoted), writes(something_else))

PLAYS: Mapping[str, Play] = {
    "ascending-numbers": Play(clicks.ascending_numbers, clicks.ascending_numbers_wrongly),
    "buy-ticket": Play(clicks.buy_ticket, clicks.buy_ticket_wrongly),
    "choose-date": _DATE,
    "choose-date-easy": _DATE,
    "choose-date-medium": _DATE,
    "choose-date-nodelay": _DATE,
    "choose-list": Play(clicks.list_item, clicks.list_item_wrongly),
    "click-button": Play(clicks.named_button, clicks.named_button_wrongly),
    "click-button-sequence": Play(clicks.button_sequence, clicks.button_sequence_wrongly),
    "click-checkboxes": Play(clicks.checkboxes, clicks.checkboxes_wrongly),
    "click-checkboxes-large": Play(clicks.checkboxes, clicks.checkboxes_wrongly),
    "click-checkboxes-transfer": Play(clicks.checkboxes, clicks.checkboxes_wrongly),
    "click-collapsible": Play(clicks.section, submit_wrongly),
    "click-collapsible-2": _LINK_IN_PARTS,
    "click-collapsible-2-nodelay": _LINK_IN_PARTS,
    "click-collapsible-nodelay": Play(clicks.section, submit_wrongly),
    "click-dialog": Play(clicks.dialog, clicks.dialog_wrongly),
    "click-dialog-2": Play(clicks.dialog_2, clicks.dialog_2_wrongly),
    "click-link": Play(clicks.link, clicks.link_wrongly),
    "click-option": Play(clicks.option, clicks.option_wrongly),
    "click-pie": _PIE,
    "click-pie-nodelay": _PIE,
    "click-tab": Play(clicks.tab, clicks.tab_wrongly),
    "click-tab-2": _LINK_IN_PARTS,
    "click-tab-2-easy": _LINK_IN_PARTS,
    "click-tab-2-hard": _LINK_IN_PARTS,
    "click-tab-2-medium": Play(clicks.link_or_tab, clicks.link_or_tab_wrongly),
    "click-test": Play(clicks.only_button, clicks.beside),
    "click-test-2": Play(clicks.button_one, clicks.button_one_wrongly),
    "click-test-transfer": Play(clicks.button_one, clicks.button_one_wrongly),
    "click-widget": Play(clicks.widget, clicks.widget_wrongly),
    "copy-paste": Play(fields.copy, submit_wrongly),
    "copy-paste-2": Play(writes(fields.copied_2), writes(something_else)),
    "email-inbox": _LETTER,
    "email-inbox-delete": _LETTER,
    "email-inbox-forward": _LETTER,
    "email-inbox-important": _LETTER,
    "email-inbox-noscroll": _LETTER,
    "email-inbox-reply": _LETTER,
    "email-inbox-star-reply": _LETTER,
    "enter-date": Play(fields.date, submit_wrongly),
    "enter-password": Play(fields.password_twice, submit_wrongly),
    "enter-text": _ENTER,
    "enter-text-2": Play(writes(fields.upper_or_lower), writes(something_else)),
    "enter-text-dynamic": _ENTER,
    "enter-time": Play(fields.clock, submit_wrongly),
    "find-word": Play(writes(fields.word_of_paragraph), writes(something_else)),
    "focus-text": Play(clicks.focus, clicks.beside),
    "focus-text-2": Play(clicks.focus, clicks.focus_wrongly),
    "form-sequence": Play(fields.form_sequence, submit_wrongly),
    "form-sequence-2": Play(fields.form_sequence_2, submit_wrongly),
    "form-sequence-3": Play(clicks.dropdown, clicks.dropdown_wrongly),
    "generate-number": Play(clicks.generate_number, clicks.generate_number_wrongly),
    "guess-number": Play(fields.guess, submit_wrongly),
    "login-user": Play(fields.login, fields.login_wrongly),
    "login-user-popup": Play(fields.login_popup, fields.ok_wrongly),
    "multi-layouts": Play(fields.movie, fields.movie_wrongly),
    "multi-orderings": Play(fields.movie, fields.movie_wrongly),
    "navigate-tree": Play(clicks.tree, clicks.tree_wrongly),
    "odd-or-even": Play(clicks.odd_or_even, clicks.odd_or_even_wrongly),
    "phone-book": Play(clicks.phone_book, clicks.phone_book_wrongly),
    "read-table": Play(writes(fields.value_of_table), writes(something_else)),
    "read-table-2": Play(fields.table_2, fields.table_2_wrongly),
    "scroll-text": Play(writes(fields.last_word), writes(something_else)),
    "search-engine": Play(clicks.search_engine, clicks.search_engine_wrongly),
    "simple-algebra": Play(writes(fields.unknown_number), writes(something_else)),
    "simple-arithmetic": Play(writes(fields.sum_of_numbers), writes(something_else)),
    "terminal": Play(fields.terminal, fields.terminal_wrongly),
    "text-transform": Play(writes(fields.drawn_text), writes(something_else)),
    "unicode-test": Play(clicks.named_button, clicks.named_button_wrongly),
    "use-autocomplete": Play(fields.autocomplete, fields.autocomplete_wrongly),
    "use-autocomplete-nodelay": Play(fields.autocomplete, fields.autocomplete_wrongly),
    "use-slider": Play(fields.slider, fields.slider_wrongly),
    "use-spinner": Play(fields.spinner, fields.spinner_wrongly),
}
