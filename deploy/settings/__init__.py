"""The settings of a run: each is declared once, its flag, its page and the keywords of Fleet are made from that."""
