"""What runs beside phones: their gateway, its end of the link to a broker, its metrics."""
