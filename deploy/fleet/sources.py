"""Say what a run's phones and models were, where some were stand-ins: by the names that they give to themselves."""

from __future__ import annotations

from collections.abc import Collection

from manyhands.protocol.phones import PhoneInfo

REHEARSED_MODEL = "manyhands-rehearsed"
"""The name under which the rehearsed model serves, so that nobody takes it for another."""
REHEARSED_SOURCE = "the rehearsed model, a stand-in for Qwen-VL; none of its figures is a figure of Qwen-VL"
CANNED_MODEL = "manyhands-canned"
CANNED_SOURCE = "the canned model: fixed replies, no look at a picture; none of its figures is a figure of Qwen-VL"
MODEL_SOURCES = {REHEARSED_MODEL: REHEARSED_SOURCE, CANNED_MODEL: CANNED_SOURCE}
"""What models are, by the name under which they serve."""
VIRTUAL_SOURCE = "virtual phones; none of their figures is a figure of real phones"
CANNED_PHONES_SOURCE = (
    "canned phones, which show a few fixed pictures in turn; none of their figures is a figure of real phones"
)
_VIRTUAL_PRODUCT = "manyhands_"
_CANNED_PRODUCT = "manyhands_canned_phone"


def is_virtual(phone: PhoneInfo) -> bool:
    """Return whether a phone is a virtual one, however it was started."""
    return phone.product.startswith(_VIRTUAL_PRODUCT)


def describe_phones(virtual: Collection[PhoneInfo], all_phones: int) -> str:
    """Return what the phones of a run were, of which some were virtual."""
    canned = sum(phone.product == _CANNED_PRODUCT for phone in virtual)
    kinds = ((len(virtual) - canned, VIRTUAL_SOURCE), (canned, CANNED_PHONES_SOURCE))
    return "; ".join(
        source if count == all_phones else f"{count} of the {all_phones} phones are {source}"
        for count, source in kinds
        if count
    )
