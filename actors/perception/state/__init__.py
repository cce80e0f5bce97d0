"""What a screen says of the phone, from pixels alone."""
