"""Choose the dialect of a model by its name, before a run sends it anything."""

from __future__ import annotations

from manyhands.actors.mllm import Dialect, ModelSettings, ServedModel, dialect_named, dialect_of
from manyhands.actors.mllm.formats import Native
from manyhands.actors.mllm.native import NATIVE_FORMS, form_of
from manyhands.actors.mllm.request.dialects import DIALECTS
from manyhands.deploy.serving.catalogue import profile_named
from manyhands.deploy.settings.models import PENALTIES, ModelOptions
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings

FEWEST_PICTURES = 2
"""The pictures of a chat with which a model can judge an action by the screens before and after it."""


def family_dialect(served: ServedModel) -> Dialect | None:
    """Return the dialect of a model's family, by what the server loaded, else by its name; None if neither tells."""
    for name in dict.fromkeys((served.weights, served.name)):
        dialect = dialect_of(name)
        if dialect is not None:
            return dialect
        try:
            return dialect_named(profile_named(name).family.dialect)
        except BadInput:
            continue
    return None


def given_dialect(options: ModelOptions, role: Role) -> str | None:
    """Return the dialect that the settings name for a role; None if they leave it to the model's name."""
    own = options.models.get(role)
    return (own.dialect if own is not None else None) or options.dialect


def in_own_form(model: ModelSettings, options: ModelOptions, episode: EpisodeSettings) -> ModelSettings:
    """Return the settings of the agent of the profile ``native``: the form and the sampling of its model's family.

    What the user has given stays. A family without a form is asked for our JSON, and so is one whose form shows
    pictures if the run shows none.
    """
    own, form = options.models.get(Role.DECIDE), form_of(model.dialect, shows_pictures=episode.shows_pictures)
    own_form = (own.output if own is not None else None) or options.output
    if form is None or own_form not in (None, Native.name):
        return model
    sampling = form.training.sampling
    family = {name: getattr(sampling, name) for name in PENALTIES if getattr(model, name) is None}
    return model.model_copy(update={"output": Native.name, **family})


def with_family_pictures(episode: EpisodeSettings, agent: ModelSettings) -> EpisodeSettings:
    """Return settings whose chats show as many pictures as the makers of the agent's family send, and at least two:
    a verdict compares two screens.

    A number that the user has given stays. A general model, such as Qwen3-VL, gets the usual number.
    """
    form = NATIVE_FORMS.get(agent.dialect) if agent.output == Native.name else None
    if form is None or form.training.takes_more or "chat_pictures" in episode.model_fields_set:
        return episode
    most = min(episode.chat_pictures, max(FEWEST_PICTURES, form.training.pictures))
    return episode.model_copy(update={"chat_pictures": most})


def check_sight(dialect: str, episode: EpisodeSettings) -> None:
    """Raise BadInput if a family of text models would be shown pictures."""
    form = NATIVE_FORMS.get(dialect)
    if form is not None and not form.sees and episode.shows_pictures:
        raise BadInput(
            f"--dialect {dialect}: a text model, which sees no pictures; say --profile native --pictures none"
        )


def choose_dialect(served: ServedModel, own_dialect: str | None) -> str:
    """Return the name of the dialect in which a model is asked. ``given``: the one that the settings name, if any.

    Raises BadInput if the model's family writes other coordinates than the given dialect, and if nothing is given and
    the name tells no family.
    """
    theirs = family_dialect(served)
    if own_dialect is None:
        if theirs is None:
            raise BadInput(
                f"the name {served.name} tells no model family, so nobody knows which coordinates it writes: say "
                f"--dialect NAME, one of {', '.join(DIALECTS)}"
            )
        return theirs.name
    if theirs is not None and not dialect_named(own_dialect).writes_as(theirs):
        raise BadInput(
            f"--dialect {own_dialect} does not fit {served.name}, which writes coordinates of {theirs.name}: leave "
            f"--dialect out, or say --dialect {theirs.name}"
        )
    return own_dialect
