"""``manyhands bench memory``: what a memory that knows much takes to be read and searched."""
