"""Open a fleet: take a run from its settings to its folder.

``fleet`` opens a run in three steps. ``plan`` resolves and checks the settings, and finds where phones, gateways and
models are. ``runtime`` starts the actors. ``supervisor`` starts Ray and the actors again if the run's own Ray has died.

- Phones: ``phones`` finds, chooses and reaches them.
- Models and knowledge: ``model_servers`` finds and checks the model of each role. ``initial_memory`` has what tasks
  know from the start.
- Parts from a program: ``given_parts`` has what a program gives a fleet and no setting can name.
- The folder: ``run_files`` makes it, locks it, writes it, and reads that of an earlier run.
- Progress: ``progress`` tells where batches stand.
"""
