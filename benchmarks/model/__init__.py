"""``manyhands bench model``: measure a model server with recorded prompts, under a growing number of phones."""
