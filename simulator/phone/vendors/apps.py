"""Declare phones that tell of their apps, or start them, in ways of their own."""

from manyhands.simulator.phone.vendors.vendor import Vendor, answer, rewrite

OTHER_USER = """Exception occurred while executing 'list':
java.lang.SecurityException: Shell does not have permission to access user 150
\tat com.android.server.pm.PackageManagerShellCommand.runListPackages(PackageManagerShellCommand.java:842)
"""

READ_DENIED = """Error while accessing provider:sms
java.lang.SecurityException: Permission Denial: opening provider com.android.providers.telephony.SmsProvider from \
(null) (pid=4711, uid=2000) requires android.permission.READ_SMS
"""
ICONS = (
    "com.android.contacts/.activities.TwelveKeyDialer",
    "com.android.contacts/.activities.PeopleActivity",
)
LABELS = ("Telefon", "Kontakte")
ROWS = "".join(
    f"Row: {row} label={label}, package=com.android.contacts, activity={icon.partition('/')[2]}\n"
    for row, (label, icon) in enumerate(zip(LABELS, ICONS, strict=True))
)

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
        (answer("pm", "query-activities.*", stdout="\n".join((*ICONS, ""))),),
    ),
    Vendor(
        "labels-of-icons",
        "Several: a provider tells a label for each icon, so a package has several rows",
        (
            answer("pm", "query-activities.*", stdout="\n".join((*ICONS, ""))),
            answer("content", "query --uri [^ ]*/apps", stdout=ROWS),
        ),
    ),
    Vendor(
        "second-user",
        "A second user is in front: the apps of user 0 may not be listed",
        (
            answer("am", "get-current-user", stdout="10\n"),
            answer("pm", "list packages(?!.*--user 10).*", stderr=OTHER_USER.replace("150", "0"), status=255),
            rewrite("pm", "list packages.*--user 10.*", r"\Z", "package:com.example.ofuser10 versionCode:1\n"),
        ),
    ),
    Vendor(
        "messages-denied",
        "Xiaomi and others: the shell may not read messages",
        (answer("content", "query --uri content://sms.*", stderr=READ_DENIED),),
    ),
)
