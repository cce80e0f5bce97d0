"""Encode data for the pages of a report.

A payload is JSON, compressed, in base64. It has a name: ``run``, ``episodes/ID``, ``calls/ID`` or ``logs/ID``. A page
that was opened from a disk may not fetch files, but it may load scripts. So in a folder each payload is a script that
hands its name and data to a function of the page.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence

from pydantic import TypeAdapter

from manyhands.protocol.reports.difference_report import DifferenceReport
from manyhands.protocol.reports.episode_report import EpisodeReport, StepCalls
from manyhands.protocol.reports.run_report import RunReport

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
