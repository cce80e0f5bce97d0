"""Collect the declarations of vendors' phones, and read which phones of a fleet have which."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from manyhands.protocol.errors import BadInput
from manyhands.simulator.phone import vendors as package
from manyhands.simulator.phone.vendors.vendor import Vendor


@cache
def all_vendors() -> Mapping[str, Vendor]:
    """Return every declaration of this package, by name."""
    modules = (
        importlib.import_module(found.name) for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    )
    declared = [vendor for module in modules for vendor in getattr(module, "VENDORS", ())]
    return {vendor.name: vendor for vendor in sorted(declared, key=lambda vendor: vendor.name)}


def vendors_of_phones(names: Iterable[str], count: int) -> list[Sequence[Vendor]]:
    """Return the vendors of each of ``count`` phones. A name is for all phones; ``NAME@INDEX`` is for one, from 0.

    Raises BadInput.
    """
    phones: list[list[Vendor]] = [[] for _ in range(count)]
    for text in names:
        name, separator, index = text.partition("@")
        if name not in all_vendors():
            raise BadInput(f"--vendor {name}: there are {', '.join(all_vendors())}")
        if not separator:
            chosen = phones
        elif index.isdecimal() and int(index) < count:
            chosen = [phones[int(index)]]
        else:
            raise BadInput(f"--vendor {text}: write NAME, or NAME@INDEX with an index from 0 to {count - 1}")
        for vendors in chosen:
            vendors.append(all_vendors()[name])
    return [*phones]
