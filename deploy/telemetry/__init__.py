"""Show runs to Prometheus and OpenTelemetry."""
