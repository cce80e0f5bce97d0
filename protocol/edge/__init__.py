"""Define the protocol between a site, which serves phones, and its clients, over an MQTT broker.

``topics``      names of topics, and the parser
``messages``    a request and a reply for each method of a gateway, and announcements
``wire``        the bytes of a message with a checksum, and the names of messages on the wire
"""
