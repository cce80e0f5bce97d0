"""Hold the forms in which model families were trained to operate a phone in one chat."""

from __future__ import annotations

from collections.abc import Mapping

from manyhands.actors.mllm.native.form import Chat, NativeForm, ShownStep

__all__ = ["NATIVE_FORMS", "Chat", "ShownStep", "NativeForm"]

NATIVE_FORMS: Mapping[str, NativeForm] = {}
"""The forms by the name of the family's dialect (``actors.mllm.request.dialects``)."""
