"""The run folder: journals that are on disk when an append returns, and screens written once each.

Layout::

    episodes/<episode id>/journal.mh               framed records, append-only (protocol.journals)
    episodes/<episode id>/start.mh                 a second copy of its first record
    episodes/<episode id>/end.mh                   a second copy of its end
    episodes/<episode id>/journal.mh.cut-<offset>  the remains of a write that was cut off there
    screens/<content id>.png
    thumbnails/<content id>.jpg                    the same screen, 180 pixels wide

Only the folder's owner can read its files. With a key, their content is encrypted (protocol.runs.run_cipher).
"""

from manyhands.actors.store.journals import EncodedRecords, encode_records
from manyhands.actors.store.run_store import RunStore, StoreSettings

__all__ = ["EncodedRecords", "RunStore", "StoreSettings", "encode_records"]
