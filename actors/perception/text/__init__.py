"""Read lines of text on a screen: OCR engines, and what all engines' lines go through."""
