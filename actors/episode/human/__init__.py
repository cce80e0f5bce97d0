"""Let a person pause, stop or take over an episode."""
