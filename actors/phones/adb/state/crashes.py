"""Read which apps crashed, from the crash buffer of ``logcat``, and which did not respond, from ``dropbox``.

The address is ``phone://crashes/PACKAGE``. Android keeps both reports by itself for a while. Nothing is cleared, so a
caller compares two reads.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from manyhands.actors.phones.adb import dumps
from manyhands.actors.phones.adb.shell import Ask, command_line
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.phones import CRASHES, AppCrash

LONGEST_TRACE = 20_000
"""In characters."""
_MOST_BYTES = 1 << 18
_TAGS = ("data_app_anr", "system_app_anr")
_KEPT = r"^(=+$|[0-9]{4}-[0-9-]+ [0-9:]+ |Process:|PID:|Subject:|Reason:)"
"""The lines of the dropbox that tell one entry from others. An entry holds the stacks of all threads, up to 800 kB."""
_LINE = dumps.mark_parts(
    {
        "log": f"logcat -b crash -d -v threadtime,UTC | tail -c {_MOST_BYTES}",
        **{tag: f"dumpsys dropbox --print {tag} | grep -E '{_KEPT}' | tail -c {_MOST_BYTES}" for tag in _TAGS},
    }
)
"""Times of the log are in UTC: others would change when a task changes the phone's time zone."""
_PACKAGE = re.compile(r"[A-Za-z0-9_.]+")
_LOGGED = re.compile(
    r"^(?P<time>\d\d-\d\d \d\d:\d\d:\d\d\.\d+)(?: [+-]\d{4})?\s+(?P<pid>\d+)\s+\d+ [A-Z] \S+\s*: (?P<text>.*)$",
    re.MULTILINE,
)
_PROCESS = re.compile(r"^Process: ([A-Za-z0-9_.]+)", re.MULTILINE)
_REASON = re.compile(r"^(?:Reason|Subject(?!: ANR in )): (.*)$", re.MULTILINE)
"""Some versions of Android put the reason below a subject that only names the app."""
_NATIVE = re.compile(r">>> ([A-Za-z0-9_.]+)")
_ENTRY = re.compile(
    r"^=+\n(?P<day>\S+) (?P<time>\S+) (?P<tag>\w+) \(.*?\)\n(?P<text>.*?)(?=^=+\n|\Z)", re.MULTILINE | re.DOTALL
)


async def read_crashes(source: str, ask: Ask) -> dict[str, object]:
    """Return the key ``crashes``: an AppCrash, as JSON, for each crash of the package that the phone still reports.

    Raises StateUnavailable, PhoneLost.
    """
    package = source.removeprefix(CRASHES)
    if not _PACKAGE.fullmatch(package):
        raise StateUnavailable(f"{source}: no name of a package follows {CRASHES}")
    parts = dumps.marked_parts((await ask(_LINE)).text)
    if "log" not in parts:
        raise StateUnavailable(f"{source}: the phone tells no crashes")
    crashes = [one for one in _read_log(parts["log"]) if one.package == package]
    dropbox = [entry for tag in _TAGS for entry in _ENTRY.finditer(parts.get(tag, "") + "\n")]
    entries = [one for one in dropbox if _process_of(one["text"]) == package]
    for number, entry in enumerate(entries):
        trace = await _read_entry(entry, ask) if entry is entries[-1] else entry["text"]
        crashes.append(_unresponsive(entry, trace, [one["text"] for one in entries[:number]].count(entry["text"])))
    return {"crashes": [one.model_dump(mode="json") for one in crashes]}


def _read_log(log: str) -> Iterator[AppCrash]:
    """Yield the crashes of a crash buffer: of Java by AndroidRuntime, of native code by DEBUG."""
    lines: list[re.Match[str]] = []
    for line in (*_LOGGED.finditer(log), None):
        begins = line is not None and line["text"].startswith(("FATAL EXCEPTION", "*** ***"))
        if lines and (line is None or begins or line["pid"] != lines[0]["pid"]):
            crash = _crash_of(lines)
            if crash is not None:
                yield crash
            lines = []
        if line is not None and (begins or lines):
            lines.append(line)


def _crash_of(lines: list[re.Match[str]]) -> AppCrash | None:
    texts = [line["text"] for line in lines]
    process = next((match for text in texts if (match := _PROCESS.match(text) or _NATIVE.search(text))), None)
    if process is None:
        return None
    rest = [text for text in texts[1:] if not text.startswith(("Process:", "Build ", "***"))]
    signals = [text for text in rest if text.startswith("signal ")]
    return AppCrash(
        id=f"{lines[0]['time']} {lines[0]['pid']}",
        kind="crash",
        package=process[1],
        reason=next(iter([*signals, *rest]), "").strip() or "no reason was logged",
        trace="\n".join(rest)[:LONGEST_TRACE],
    )


def _process_of(text: str) -> str:
    process = _PROCESS.search(text)
    return process[1] if process else ""


async def _read_entry(entry: re.Match[str], ask: Ask) -> str:
    """Return the beginning of an entry of the dropbox, with the stack of the main thread."""
    words = ["dumpsys", "dropbox", "--print", entry["day"], entry["time"], entry["tag"]]
    text = (await ask(f"{command_line([words])} | head -c {LONGEST_TRACE}")).text
    match = _ENTRY.search(text)
    return match["text"] if match else entry["text"]


def _unresponsive(entry: re.Match[str], trace: str, earlier: int) -> AppCrash:
    """Return what the dropbox tells of an app that did not respond. ``earlier``: how many earlier entries are equal."""
    reason = _REASON.search(entry["text"])
    digest = hashlib.sha256(entry["text"].encode()).hexdigest()[:16]
    return AppCrash(
        id=f"{digest} {earlier}",
        kind="not_responding",
        package=_process_of(entry["text"]),
        reason=reason[1].strip() if reason else "no reason was reported",
        trace=trace.strip()[:LONGEST_TRACE],
    )
