"""Hold the migrations of the service's database. ``migration`` applies them."""
