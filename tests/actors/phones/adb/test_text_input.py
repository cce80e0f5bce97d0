from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.phones.adb.commands import typing_commands
from manyhands.actors.phones.adb.shell import ActionRefused

ENTER = ["input", "keyevent", "66"]
PRINTABLE_ASCII = st.text(alphabet=[chr(code) for code in range(0x20, 0x7F)], min_size=1)

BROADCAST = ["am", "broadcast", "-p", "com.android.adbkeyboard", "-a"]


def typed_by_keys(commands: list[list[str]]) -> str:
    """What ``input text`` types of these commands: it reads %s as a blank, from left to right."""
    return "".join(words[2].replace("%s", " ") for words in commands if words[:2] == ["input", "text"])


@given(PRINTABLE_ASCII)
def test_keys_type_ascii_exactly(text: str) -> None:
    commands = typing_commands(text, clear=False, adb_keyboard=False)
    assert typed_by_keys(commands) == text
    assert all(" " not in words[2] for words in commands)


@given(st.lists(st.sampled_from(["%", "s", " ", "%s", "%%s"]), min_size=1).map("".join))
def test_keys_type_a_literal_percent_s(text: str) -> None:
    assert typed_by_keys(typing_commands(text, clear=False, adb_keyboard=False)) == text


@given(st.text(min_size=1, max_size=4000))
def test_broadcast_carries_any_text(text: str) -> None:
    sent = typing_commands(text, clear=False, adb_keyboard=True)
    carried = "".join(base64.b64decode(words[8]).decode() for words in sent if "ADB_INPUT_B64" in words)
    assert carried + "\n" * sent.count(ENTER) == text
    assert all(words[:8] == [*BROADCAST, "ADB_INPUT_B64", "--es", "msg"] for words in sent[:1] if carried)


@pytest.mark.parametrize("adb_keyboard", [True, False])
def test_a_line_break_at_the_end_is_the_key_enter(adb_keyboard: bool) -> None:
    typed, enter = typing_commands("cats\n", clear=False, adb_keyboard=adb_keyboard)
    assert [typed] == typing_commands("cats", clear=False, adb_keyboard=adb_keyboard)
    assert enter == ENTER
    assert typing_commands("\n", clear=False, adb_keyboard=adb_keyboard) == [ENTER]
    emptied, *rest = typing_commands("\n", clear=True, adb_keyboard=adb_keyboard)
    assert emptied == typing_commands("a", clear=True, adb_keyboard=adb_keyboard)[0]
    assert rest == [ENTER]


@pytest.mark.parametrize("text", ["é", "naïve", "你好", "😀", "a\nb", "\t"])
def test_without_adb_keyboard_other_characters_are_refused(text: str) -> None:
    with pytest.raises(ActionRefused, match="ADBKeyboard is away"):
        typing_commands(text, clear=False, adb_keyboard=False, problem="ADBKeyboard is away")


def test_a_text_that_no_request_can_carry_is_refused() -> None:
    with pytest.raises(ActionRefused, match="in parts"):
        typing_commands("😀" * 8000, clear=False, adb_keyboard=True)


def test_clear_comes_first() -> None:
    assert typing_commands("a", clear=True, adb_keyboard=True)[0] == [*BROADCAST, "ADB_CLEAR_TEXT"]
    clear, text = typing_commands("a", clear=True, adb_keyboard=False)
    assert clear[:3] == ["input", "keyevent", "123"]
    assert set(clear[3:]) == {"67"}
    assert text == ["input", "text", "a"]
