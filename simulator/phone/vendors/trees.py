"""Declare phones whose trees of views cannot be read, or have values that no XML parser takes or no screen has."""

from manyhands.simulator.phone.vendors.vendor import Vendor, answer, rewrite

VENDORS = (
    Vendor(
        "half-emoji",
        "A text that an app cut within an emoji: the dump has a reference that XML forbids",
        (rewrite("uiautomator", "dump.*", '="(Settings|Notes|Shop)"', r'="\1&#55357;"'),),
    ),
    Vendor(
        "nul-in-text",
        "A text that ends in NUL: the dump has a reference that XML forbids",
        (rewrite("uiautomator", "dump.*", '="(Settings|Notes|Shop)"', r'="\1&#0;"'),),
    ),
    Vendor(
        "endless-bounds",
        "A view without a layout: its sides are 2147483647",
        (rewrite("uiautomator", "dump.*", r'(="Notes".*?bounds=)"[^"]*"', r'\1"[0,0][2147483647,2147483647]"'),),
    ),
    Vendor(
        "missing-bounds",
        "A view without bounds",
        (rewrite("uiautomator", "dump.*", r'(="Shop".*?) bounds="[^"]*"', r"\1"),),
    ),
    Vendor(
        "uiautomator-busy",
        "Apps with films and maps: uiautomator waits for a window that never rests, and gives no views",
        (answer("uiautomator", "dump.*", stderr="ERROR: could not get idle state.\n"),),
    ),
)
