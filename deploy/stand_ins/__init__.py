"""Start stand-ins for phones and for the model, where a run asks for them."""
