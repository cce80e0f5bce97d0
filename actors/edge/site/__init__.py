"""Beside the phones: execute the requests of clients on the gateway of this site.

``server``            receives requests, executes each once, sends replies and pictures, publishes presence and phones
``deduplication``     replies by request, and the newest number under each lease
``request_handler``   the gateway's method and the reply for each type of request

``SentPictures`` (``actors.edge.picture_chunks``) keeps the pictures that the site sent last.
"""
