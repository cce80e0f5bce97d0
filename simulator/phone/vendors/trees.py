"""Declare phones whose trees of views have values that no XML parser takes, or that no screen has."""

from manyhands.simulator.phone.vendors.vendor import Vendor, rewrite

VENDORS = (
    Vendor(
        "half-emoji",
        "A text that an app cut within an emoji, and one that ends in NUL: the dump has references that XML forbids",
        (rewrite("uiautomator", "dump.*", '="(Settings|Notes|Shop)"', r'="\1&#55357;&#0;"'),),
    ),
    Vendor(
        "odd-bounds",
        "A view without a layout: its sides are 2147483647, and another one has no bounds",
        (
            rewrite("uiautomator", "dump.*", r'(="Notes".*?bounds=)"[^"]*"', r'\1"[0,0][2147483647,2147483647]"'),
            rewrite("uiautomator", "dump.*", r'(="Shop".*?) bounds="[^"]*"', r"\1"),
        ),
    ),
)
