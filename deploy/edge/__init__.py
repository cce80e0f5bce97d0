"""Run what serves phones through a broker: their gateway, its link to the broker, its metrics."""
