"""``manyhands bench scaling``: compute what fleets need, from assumed or measured figures of a model server."""
