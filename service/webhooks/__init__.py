"""Tell webhooks of events, in the form of Standard Webhooks, and never hold up anything else.

``signatures``   secrets, message ids, and the headers that let a receiver check who sent a message
``addresses``    which network addresses no event is sent to
``interfaces``   what the delivery needs of the database
``post``         one POST to a receiver, under a deadline
``courier``      sends what is due, a bounded number at a time, until each delivery has ended
"""
