"""Phones at other places: their sites and the sites' clients meet at an MQTT broker.

``settings``                  settings of the broker, the link, the site and the gateway
``link``                      the interface of a link to a broker, its counts, the decoding of messages
``mqtt_link``                 a link over MQTT: two connections that reconnect, each over ``mqtt_connection``
``picture_chunks``            pictures, split into chunks and assembled

Where runs are, a gateway to the phones of sites:

``mqtt_gateway``              ``actors.interfaces.Gateway`` for phones of sites, and the latency of its calls
``site_registry``             the link and all sites: routes messages, finds a phone's site, renews leases in batches
``remote_site``               one site: presence, phones, how far its clock is ahead, and requests to it
``rpc_client``                sends a request again until its reply arrives or its deadline passes
``picture_download``          assembles, requests again, decodes and caches the pictures of screenshots

Beside the phones, a server that executes requests on the gateway of its site:

``site_server``               receives requests, sends replies and pictures, publishes presence and phones
``request_handler``           executes each request once: the gateway's method and the reply for each type

``SentPictures`` (``picture_chunks``) keeps the pictures that the site sent last.
"""
