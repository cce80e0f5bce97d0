"""Declare phones that tell of their apps, or start them, in ways of their own."""

from manyhands.simulator.phone.vendors.vendor import Vendor, answer

OTHER_USER = """Exception occurred while executing 'list':
java.lang.SecurityException: Shell does not have permission to access user 150
\tat com.android.server.pm.PackageManagerShellCommand.runListPackages(PackageManagerShellCommand.java:842)
"""

VENDORS = (
    Vendor(
        "secure-folder",
        "Samsung with Secure Folder, phones with a work profile: 'pm list packages' without --user throws",
        (answer("pm", "list packages(?!.*--user [0-9]+).*", stderr=OTHER_USER, status=255),),
    ),
    Vendor(
        "no-system-keys",
        "Phones without keys of their own: monkey starts nothing. No other command tells an app's activity",
        (
            answer("pm", "query-activities.*", stdout="No activities found\n"),
            answer(
                "monkey",
                "(?!.*--pct-syskeys 0).*",
                stderr="** SYS_KEYS has no physical keys but with factor 2.0%.\n",
                status=251,
            ),
        ),
    ),
    Vendor(
        "two-icons",
        "Xiaomi and others: Phone and Contacts are two icons of one package",
        (
            answer(
                "pm",
                "query-activities.*",
                stdout="com.android.contacts/.activities.TwelveKeyDialer\ncom.android.contacts/.activities.PeopleActivity\n",
            ),
        ),
    ),
)
