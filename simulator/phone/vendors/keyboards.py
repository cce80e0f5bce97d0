"""Declare phones on which typing goes wrong."""

from manyhands.simulator.phone.vendors.vendor import Vendor, answer

COMPLETED = "Broadcasting: Intent { act=ADB_INPUT_B64 flg=0x400000 (has extras) }\nBroadcast completed: result=0\n"

NOT_PERMITTED = """Exception occurred while executing '{0}':
java.lang.SecurityException: Permission denial: requires one of: android.permission.WRITE_SECURE_SETTINGS
"""

VENDORS = (
    Vendor(
        "adb-keyboard-deaf",
        "Several: ADBKeyboard is chosen, broadcasts to it end with result=0, and nothing is typed",
        (answer("am", "broadcast .*ADB_(INPUT|CLEAR|EDITOR).*", stdout=COMPLETED),),
    ),
    Vendor(
        "broadcast-needs-package",
        "Android 14 and later, some vendors: a broadcast that names no package reaches no app",
        (
            answer("am", "broadcast (?!.*-p ).*ADB_(INPUT|CLEAR|EDITOR).*", stdout=COMPLETED),
            answer("am", "broadcast (?!.*-p ).*clipper.get.*", stdout="Broadcast completed: result=0\n"),
        ),
    ),
    Vendor(
        "ime-set-denied",
        "Xiaomi and others: the shell may not choose an input method, as it lacks WRITE_SECURE_SETTINGS",
        (
            answer("ime", "enable .*", stderr=NOT_PERMITTED.format("enable"), status=255),
            answer("ime", "set .*", stderr=NOT_PERMITTED.format("set"), status=255),
        ),
    ),
)
