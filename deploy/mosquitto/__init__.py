"""Run mosquitto, the broker between gateways and the cluster: TLS, a user for each site, limits, persistence."""
