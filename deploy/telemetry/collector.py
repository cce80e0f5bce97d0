"""Send spans to a collector, by the exporter of the OpenTelemetry SDK (OTLP over HTTP)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import requests
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult

PATH = "/v1/traces"
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_LOGGER = "opentelemetry.exporter.otlp.proto.http.trace_exporter"


def traces_url(endpoint: str) -> str:
    """Return the URL that takes spans. As with OTEL_EXPORTER_OTLP_ENDPOINT, the signal's path may be left out."""
    base = endpoint.rstrip("/")
    return base if base.endswith(PATH) else base + PATH


class SpanCollector:
    """Send spans to one URL. Headers, certificates and compression come from the SDK's environment variables.

    One thread sends. ``abort`` may be called from another one.
    """

    def __init__(self, endpoint: str) -> None:
        self.url = traces_url(endpoint)
        self._session = ReportingSession(self.url)
        self._exporter: OTLPSpanExporter | None = None
        self._lock = threading.Lock()
        self._log = logging.getLogger(_LOGGER)
        self._said = _LastLine()

    def __enter__(self) -> Self:
        """Take the lines that the SDK logs, because each failed attempt logs several."""
        self._log.addHandler(self._said)
        self._propagates, self._log.propagate = self._log.propagate, False
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._log.propagate = self._propagates
        self._log.removeHandler(self._said)
        self._session.close()

    def send(self, spans: Sequence[ReadableSpan], timeout_s: float) -> str | None:
        """Send spans in one request, which is repeated within ``timeout_s`` if the collector is away.

        Return None if the collector took them, else why it did not.
        """
        exporter = OTLPSpanExporter(endpoint=self.url, timeout=timeout_s, session=self._session)
        with self._lock:
            self._exporter = exporter
        self._said.line = self._session.problem = ""
        result = exporter.export(spans)
        with self._lock:
            self._exporter = None
        return None if result is SpanExportResult.SUCCESS else self._session.problem or self._said.line

    def abort(self) -> None:
        """End the waits between the attempts of the present ``send``. A request that is under way is not cut off."""
        with self._lock:
            if self._exporter is not None:
                shutdown: Callable[[], None] = self._exporter.shutdown
                shutdown()


class _LastLine(logging.Handler):
    """Keep the last line that the SDK logs."""

    def __init__(self) -> None:
        super().__init__()
        self.line = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.line = record.getMessage()


class ReportingSession(requests.Session):  # type: ignore[misc]  # requests comes without types
    """Send requests, and keep in plain words what went wrong with the last one."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.problem = ""
        if urlsplit(url).hostname in _LOOPBACK:
            self.trust_env = False  # a proxy of the environment does not reach this machine

    def request(self, *args: Any, **kwargs: Any) -> requests.Response:
        """Return the answer. Raise for a redirect too: the SDK would count it as success, and the spans were lost."""
        try:
            response = super().request(*args, **kwargs)
        except requests.Timeout:
            self.problem = "no answer in time"
            raise
        except requests.RequestException as error:
            self.problem = _reason_of(error)
            raise
        redirects = 300 <= response.status_code < 400
        target = f" to {response.headers.get('location')}" if redirects else ""
        self.problem = "" if response.ok and not redirects else f"it answers {response.status_code}{target}"
        if redirects:
            raise requests.HTTPError(self.problem)
        return response


def _reason_of(error: BaseException) -> str:
    """Return the words of the operating system in an error, such as ``Connection refused``; else the error's own."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, OSError) and inner.strerror:
            return inner.strerror
        reason = getattr(inner, "reason", None)
        wrapped = reason if isinstance(reason, BaseException) else next(iter(inner.args), None)
        inner = inner.__cause__ or (wrapped if isinstance(wrapped, BaseException) else inner.__context__)
    return str(error)
