"""The nodes of a cluster: whether each can do its part of a run."""
