from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.phones.adb import dumps
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.screens.geometry import Size

FRONT = """\
  mCurrentFocus=Window{8c2f1d u0 com.example.shop/com.example.shop.Main}
  mFocusedApp=ActivityRecord{1a2b3c u0 com.example.shop/.Main t12}
  mShowRequested=true mShowExplicitlyRequested=false mShowForced=false mInputShown=true
  mCurId=com.android.adbkeyboard/.AdbIME mHaveConnection=true mBoundToMethod=true
com.android.adbkeyboard/.AdbIME
"""


def test_what_is_in_front() -> None:
    assert dumps.app_in_front(FRONT) == "com.example.shop"
    assert dumps.keyboard(FRONT) == "shown"
    assert dumps.keyboard(FRONT.replace("=true", "=false")) == "hidden"
    assert dumps.bound_input_method(FRONT) == "com.android.adbkeyboard/.AdbIME"
    assert dumps.input_method(FRONT) == "com.android.adbkeyboard/.AdbIME"


SELECTION = "  mCursorSelStart=12 mCursorSelEnd=12 mCursorCandStart=-1 mCursorCandEnd=-1\n"


@pytest.mark.parametrize(
    ("text", "caret"),
    [
        (FRONT + SELECTION, 12),
        (FRONT + SELECTION + SELECTION, 12),
        (FRONT + SELECTION + SELECTION.replace("12", "7"), None),  # clients that do not agree
        (FRONT + SELECTION.replace("End=12", "End=15"), None),  # text is selected
        (FRONT + SELECTION.replace("12", "-1"), None),
        (FRONT.replace("mInputShown=true", "mInputShown=false") + SELECTION, None),  # of an earlier field
        (FRONT, None),
        (SELECTION, None),
    ],
)
def test_where_the_caret_stands_is_known_while_the_keyboard_is_shown(text: str, caret: int | None) -> None:
    assert dumps.caret(text) == caret


@pytest.mark.parametrize(
    ("line", "package"),
    [
        ("home=com.android.launcher3/.Launcher\nPhysical size: 1x2\n", "com.android.launcher3"),
        ("home=android/com.android.internal.app.ResolverActivity\n", None),  # several, none chosen
        ("home=No activity found\n", None),
        ("home=\n/system/bin/sh: cmd: not found", None),
    ],
)
def test_the_home_screen_is_an_app(line: str, package: str | None) -> None:
    assert dumps.home_app(line) == package


SEVERAL_DISPLAYS = """\
WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)
  Display: mDisplayId=2 (organized)
    mCurrentFocus=Window{1 u0 com.vendor.cover/com.vendor.cover.Clock}
    mFocusedApp=ActivityRecord{2 u0 com.vendor.cover/.Clock t2}
  Display: mDisplayId=0 (organized)
    mCurrentFocus=null
    mFocusedApp=ActivityRecord{3 u0 org.a/.B t3}
WINDOW MANAGER WINDOWS (dumpsys window windows)
"""


@pytest.mark.parametrize(
    ("text", "app"),
    [
        (SEVERAL_DISPLAYS, "org.a"),
        (SEVERAL_DISPLAYS.replace("mDisplayId=0", "mDisplayId=3"), None),
        (SEVERAL_DISPLAYS.replace("=null", "=Window{4 u0 com.vendor.edge/com.vendor.edge.Panel}"), "org.a"),
        (SEVERAL_DISPLAYS.replace("=null", "=Window{4 u0 PopupWindow:1c0ffee}"), "org.a"),
        (SEVERAL_DISPLAYS.replace("mDisplayId=0", "mDisplayId=3") + FRONT, "com.example.shop"),
    ],
)
def test_the_app_in_front_is_that_of_the_main_display(text: str, app: str | None) -> None:
    assert dumps.app_in_front(text) == app


def test_a_system_window_with_the_focus_leaves_the_app_below_it() -> None:
    text = "  mCurrentFocus=Window{8c2f1d u0 NotificationShade}\n  mFocusedApp=ActivityRecord{1 u0 org.a/.B t3}\n"
    assert dumps.app_in_front(text) == "org.a"
    assert dumps.app_in_front("  mCurrentFocus=null\n") is None


def test_nothing_said_is_unknown() -> None:
    assert dumps.keyboard("") == "unknown"
    assert dumps.input_method("null\n") is None
    assert dumps.screen_size("wm: inaccessible or not found") is None


def test_an_override_is_the_size_that_counts() -> None:
    text = "Physical size: 1440x3120\nOverride size: 1080x2340\n"
    assert dumps.screen_size(text) == Size(width=1080, height=2340)
    assert dumps.screen_size(text.splitlines()[0]) == Size(width=1440, height=3120)


def test_launcher_activities_are_fully_qualified() -> None:
    text = "priority=0 preferredOrder=0 match=0x108000\n    org.a/.Main\norg.b/org.c.Start\n  org.a/.Second\n"
    assert dumps.components(text) == {"org.a": ["org.a.Main", "org.a.Second"], "org.b": ["org.c.Start"]}
    assert dumps.packages("package:org.a\npackage:org.b\n") == ["org.a", "org.b"]


def test_labels_may_hold_commas() -> None:
    text = (
        "Row: 0 label=Notes, package=me, package=org.a, activity=org.a.Main\n"
        "Row: 1 label=浏览器, package=org.b, activity=\n"
    )
    assert dumps.label_rows(text) == [("Notes, package=me", "org.a", "org.a.Main"), ("浏览器", "org.b", "")]


@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5) | st.booleans(), max_size=3))
def test_state_comes_back_as_it_was(state: dict[str, object]) -> None:
    row = f"Row: 0 json={base64.b64encode(json.dumps(state).encode()).decode()}\n"
    assert dumps.json_row(row, "content://a/b") == state


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No result found.",
        "Row: 0 json=!!!",
        "Row: 0 json=abc",
        "Row: 0 json=W10=",
        "Error while accessing provider:a",
    ],
)
def test_anything_else_is_no_state(text: str) -> None:
    with pytest.raises(StateUnavailable, match="content://a/b"):
        dumps.json_row(text, "content://a/b")


@given(st.text())
def test_readers_take_any_text(text: str) -> None:
    assert dumps.keyboard(text) in ("shown", "hidden", "unknown")
    assert isinstance(dumps.components(text), dict)
    with pytest.raises(StateUnavailable):
        dumps.json_row(text, "content://a/b")


def test_versions_of_apps_are_read_where_the_phone_prints_them() -> None:
    text = "package:com.example.shop versionCode:42 uid:10001\npackage:org.a versionCode:1\npackage:org.old\nError: x\n"
    assert dumps.app_versions(text) == {"com.example.shop": "42", "org.a": "1"}


@pytest.mark.parametrize(
    ("text", "secure"),
    [
        ("isSecure=false geom\nisSecure=true geom\n", True),
        ("isSecure=false geom\n", False),
        ("", False),
        ("Permission Denial: can't dump SurfaceFlinger from pid=1, uid=2000\n", False),
    ],
)
def test_a_layer_that_forbids_pictures(text: str, secure: bool) -> None:
    assert dumps.is_secure(text) is secure
