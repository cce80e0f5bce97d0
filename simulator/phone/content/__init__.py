"""Hold the content of virtual phones: people, notes, messages, products and web pages, in English and Chinese."""
