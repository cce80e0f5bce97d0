"""The run folder: journals that are on disk when an append returns, and screens written once each.

Layout::

    episodes/<episode id>/journal.mh               framed records, append-only (protocol.journal)
    episodes/<episode id>/journal.mh.cut-<offset>  what a write that was cut off had left there
    screens/<content id>.png

Only its owner can read any of it.
"""

from manyhands.actors.store.framed import Framed, framed
from manyhands.actors.store.run_store import RunStore, StoreSettings

__all__ = ["Framed", "RunStore", "StoreSettings", "framed"]
