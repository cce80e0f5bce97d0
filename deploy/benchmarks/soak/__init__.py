"""``manyhands bench soak``: check whether processes of a long run grow."""
