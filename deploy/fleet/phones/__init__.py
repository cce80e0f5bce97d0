"""Find, choose and reach the phones of a run."""
