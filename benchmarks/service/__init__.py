"""``manyhands bench service``: measure what a service costs beside its fleet."""
