"""Give this process one Ray, its own or a cluster that it joins. All fleets of the process share it."""
