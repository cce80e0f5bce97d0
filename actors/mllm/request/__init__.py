"""What a request says: its body, its pictures, its coordinates, the form of the reply."""
