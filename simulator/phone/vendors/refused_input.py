"""Declare phones that refuse what a finger would do."""

from manyhands.simulator.phone.vendors.vendor import Vendor, answer

INJECT_EVENTS = """Exception occurred while executing '{0}':
java.lang.SecurityException: Injecting input events requires the caller (or the source of the instrumentation, if any) \
to have the INJECT_EVENTS permission.
\tat android.os.Parcel.createExceptionOrNull(Parcel.java:3011)
\tat com.android.server.input.InputShellCommand.onCommand(InputShellCommand.java:176)
"""

VENDORS = (
    Vendor(
        "input-refused",
        "Xiaomi, Redmi and Poco without 'USB debugging (Security settings)': the screen is seen, no input is injected",
        (answer("input", ".*", stderr=INJECT_EVENTS.format("tap"), status=255),),
    ),
)
