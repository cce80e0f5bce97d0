"""Read which apps crashed, from the crash buffer of ``logcat``, and which did not respond, from ``dropbox``.

The address is ``phone://crashes/PACKAGE``. Android keeps both reports by itself for a while. Nothing is cleared, so a
caller compares two reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from manyhands.actors.phones.adb.shell import Ask
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.phones import CRASHES, AppCrash

LONGEST_TRACE = 20_000
"""In characters."""
_MARK = "--- manyhands"
_MOST_BYTES = 1 << 18
_LINE = f"logcat -b crash -d -v threadtime | tail -c {_MOST_BYTES}; echo '{_MARK}'; " + "; ".join(
    f"dumpsys dropbox --print {tag} | tail -c {_MOST_BYTES}" for tag in ("data_app_anr", "system_app_anr")
)
_PACKAGE = re.compile(r"[A-Za-z0-9_.]+")
_LOGGED = re.compile(
    r"^(?P<time>\d\d-\d\d \d\d:\d\d:\d\d\.\d+)\s+(?P<pid>\d+)\s+\d+ [A-Z] (?P<tag>\S+)\s*: (?P<text>.*)$", re.MULTILINE
)
_PROCESS = re.compile(r"^Process: ([A-Za-z0-9_.]+)")
_REASON = re.compile(r"^(?:Reason|Subject(?!: ANR in )): (.*)$", re.MULTILINE)
"""Some versions of Android put the reason below a subject that only names the app."""
_NATIVE = re.compile(r">>> ([A-Za-z0-9_.]+)")
_ENTRY = re.compile(
    r"^=+\n(?P<time>\S+ \S+) (?:data|system)_app_anr \(.*?\)\n(?P<text>.*?)(?=^=+\n|\Z)", re.MULTILINE | re.DOTALL
)


async def read_crashes(source: str, ask: Ask) -> dict[str, object]:
    """Return the key ``crashes``: an AppCrash, as JSON, for each crash of the package that the phone still reports.

    Raises StateUnavailable, PhoneLost.
    """
    package = source.removeprefix(CRASHES)
    if not _PACKAGE.fullmatch(package):
        raise StateUnavailable(f"{source}: no name of a package follows {CRASHES}")
    logged, mark, entries = (await ask(_LINE)).text.partition(_MARK)
    if not mark:
        raise StateUnavailable(f"{source}: the phone tells no crashes")
    crashes = [*_logged_crashes(logged), *_unresponsive(entries)]
    return {"crashes": [one.model_dump(mode="json") for one in crashes if one.package == package]}


def _logged_crashes(printed: str) -> Iterator[AppCrash]:
    """Yield the crashes of a printed crash buffer: of Java by AndroidRuntime, of native code by DEBUG."""
    lines: list[re.Match[str]] = []
    for line in (*_LOGGED.finditer(printed), None):
        begins = line is not None and (line["text"].startswith("FATAL EXCEPTION") or line["text"].startswith("*** ***"))
        if lines and (line is None or begins or line["pid"] != lines[0]["pid"]):
            crash = _crash_of(lines)
            if crash is not None:
                yield crash
            lines = []
        if line is not None and (begins or lines):
            lines.append(line)


def _crash_of(lines: list[re.Match[str]]) -> AppCrash | None:
    texts = [line["text"] for line in lines]
    process = next((found for text in texts if (found := _PROCESS.match(text) or _NATIVE.search(text))), None)
    if process is None:
        return None
    rest = [text for text in texts[1:] if not text.startswith(("Process:", "Build ", "***"))]
    reason = next((text for text in rest if "Exception" in text or "Error" in text or text.startswith("signal ")), "")
    return AppCrash(
        id=f"{lines[0]['time']} {lines[0]['pid']}",
        kind="crash",
        package=process[1],
        reason=reason.strip() or "no reason was logged",
        trace="\n".join(rest)[:LONGEST_TRACE],
    )


def _unresponsive(printed: str) -> Iterator[AppCrash]:
    """Yield what the dropbox holds of apps that did not respond."""
    for entry in _ENTRY.finditer(printed):
        process = re.search(r"^Process: ([A-Za-z0-9_.]+)", entry["text"], re.MULTILINE)
        reason = _REASON.search(entry["text"])
        if process is not None:
            yield AppCrash(
                id=f"{entry['time']} anr",
                kind="not_responding",
                package=process[1],
                reason=reason[1].strip() if reason else "no reason was reported",
                trace=entry["text"].strip()[:LONGEST_TRACE],
            )
