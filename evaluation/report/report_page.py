"""Make the HTML page of a report from the application in ``assets/``, and encode the data that the page shows.

A content security policy lets a page run the report's own script, and reach no network. Nothing that a screen or a
model says is in the page itself: all of it is data.

A payload is JSON, compressed, in base64. It has a name: ``run``, ``episodes/ID``, ``calls/ID`` or ``logs/ID``. A page
that was opened from a disk may not fetch files, but it may load scripts. So in a folder each payload is a script that
hands its name and data to a function of the page.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Sequence
from importlib import resources

from pydantic import TypeAdapter

from manyhands.protocol.episode_report import EpisodeReport, StepCalls
from manyhands.protocol.run_report import DifferenceReport, RunReport

RUN, DIFFERENCE = "run", "diff"
_LEVEL = 6
_CALLS = TypeAdapter(tuple[StepCalls, ...])


def payload_of(report: RunReport | EpisodeReport | DifferenceReport) -> bytes:
    """Return the payload of a page, in base64."""
    return encode_payload(report.model_dump_json().encode())


def payload_of_calls(calls: Sequence[StepCalls]) -> bytes:
    """Return the payload of what an episode's model calls sent and received, in base64."""
    return encode_payload(_CALLS.dump_json(tuple(calls)))


def payload_of_log(lines: Sequence[str]) -> bytes:
    """Return the payload of a log's lines, in base64."""
    return encode_payload(json.dumps(lines).encode())


def encode_payload(value: bytes) -> bytes:
    """Return JSON in compressed form, in base64. Equal values give equal payloads."""
    return base64.b64encode(gzip.compress(value, _LEVEL, mtime=0))


def script_of(name: str, payload: bytes) -> bytes:
    """Return the script that hands a payload to the page."""
    quoted = json.dumps(name).replace("<", "\\u003c")
    return b'manyhandsReport(%s,"%s")\n' % (quoted.encode(), payload)


def payload_in(script: bytes) -> bytes:
    """Return the payload of a script that ``script_of`` made."""
    return script.rsplit(b'"', 2)[1]


_HEAD = '<meta charset="utf-8" />'
_SCRIPT, _STYLE = '<script src="report/report.js"></script>', '<link rel="stylesheet" href="report/report.css" />'
_APP = '<div id="app">'
_IN_FOLDER = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file: data: blob:; "
    "font-src 'self' file:; base-uri 'none'; form-action 'none'"
)
_IN_FILE = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; img-src data: blob:; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def read_asset(name: str) -> str:
    """Return a file of the application: ``report.html``, ``report.js`` or ``report.css``."""
    return resources.files("manyhands.evaluation.report").joinpath("assets", name).read_text(encoding="utf-8")


def folder_page(first: str) -> str:
    """Return the page of a report in a folder. ``first``: the payload that the page shows first."""
    return _with_policy(_with_first(read_asset("report.html"), first), _IN_FOLDER)


def file_page(first: str) -> tuple[str, str]:
    """Return the parts of a page in one file: all before the payloads, and all after them."""
    script, style = read_asset("report.js").strip(), read_asset("report.css").strip()
    policy = _IN_FILE.format(script=_digest(script), style=_digest(style))
    page = _with_policy(_with_first(read_asset("report.html"), first), policy)
    before, _, after = page.replace(_STYLE, f"<style>{style}</style>").partition(_SCRIPT)
    return before, f"<script>{script}</script>{after}"


def _with_first(page: str, first: str) -> str:
    return page.replace(_APP, f'<div id="app" data-first="{first}">')


def _with_policy(page: str, policy: str) -> str:
    return page.replace(_HEAD, f'{_HEAD}\n    <meta http-equiv="Content-Security-Policy" content="{policy}" />')


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
