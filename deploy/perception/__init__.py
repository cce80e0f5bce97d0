"""The work of ``manyhands perceive``: reading picture files, drawing and scoring what was read."""
