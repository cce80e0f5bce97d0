"""Start stand-ins for phones, the model or perception if a run asks for them."""
