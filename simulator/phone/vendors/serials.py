"""Declare phones with odd serials."""

from manyhands.simulator.phone.vendors.vendor import Vendor

VENDORS = (
    Vendor(
        "serial-with-blanks",
        "Wireless debugging: a second phone of one name is announced with a number in brackets",
        serial="adb-X1Y2Z3-bT4vNe (2)._adb-tls-connect._tcp",
    ),
)
