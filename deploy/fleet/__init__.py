"""Open a fleet: take a run from its settings to its folder.

``fleet`` opens a run in three steps. ``plan`` resolves and checks the settings. ``placement`` finds where phones,
gateways and models are. ``runtime`` starts the actors.

- Ray: ``supervisor`` starts Ray and the actors again if the run's own Ray has died.
- Phones: ``phone_selection`` chooses the phones of a run. ``phone_locations`` and ``gateways`` say whom to ask for
  phones at each place. ``transports`` makes the way to phones. ``virtual`` finds the virtual phones among them.
- Models and knowledge: ``models`` finds and checks the model of each role. ``initial_memory`` has what tasks know from
  the start.
- Checks: ``preflight`` checks a cluster.
- Parts from a program: ``given_parts`` has what a program gives a fleet and no setting can name.
- The folder: ``run_folder`` makes it, ``run_lock`` locks it, ``run_writer`` and ``run_yaml`` write it.
- Resuming: ``recorded_run`` reads the folder of an earlier run. ``folder_trust`` says whether that folder may use this
  person's secrets and files.
- Progress: ``progress`` tells where batches stand.
"""
