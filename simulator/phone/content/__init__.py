"""Seeded content of virtual phones: people, notes, messages, a shop's catalogue, web pages, in English and Chinese."""
