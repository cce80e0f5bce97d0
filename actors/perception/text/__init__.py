"""Read lines of text on a screen: OCR engines, and the steps that the lines of all engines go through."""
