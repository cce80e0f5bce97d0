"""Define the settings of the episodes of a run."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import ConfigDict, Field, field_validator, model_validator

from manyhands.protocol.journals.records import StageName
from manyhands.protocol.phones import SettleSpec
from manyhands.protocol.policy import GrantText, Policy
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.utilities.setting_metadata import Flag
from manyhands.protocol.utilities.yaml_document import YamlInvalid, unknown_keys

ProfileName = Annotated[str, Field(min_length=1, max_length=100)]
"""The name of a registered profile (``protocol.profiles``)."""
Schedule = Literal["serial", "overlap", "speculate"]
Elements = Literal["vision", "accessibility", "both"]
Pictures = Literal["all", "none"]
CheapVerdict = Literal["unchanged", "app_in_front", "typed_text"]
"""A rule that judges an action without the model (``actors.episode.stages.verdicts``)."""
CHEAP_VERDICTS: tuple[CheapVerdict, ...] = get_args(CheapVerdict)


class EpisodeSettings(PublicInput):
    """Configure the episodes of a run. All episodes of a run have the same settings."""

    panel: ClassVar[str] = "Loop"

    model_config = ConfigDict(use_attribute_docstrings=True)

    profile: Annotated[
        ProfileName, Flag("run", "suite single-step", "bench step", "bench chaos", "bench attacks", is_common=True)
    ] = "e"
    """`e`, `e+evo`, `v2`, `v1`, `native`, `native+evo`, `bare` or `flow` (docs/profiles.md)."""
    schedule: Annotated[
        Schedule,
        Flag(
            "run", "demo", "bench fleet", "bench overhead", "bench chaos", "bench edge", "bench attacks", is_common=True
        ),
    ] = "overlap"
    """Order of a step's stages: `serial`, `overlap`, `speculate` (docs/schedules.md).

    The papers have `serial`. `paper_exact` excludes `speculate`.
    """
    paper_exact: Annotated[bool, Flag("run", "suite single-step", "bench attacks")] = False
    """Do exactly as the paper does, also where our defaults differ (docs/profiles.md)."""
    without: Annotated[tuple[str, ...], Flag("run", "suite single-step", nothing="none")] = ()
    """Parts of the profile to leave out, with commas, such as `planner` (docs/profiles.md)."""
    cheap_verdicts: Annotated[tuple[CheapVerdict, ...], Flag("run", "bench step", nothing="none")] = CHEAP_VERDICTS
    """Rules that may judge an action without the model, with commas; `none` turns all off (docs/verdicts.md).

    In the environment, write a JSON list: `["unchanged"]`.
    """
    history: int = Field(default=5, ge=0, le=100)
    """The number of past actions that the operator sees (m in section 3.1 of Mobile-Agent-E)."""
    escalate_after: int = Field(default=2, ge=1, le=100)
    """The planner must help after so many failed actions in a row (k in section 3.1 of Mobile-Agent-E)."""
    skip_planner: bool = False
    """Skip the planner until the reflector says that the subgoal is reached; not with `paper_exact`."""
    reflector_sees_elements: Literal["before", "after"] = "before"
    """With `after`, the reflector waits for the new screen's elements and sees them, too."""
    planner_tips: bool = False
    """With `paper_exact`, show the planner tips, too, as section 3.2 of Mobile-Agent-E says (equation 1 does not)."""
    chat_pictures: int = Field(default=4, ge=2, le=64)
    """The most screenshots in a chat (`v1`, `native`); `v1` with `paper_exact` shows all. By default, `native` shows a
    model trained for phones as many as its makers send, but at least two (docs/model-forms.md).
    """
    actions_per_call: Annotated[int, Flag("run", "bench step")] = Field(default=3, ge=1, le=3)
    """The most actions in a reply of `native`, in our own JSON (docs/profiles.md).

    A surprise between two of them drops the rest. A reply in the model family's form holds one action.
    """
    like_e: Annotated[bool, Flag("run", "suite single-step")] = False
    """Give profile `v2` the actions and initial tips of `e`, as in section 4.4 of Mobile-Agent-E."""
    pictures: Annotated[Pictures, Flag("run", "bench step", "bench fleet", "bench attacks", is_common=True)] = "all"
    """With `none`, `native` shows views, no pictures.

    Then the model, a text model, sees the phone's accessibility tree. It sets `elements` to `accessibility` and
    `actions_per_call` to 1 (docs/profiles.md).
    """
    elements: Annotated[Elements, Flag("run", "bench chaos", "bench attacks")] = "vision"
    """The source of a screen's elements: `vision`, the phone's `accessibility` tree, or `both` (docs/perception.md).

    With `both`, vision adds what the tree lacks. `paper_exact` allows only `vision`.
    """
    elements_wait_s: float = Field(default=5.0, gt=0, le=60)
    """Seconds that a screen waits for the tree; after a late tree, a phone gets no more waits (docs/perception.md)."""
    captions: bool = False
    """Ask the role `caption` to name unnamed icons, once for the whole fleet (docs/perception.md)."""
    caption_all: bool = False
    """With `captions`, the model names all icons, also those that our network names."""
    caption_wait_s: float = Field(default=0.0, ge=0, le=60)
    """Seconds that a screen waits for captions. Late captions appear on later screens."""
    settle: SettleSpec = SettleSpec()
    """When a screen counts as at rest (docs/settling.md)."""
    deadlines: dict[StageName, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    """Seconds that a stage's call may take, by stage. They replace the profile's (docs/profiles.md)."""
    lease_s: float = Field(default=30.0, gt=1)
    """Seconds after which a host loses a phone if it does not renew the lease."""
    no_model_s: float = Field(default=600.0, gt=0)
    """If no server of a role answers for so many seconds, all open tasks end as `no_model` (docs/monitoring.md)."""
    disk_wait_s: float = Field(default=600.0, gt=0)
    """Seconds that an episode waits before its next action if its run folder cannot be written."""
    takeover_s: float = Field(default=600.0, gt=0)
    """After so many seconds without an action of the person, an episode that was taken over ends as `needs_person`."""
    person_wait_s: Annotated[float, Flag("run")] = Field(default=0.0, ge=0, le=604_800)
    """Seconds that an episode waits if its model asks for a person; with 0 the model is told that nobody is there.

    The default of `serve` is 1800.
    """

    policy: Policy = Policy()
    """Which actions need a person's word (docs/policy.md)."""
    allow: Annotated[tuple[GrantText, ...], Flag("run", nothing="none")] = ()
    """Effects that actions may have without a question: `EFFECT:APP:ABOUT`, such as `send:Messages:Anna`.

    App and the rest may be left out (docs/policy.md).
    """
    logcat: Annotated[bool, Flag("run")] = False
    """Record each phone's `logcat` beside its episodes, in `logcat.txt` (docs/real-phones.md)."""

    def has(self, part: str) -> bool:
        """Return whether the profile has a part: it has not been left out by ``without``."""
        return part not in self.without

    @property
    def shows_pictures(self) -> bool:
        """Return whether models are shown pictures of the screens."""
        return self.pictures != "none"

    @field_validator("settle", mode="before")
    @classmethod
    def _has_known_keys(cls, value: Any) -> Any:
        """Refuse unknown keys. ``SettleSpec`` is a message, which by itself ignores keys of newer versions."""
        if isinstance(value, dict) and (mistakes := unknown_keys(value, tuple(SettleSpec.model_fields))):
            raise YamlInvalid(mistakes)
        return value

    @model_validator(mode="before")
    @classmethod
    def _without_pictures(cls, values: Any) -> Any:
        """Set what follows from ``pictures: none``. Raises ValueError for other settings that contradict it."""
        if not isinstance(values, dict) or values.get("pictures") != "none":
            return values
        if values.get("elements", "accessibility") != "accessibility":
            raise ValueError("pictures: without pictures the elements come from accessibility; leave out elements")
        if values.get("paper_exact"):
            raise ValueError("pictures: the papers' agents see pictures; leave out paper_exact, or pictures")
        if str(values.get("actions_per_call", 1)) != "1":
            raise ValueError("pictures: without pictures a reply holds one action; leave out actions_per_call")
        return {**values, "elements": "accessibility", "actions_per_call": 1}

    @model_validator(mode="after")
    def _as_the_paper_does(self) -> Self:
        if self.paper_exact and self.schedule == "speculate":
            raise ValueError("paper_exact: the paper's roles wait for verdict and plan; choose serial or overlap")
        if self.paper_exact and self.elements != "vision":
            raise ValueError("paper_exact: the papers read elements off pixels; leave out elements, or choose vision")
        if self.paper_exact and self.skip_planner:
            raise ValueError("paper_exact: the paper's planner is asked in every step; leave out skip_planner")
        for setting in self.model_fields_set & registered_profiles().variants.keys():
            owner, _ = registered_profiles().variants[setting]
            if self.profile != owner and getattr(self, setting) != type(self).model_fields[setting].default:
                raise ValueError(f"{setting} is for the profile {owner} alone, and this one is {self.profile}")
        return self


class SpeculationSettings(PublicInput):
    """Configure when the schedule ``speculate`` may send calls that begin on assumptions (docs/monitoring.md)."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    in_flight_share: float = Field(default=0.75, ge=0, le=1)
    """Share of the cap on calls in flight that speculative calls may use; 0 turns speculation off."""
    slower: float = Field(default=1.4, gt=1)
    """Servers count as full if a token takes so many times its best time."""
    wait_s: float = Field(default=4.0, ge=0)
    """Seconds without a sign of full servers until a speculative call is admitted again."""
    longest_wait_s: float = Field(default=300.0, ge=0)
    """The longest wait. The wait grows each time that servers are full again."""
    ramp_s: float = Field(default=8.0, ge=0)
    """Seconds in which the share of admitted speculative calls grows to all; half the wait if that is longer."""
