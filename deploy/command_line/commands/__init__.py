"""Hold the commands, one in each module."""
