"""Declare the papers' profiles for all packages, and find them in a registry.

A declaration is data that needs only ``protocol``. So the simulator and the evaluation, which do not import ``actors``,
know a profile's replies and comparison sheets. A declaration names the profile's loop, and the part of the rehearsed
model that answers for it, by references; only code that needs these objects imports them.
"""

from manyhands.protocol.profiles.declaration import (
    ComparisonSheet,
    ProfileDeclaration,
    ProfileRegistry,
    ProfileUnusable,
    import_object,
    registered_profiles,
)

__all__ = [
    "ComparisonSheet",
    "ProfileDeclaration",
    "ProfileRegistry",
    "ProfileUnusable",
    "import_object",
    "registered_profiles",
]
