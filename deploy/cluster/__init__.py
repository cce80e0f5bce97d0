"""The Ray of this process: one of its own, or a running cluster that it joins; all fleets of the process share it."""
