"""``manyhands doctor``: what this machine, or a cluster, lacks for a run."""
