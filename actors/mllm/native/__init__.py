"""Hold the forms in which model families were trained to operate a phone in one chat."""

from __future__ import annotations

from collections.abc import Mapping

from manyhands.actors.mllm.formats import Native
from manyhands.actors.mllm.native.autoglm import GlmForm
from manyhands.actors.mllm.native.family import Chat, FamilyForm, NativeForm, ShownStep
from manyhands.actors.mllm.native.gelab import GelabForm
from manyhands.actors.mllm.native.holo import HoloForm
from manyhands.actors.mllm.native.mai_ui import MaiForm
from manyhands.actors.mllm.native.mobile_use import FirstOwlForm, OwlForm, Qwen25Form, QwenForm
from manyhands.actors.mllm.native.plain_chat import PlainForm
from manyhands.actors.mllm.native.ui_tars import TarsForm
from manyhands.actors.mllm.native.ui_venus import VenusForm, VenusLinesForm
from manyhands.actors.prompts import Prompts

__all__ = ["NATIVE_FORMS", "Chat", "FamilyForm", "NativeForm", "ShownStep", "family_form", "form_of"]

NATIVE_FORMS: Mapping[str, FamilyForm] = {
    "qwen3-vl": QwenForm(),
    "qwen3.5": QwenForm(),
    "qwen2.5-vl": Qwen25Form(),
    "gui-owl-1.5": OwlForm(),
    "gui-owl": FirstOwlForm(),
    "mai-ui": MaiForm(),
    "ui-tars-1.5": TarsForm(),
    "autoglm-phone": GlmForm(),
    "ui-venus-2": VenusForm(),
    "ui-venus-1.5": VenusLinesForm(),
    "holo-3.1": HoloForm(),
    "gelab-zero": GelabForm(),
    "plain-chat": PlainForm(),
}
"""The forms by the name of the family's dialect (``actors.mllm.request.dialects``)."""


def family_form(prompts: Prompts) -> FamilyForm | None:
    """Return the form of the model's family; None if it has none, or the settings choose another format."""
    if prompts.output != Native.name:
        return None
    return form_of(prompts.dialect.name, shows_pictures=prompts.shows_pictures)


def form_of(dialect: str, *, shows_pictures: bool) -> FamilyForm | None:
    """Return the form of a family; None if it has none, or its form shows pictures where models are shown none."""
    form = NATIVE_FORMS.get(dialect)
    return form if form is not None and form.sees == shows_pictures else None
