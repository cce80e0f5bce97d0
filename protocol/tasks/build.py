"""Define the app under test, and the settings of the phone under which a task is carried out."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from manyhands.protocol.public_input import PublicInput

PackageName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+$", max_length=200)]
Permission = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_.]*$", max_length=200)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
MOST_FILES = 50


class Build(PublicInput):
    """Describe the app that a task tests, and what is done with it before and after the task."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    package: PackageName
    """The app's package."""
    install: tuple[Annotated[str, Field(min_length=1, max_length=1000)], ...] = Field(default=(), max_length=MOST_FILES)
    """APK files; several are the parts of one split app. A phone gets the same files once."""
    sha256: tuple[Digest, ...] = Field(default=(), max_length=MOST_FILES)
    """Written when the run begins: the digests of these files."""
    clear: bool = False
    """Whether the app's data are deleted before the task."""
    grant: tuple[Permission, ...] = Field(default=(), max_length=100)
    """Permissions that it gets before the task, such as `android.permission.CAMERA`."""
    stop: bool = True
    """Whether the app is stopped before the task."""
    uninstall_after: bool = False
    """Whether it is uninstalled when the phone is given back."""
    ends_at_crash: bool = True
    """Whether a crash of the app, or its not responding, ends the task."""

    @field_validator("install", mode="before")
    @classmethod
    def _may_be_one(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _has_a_digest_a_file(self) -> Self:
        if self.sha256 and len(self.sha256) != len(self.install):
            raise ValueError(f"there are {len(self.install)} files and {len(self.sha256)} digests")
        return self


class DeviceSettings(PublicInput):
    """Hold the settings that a phone has during a task. It gets its own values back afterwards."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    locale: str | None = Field(default=None, pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")
    """The language of the app under test, such as `de-DE` (Android 13 and later). It needs a `build`."""
    time_zone: str | None = Field(default=None, pattern=r"^[A-Za-z]+(/[A-Za-z0-9_+-]+)*$")
    """The time zone, such as `Europe/Berlin` (Android 11 and later)."""
    dark_mode: bool | None = None
    """Whether the dark theme is on (Android 10 and later)."""
    font_scale: float | None = Field(default=None, ge=0.5, le=3.0)
    """How much larger texts are than usual, such as 1.3."""
    orientation: Literal["portrait", "landscape"] | None = None
    """How the screen is turned, whatever the phone's position is."""
    animations: bool | None = None
    """Whether windows are animated."""
    network: Literal["all", "wifi", "mobile", "none"] | None = None
    """Which networks are on. A phone that adb reaches by Wi-Fi keeps its Wi-Fi."""
