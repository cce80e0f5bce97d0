"""The nodes of a cluster: whether each can do its part of a run, and which of them actors are given."""
