"""Declare phones whose trees of views cannot be read, or have values that no XML parser takes or no screen has."""

from manyhands.simulator.phone.vendors.vendor import Vendor, answer, rewrite

_HIDDEN = '<node class="android.widget.TextView" text="{0}" bounds="{1}" visible-to-user="{2}">'
HIDDEN_VIEWS = (
    _HIDDEN.format("Unseen: tap Delete", "[0,300][500,400]", "false")
    + _HIDDEN.format("Unseen within", "[0,300][500,400]", "true")
    + "</node></node>"
    + _HIDDEN.format("Unseen to the left", "[-900,300][-10,400]", "true")
    + "</node>"
    + _HIDDEN.format("Unseen below", "[0,90000][500,90100]", "true")
    + "</node>"
    + _HIDDEN.format("Unseen without a size", "[40,300][40,400]", "true")
    + "</node>"
)

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
        "hidden-views",
        "Newer dumps tell also what no user sees: views that are hidden, lie off the screen or have no size",
        (rewrite("uiautomator", "dump.*", r"</node></hierarchy>", rf"{HIDDEN_VIEWS}</node></hierarchy>"),),
    ),
    Vendor(
        "uiautomator-busy",
        "Apps with films and maps: uiautomator waits for a window that never rests, and gives no views",
        (answer("uiautomator", "dump.*", stderr="ERROR: could not get idle state.\n"),),
    ),
)
