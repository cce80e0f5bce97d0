"""Long-term memory: tips and shortcuts."""
