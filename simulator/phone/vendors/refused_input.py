"""Declare phones that refuse what a finger would do."""

from manyhands.simulator.phone.vendors.vendor import Vendor, answer

INJECT_EVENTS = """Exception occurred while executing '{0}':
java.lang.SecurityException: Injecting input events requires the caller (or the source of the instrumentation, if any) \
to have the INJECT_EVENTS permission.
\tat android.os.Parcel.createExceptionOrNull(Parcel.java:3011)
\tat com.android.server.input.InputShellCommand.onCommand(InputShellCommand.java:176)
"""
OLD_INJECT_EVENTS = "java.lang.SecurityException: Injecting to another application requires INJECT_EVENTS permission\n"
NOT_EXPORTED = """Exception occurred while executing 'start':
java.lang.SecurityException: Permission Denial: starting Intent { act=android.intent.action.MAIN flg=0x10200000 } from \
null (pid=4711, uid=2000) not exported from uid 10123
"""

VENDORS = (
    Vendor(
        "input-refused",
        "Xiaomi, Redmi and Poco without 'USB debugging (Security settings)': the screen is seen, no input is injected",
        (answer("input", ".*", stderr=INJECT_EVENTS.format("tap"), status=255),),
    ),
    Vendor(
        "input-refused-as-done",
        "Oppo, Realme and older phones: the refusal is printed, and the exit status is 0",
        (answer("input", stdout=OLD_INJECT_EVENTS),),
    ),
    Vendor(
        "input-dropped",
        "Phones with a policy or a window above all others: input ends with status 0, and nothing happens",
        (answer("input"),),
    ),
    Vendor(
        "start-refused",
        "Several vendors: a launcher's activity that is not exported cannot be started from the shell",
        (answer("am", "start .*", stdout=f"Starting: Intent {{ }}\n{NOT_EXPORTED}", status=255),),
    ),
)
