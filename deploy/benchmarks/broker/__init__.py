"""What a broker and gateways take for the messages of a thousand phones."""
