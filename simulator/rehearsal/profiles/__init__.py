"""Answer as the agents of each profile."""
