"""Phones that hang where Ray is not: their gateway behind a broker, and those who ask it.

``link``        messages over a broker: connections, what arrives, counts
``mqtt``        the same over a real one: ``lane`` keeps a connection up, ``connection`` is one of aiomqtt's
``settings``    where the broker is, and how its links behave
``versions``    which of ours runs here, and with which others it can speak
``pictures``    pictures in chunks: cut, and put together

``server``      a gateway beside phones, for those who ask it: each request once, the late and overtaken not at all
``answering``, ``heard``, ``kept``                      how it answers, what it has answered, pictures to be fetched

``client``      a gateway for the phones of sites, on the side of those who ask: ``actors.seams.Gateway``
``sites``       the link that it has, and the sites behind it; ``took`` what its calls took
``site``, ``asker``, ``offset``, ``renewing``           what it knows of a site, and how it asks
``looking``, ``coming``                                 the pictures that it gets, and keeps
"""
