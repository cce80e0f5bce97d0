"""Measure what a broker and gateways need for the messages of a thousand phones."""
