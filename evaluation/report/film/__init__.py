"""Make the film of an episode."""
