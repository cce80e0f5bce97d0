"""Turn run folders into what trainers read: one row for each model call, or one record for each episode.

``plan`` reads the journals once and chooses episodes (``filters``); ``rows`` reads one episode at a time; ``formats``
write rows in the forms of trainers; ``export`` does it part by part, so that it can go on; ``redaction`` finds what no
export may hold; ``card`` describes the result. Models and phones are not asked. ``environment`` serves phones to
trainers whose own model acts.
"""
