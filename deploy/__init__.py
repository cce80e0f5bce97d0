"""Put Manyhands on machines: settings, commands, fleets, servers, benchmarks."""
