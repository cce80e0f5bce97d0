"""What a gateway beside phones and those who ask it say to each other, through a broker.

``topics``      where each message goes
``messages``    a request and a reply for each method of ``actors.seams.Gateway``, presence, chunks of pictures
``wire``        the bytes of a message, in which a flipped bit is always found
"""
