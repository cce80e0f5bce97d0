"""What ``manyhands perceive`` does: picture files, what is read off them, drawings and tables of it."""
