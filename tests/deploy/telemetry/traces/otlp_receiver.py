"""A collector of OpenTelemetry for tests: real HTTP, OTLP as protobuf."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.deploy.telemetry.traces.http_thread import served

PROTOBUF = "application/x-protobuf"


@dataclass(frozen=True)
class ReceivedSpan:
    """A span as it arrived."""

    name: str
    trace: str
    id: str
    parent: str
    start: float
    end: float
    attributes: Mapping[str, Any]
    has_failed: bool

    @classmethod
    def of(cls, span: Span) -> ReceivedSpan:
        return cls(
            span.name,
            span.trace_id.hex(),
            span.span_id.hex(),
            span.parent_span_id.hex(),
            span.start_time_unix_nano / 1e9,
            span.end_time_unix_nano / 1e9,
            {one.key: value_of(one.value) for one in span.attributes},
            span.status.code == 2,
        )


def value_of(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    assert kind is not None
    return [value_of(one) for one in value.array_value.values] if kind == "array_value" else getattr(value, kind)


@dataclass
class OtlpReceiver:
    """What arrived at one port, also across its outages."""

    port: int
    status: int = 200
    spans: list[ReceivedSpan] = field(default_factory=list)
    requests: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    services: set[str] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def repeated(self) -> Mapping[str, int]:
        """The ids that arrived more than once."""
        return {id: count for id, count in Counter(span.id for span in self.spans).items() if count > 1}

    def named(self, name: str) -> Sequence[ReceivedSpan]:
        return [span for span in self.spans if span.name == name]

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Listen while the context is open."""
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/v1/traces", self._take)
        with served(app, self.port):
            yield

    async def _take(self, request: web.Request) -> web.Response:
        self.requests += 1
        self.headers = request.headers
        if self.status != 200:
            return web.Response(status=self.status, headers={"location": "http://127.0.0.1:1/"})
        assert request.content_type == PROTOBUF
        told = ExportTraceServiceRequest.FromString(await request.read())
        for resource in told.resource_spans:
            self.services |= {value_of(one.value) for one in resource.resource.attributes if one.key == "service.name"}
            self.spans += [ReceivedSpan.of(span) for scope in resource.scope_spans for span in scope.spans]
        return web.Response(body=ExportTraceServiceResponse().SerializeToString(), content_type=PROTOBUF)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])
