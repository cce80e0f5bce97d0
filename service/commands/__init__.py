"""Hold the commands that use or run a service."""
