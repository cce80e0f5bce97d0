from __future__ import annotations

import pytest

from manyhands.actors.phones.adb import dumps
from manyhands.actors.phones.adb.apps import AppCatalogue, fold, known_labels
from manyhands.actors.phones.adb.shell import ActionRefused

INSTALLED = {
    "com.android.settings": ["com.android.settings.Settings"],
    "com.google.android.apps.maps": ["com.google.android.maps.MapsActivity"],
    "com.google.android.youtube": ["com.google.android.youtube.Home"],
    "com.google.android.apps.youtube.music": ["com.google.android.apps.youtube.music.Main"],
    "com.google.android.apps.messaging": ["com.google.android.apps.messaging.Main"],
    "com.android.mms": ["com.android.mms.Main"],
    "com.tencent.mm": ["com.tencent.mm.ui.LauncherUI"],
    "org.example.simplenotes": [],
}


def find(label: str, rows: tuple[tuple[str, str, str], ...] = ()) -> str:
    return AppCatalogue(INSTALLED, rows).find(label).package


@pytest.mark.parametrize(
    ("label", "package"),
    [
        ("Settings", "com.android.settings"),
        ("  settings ", "com.android.settings"),
        ("设置", "com.android.settings"),
        ("Ｓｅｔｔｉｎｇｓ", "com.android.settings"),
        ("微信", "com.tencent.mm"),
        ("WeChat", "com.tencent.mm"),
        ("YouTube", "com.google.android.youtube"),
        ("YouTube Music", "com.google.android.apps.youtube.music"),
        ("Maps", "com.google.android.apps.maps"),
        ("Google Map", "com.google.android.apps.maps"),
        ("Setings", "com.android.settings"),
        ("Settings app", "com.android.settings"),
        ("simplenotes", "org.example.simplenotes"),
        ("com.tencent.mm", "com.tencent.mm"),
    ],
)
def test_labels_in_several_languages_and_near_ones(label: str, package: str) -> None:
    assert find(label) == package


def test_of_two_apps_with_one_label_the_table_decides() -> None:
    assert find("Messages") == "com.google.android.apps.messaging"


def test_what_the_phone_says_comes_before_the_table() -> None:
    rows = (("Maps", "org.example.simplenotes", "org.example.simplenotes.Main"),)
    app = AppCatalogue(INSTALLED, rows).find("maps")
    assert (app.package, app.activity) == ("org.example.simplenotes", "org.example.simplenotes.Main")


CONTACTS = "com.android.contacts"
TWO_ICONS = {CONTACTS: [f"{CONTACTS}.activities.TwelveKeyDialer", f"{CONTACTS}.activities.PeopleActivity"]}


def test_each_icon_of_a_package_has_its_own_label() -> None:
    apps = AppCatalogue(TWO_ICONS)
    assert [apps.find(label).activity for label in ("Phone", "Contacts", CONTACTS)] == [
        f"{CONTACTS}.activities.TwelveKeyDialer",
        f"{CONTACTS}.activities.PeopleActivity",
        f"{CONTACTS}.activities.PeopleActivity",
    ]
    assert apps.packages() == {CONTACTS}


def test_rows_that_name_each_activity_are_each_an_icon() -> None:
    rows = dumps.label_rows(
        f"Row: 0 label=Anrufe, package={CONTACTS}, activity=.activities.TwelveKeyDialer\n"
        f"Row: 1 label=Leute, package={CONTACTS}, activity={CONTACTS}.activities.PeopleActivity\n"
    )
    apps = AppCatalogue(TWO_ICONS, rows)
    assert {label: apps.find(label).activity for label in ("Anrufe", "Leute")} == dict(
        zip(("Anrufe", "Leute"), TWO_ICONS[CONTACTS], strict=True)
    )
    assert apps.by_label() == {"Anrufe": CONTACTS, "Leute": CONTACTS}


def test_an_app_that_is_not_installed_is_refused_with_near_labels() -> None:
    with pytest.raises(ActionRefused, match=r"'Spotify'.*nearest are: .*"):
        find("Spotify")
    with pytest.raises(ActionRefused, match="YouTube"):
        find("You")


def test_two_near_apps_are_no_clear_winner() -> None:
    rows = (("Budget A", "org.a", "org.a.M"), ("Budget B", "org.b", "org.b.M"))
    with pytest.raises(ActionRefused, match="'Budget A', 'Budget B'"):
        AppCatalogue({}, rows).find("Budget")


def test_no_apps_at_all() -> None:
    with pytest.raises(ActionRefused, match="lists no apps"):
        AppCatalogue({}, ()).find("Maps")


def test_the_shipped_table_has_labels_for_every_package() -> None:
    table = known_labels()
    assert len(table) >= 60
    assert all(labels and all(fold(label) for label in labels) for labels in table.values())


def test_each_app_has_one_name_and_two_apps_of_one_name_have_the_one_that_is_opened() -> None:
    rows = (("Notizen", "org.example.simplenotes", ""), ("Karten", "com.google.android.apps.maps", ""))
    named = AppCatalogue(INSTALLED, rows).by_label()
    assert named["Notizen"] == "org.example.simplenotes"
    assert named["Karten"] == "com.google.android.apps.maps"
    assert "Maps" not in named, "the phone itself says what its app is called"
    assert named["Messages"] == "com.google.android.apps.messaging"
    assert set(named.values()) == INSTALLED.keys() - {"com.android.mms"}
