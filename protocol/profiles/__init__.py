"""The papers' profiles as far as everybody knows them: their declarations, and the registry that finds them.

A declaration is data in terms of ``protocol`` alone. So the simulator and the evaluation, which import nothing of
``actors``, know a profile's replies and sheets; its loop and what the rehearsed model writes are named by references,
and imported by those who need them.
"""

from manyhands.protocol.profiles.declaration import ComparisonSheet, ProfileDeclaration
from manyhands.protocol.profiles.registry import ProfileRegistry, ProfileUnusable, import_object, registered_profiles

__all__ = [
    "ComparisonSheet",
    "ProfileDeclaration",
    "ProfileRegistry",
    "ProfileUnusable",
    "import_object",
    "registered_profiles",
]
