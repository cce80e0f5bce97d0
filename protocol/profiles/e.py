"""Declare the profiles of Mobile-Agent-E and Mobile-Agent-E + Evo. Both use the replies that each role has."""

from __future__ import annotations

from dataclasses import replace

from manyhands.protocol.profiles.declaration import (
    ASKING,
    CAPTIONS,
    ELEMENTS,
    VERDICTS,
    ComparisonSheet,
    ProfileDeclaration,
)

DECLARATION = ProfileDeclaration(
    name="e",
    paper="Mobile-Agent-E",
    loop="manyhands.actors.profiles.e:PROFILE",
    uses=CAPTIONS
    | ELEMENTS
    | VERDICTS
    | ASKING
    | {"history", "escalate_after", "skip_planner", "reflector_sees_elements", "planner_tips"},
    sheets=(
        ComparisonSheet("As Mobile-Agent-E, tables 3 and 4", "e", (), (("e", 3), ("e", 4))),
        ComparisonSheet("As Mobile-Agent-E, table 5", "seconds", (), (("e", 5),)),
    ),
    needed_by_rehearsed=("planner", "elements", "history"),
)
EVO_DECLARATION = replace(DECLARATION, name="e+evo", loop="manyhands.actors.profiles.e_evo:PROFILE", sheets=())
