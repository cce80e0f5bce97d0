"""Where runs are: a gateway to the phones of sites behind a broker.

``mqtt_gateway``      ``actors.interfaces.Gateway`` for phones of sites, and the latency of its calls
``site_registry``     the link and all sites: routes incoming messages, finds the site of a phone
``remote_site``       one site: presence, phones, clock, and requests to it
``rpc_client``        sends a request again until its reply arrives or its deadline passes
``clock_offset``      estimates how far a site's clock is ahead
``lease_renewal``     renews the leases of a site in batches
``picture_download``  assembles, requests again and decodes the pictures of screenshots
``picture_cache``     decoded pictures, which sites do not send again
"""
