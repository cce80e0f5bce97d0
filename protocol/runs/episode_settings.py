"""Define the settings of the episodes of a run."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import ConfigDict, Field, field_validator, model_validator

from manyhands.protocol.journals.records import StageName
from manyhands.protocol.phones import SettleSpec
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.utilities.setting_metadata import Flag
from manyhands.protocol.utilities.yaml_document import YamlInvalid, unknown_keys

ProfileName = Annotated[str, Field(min_length=1, max_length=100)]
"""The name of a registered profile (``protocol.profiles``)."""
Schedule = Literal["serial", "overlap", "speculate"]
Elements = Literal["vision", "accessibility", "both"]
CheapVerdict = Literal["unchanged", "app_in_front", "typed_text"]
"""A rule that judges an action without the model (``actors.episode.stages.verdicts``)."""
CHEAP_VERDICTS: tuple[CheapVerdict, ...] = get_args(CheapVerdict)


class EpisodeSettings(PublicInput):
    """Configure the episodes of a run. All episodes of a run have the same settings."""

    panel: ClassVar[str] = "Loop"

    model_config = ConfigDict(use_attribute_docstrings=True)

    profile: Annotated[ProfileName, Flag("run", "suite single-step", "bench step", "bench chaos", is_common=True)] = "e"
    """The loop: `e`, `e+evo`, `v2`, `v1`, `native`, `native+evo`, `bare` (docs/profiles.md)."""
    schedule: Annotated[
        Schedule,
        Flag("run", "demo", "bench fleet", "bench overhead", "bench chaos", "bench edge", is_common=True),
    ] = "overlap"
    """The order of a step's stages: `serial`, `overlap` or `speculate` (docs/schedules.md).

    `serial` is the paper's; `paper_exact` excludes `speculate`.
    """
    paper_exact: Annotated[bool, Flag("run", "suite single-step")] = False
    """Do exactly as the paper does, also where our defaults are kinder (docs/profiles.md)."""
    without: Annotated[tuple[str, ...], Flag("run", "suite single-step", nothing="none")] = ()
    """Parts of the profile to leave out, with commas, such as `planner` (docs/profiles.md)."""
    cheap_verdicts: Annotated[tuple[CheapVerdict, ...], Flag("run", "bench step", nothing="none")] = CHEAP_VERDICTS
    """Rules that may judge an action without the model, with commas; `none` turns all off (docs/verdicts.md).

    In the environment a list as JSON: `["unchanged"]`.
    """
    history: int = Field(default=5, ge=0, le=100)
    """Past actions that the operator is shown (Mobile-Agent-E, section 3.1: m)."""
    escalate_after: int = Field(default=2, ge=1, le=100)
    """Failed actions in a row after which the planner is asked to help (Mobile-Agent-E, section 3.1: k)."""
    skip_planner: bool = False
    """Let the reflector tell whether a subgoal is reached, and skip the planner until then; not with `paper_exact`."""
    reflector_sees_elements: Literal["before", "after"] = "before"
    """`after` also waits for the new screen's elements before the verdict."""
    planner_tips: bool = False
    """With `paper_exact`, tell the planner tips too: section 3.2 of Mobile-Agent-E says so, equation 1 does not."""
    chat_pictures: int = Field(default=4, ge=2, le=64)
    """Screenshots that a chat (`v1`, `native`) shows at most; in `v1` with `paper_exact` all. By default, `native`
    shows a model that was trained for phones what its makers send, but two at least (docs/model-forms.md).
    """
    actions_per_call: Annotated[int, Flag("run", "bench step")] = Field(default=3, ge=1, le=3)
    """Actions that a reply of `native` may hold at most, in our own JSON (docs/model-forms.md).

    The first surprise between two of them drops the rest. A model that is asked in its family's form writes one.
    """
    like_e: Annotated[bool, Flag("run", "suite single-step")] = False
    """Give profile `v2` the actions and initial tips of `e`, as section 4.4 of Mobile-Agent-E did to compare them."""
    elements: Annotated[Elements, Flag("run", "bench chaos")] = "vision"
    """What tells the elements of a screen: `vision`, the phone's `accessibility` tree, or `both` (docs/perception.md).

    `both` fills what the tree lacks. `paper_exact` has `vision` alone.
    """
    elements_wait_s: float = Field(default=5.0, gt=0, le=60)
    """Seconds that a screen waits for the tree; a phone that is late once is not waited for again (docs/perception.md).
    """
    captions: bool = False
    """Ask the model of the role `caption` what unnamed icons are, once for the whole fleet (docs/perception.md)."""
    caption_all: bool = False
    """With `captions`, have the model name all icons, also those that our own network names."""
    caption_wait_s: float = Field(default=0.0, ge=0, le=60)
    """Seconds that a screen waits for captions; those that come later appear on later screens."""
    settle: SettleSpec = SettleSpec()
    """When a screen counts as at rest (docs/settling.md)."""
    deadlines: dict[StageName, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    """Seconds for a call of a stage, by its name, instead of those that its profile gives it (docs/profiles.md)."""
    lease_s: float = Field(default=30.0, gt=1)
    """Seconds that a phone stays with a host that does not renew its lease."""
    no_model_s: float = Field(default=600.0, gt=0)
    """Seconds without an answer of any server of a role before tasks, running or waiting, end as `no_model`.

    docs/monitoring.md describes what happens meanwhile.
    """
    disk_wait_s: float = Field(default=600.0, gt=0)
    """Seconds that an episode holds before its next action while its run folder cannot be written."""
    takeover_s: float = Field(default=600.0, gt=0)
    """Seconds without an action of the person after which a takeover of an episode ends by itself."""
    person_wait_s: Annotated[float, Flag("run")] = Field(default=0.0, ge=0, le=604_800)
    """Seconds that an episode waits for a person for whom its model asks; 0 tells the model that nobody is there.

    `serve` waits 1800 by default.
    """

    logcat: Annotated[bool, Flag("run")] = False
    """Record each phone's `logcat` beside its episodes, in `logcat.txt` (docs/real-phones.md)."""

    def has(self, part: str) -> bool:
        """Return whether the profile has a part: it has not been left out by ``without``."""
        return part not in self.without

    @field_validator("settle", mode="before")
    @classmethod
    def _has_known_keys(cls, value: Any) -> Any:
        """Refuse unknown keys. ``SettleSpec`` is a message, which by itself ignores keys of newer versions."""
        if isinstance(value, dict) and (mistakes := unknown_keys(value, tuple(SettleSpec.model_fields))):
            raise YamlInvalid(mistakes)
        return value

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
    """Servers count as full when a token takes so many times the best time."""
    wait_s: float = Field(default=4.0, ge=0)
    """Seconds without a sign of full servers before a speculative call is admitted again."""
    longest_wait_s: float = Field(default=300.0, ge=0)
    """The longest that this wait becomes where servers are full again and again."""
    ramp_s: float = Field(default=8.0, ge=0)
    """Seconds from the first speculative call admitted until all are, or half the wait where that is longer."""
