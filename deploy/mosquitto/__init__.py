"""The broker between gateways and the cluster: mosquitto with TLS, a user for each site, limits and persistence."""
