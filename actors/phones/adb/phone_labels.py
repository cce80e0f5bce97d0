"""Read labels off a phone, by which selectors choose it: its maker, model and Android version, and its apps' versions.

The labels of apps are ``app:PACKAGE`` and ``app:NAME``. Only apps that the home screen starts have labels, because a
phone has hundreds of other packages that nobody asks for.
"""

from __future__ import annotations

from collections.abc import Mapping

from manyhands.actors.phones.adb import dumps
from manyhands.actors.phones.adb.apps import AppCatalogue
from manyhands.protocol.tasks.selectors import is_label_name

APP = "app:"
_VERSIONS = "versions"
_PROPERTIES = {
    "model": "ro.product.model",
    "maker": "ro.product.manufacturer",
    "android": "ro.build.version.release",
    "sdk": "ro.build.version.sdk",
}
"""Android's properties, by the labels that show them."""
LABELS_LINE = dumps.mark_parts(
    {
        **{label: f"getprop {name}" for label, name in _PROPERTIES.items()},
        _VERSIONS: dumps.VERSION_NAMES_LINE,
    }
)
"""Prints all that ``device_labels`` needs except the names of apps. It changes nothing on the phone."""


def device_labels(text: str, apps: AppCatalogue) -> dict[str, str]:
    """Return the labels of a phone.

    ``text``: what ``LABELS_LINE`` printed. ``apps``: the apps that its home screen starts.

    What the phone does not tell has no label. An app whose version it does not tell has an empty version.
    """
    parts = dumps.marked_parts(text)
    labels = {label: value for label in _PROPERTIES if (value := parts.get(label, "").strip())}
    return {**labels, **_app_labels(dumps.version_names(parts.get(_VERSIONS, "")), apps)}


def _app_labels(versions: Mapping[str, str], apps: AppCatalogue) -> dict[str, str]:
    by_package = {f"{APP}{package}": versions.get(package, "") for package in sorted(apps.packages())}
    by_name = {f"{APP}{name}": versions.get(package, "") for name, package in apps.by_label().items()}
    return {name: version for name, version in (by_name | by_package).items() if is_label_name(name)}
