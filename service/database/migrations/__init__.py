"""Hold the migrations of the service's database, in ``versions``. ``migration`` applies them."""
