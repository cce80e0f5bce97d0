"""From pixels to elements: text readers, icon finders and the service in front of them."""
