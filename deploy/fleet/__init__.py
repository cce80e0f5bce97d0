"""A fleet: a run from its settings to its folder.

``fleet`` opens it in three steps: ``plan`` (settings, resolved and checked), ``placement`` (where phones, gateways and
models are), ``runtime`` (the actors, which ``supervisor`` starts again where a Ray of the run's own has died).

- Phones: ``phone_selection`` chooses them, ``phone_locations`` and ``gateways`` say who is asked for them at each
  place, ``transports`` how they are reached, ``virtual`` what is to be told of virtual ones.
- Models and knowledge: ``models`` finds and checks each role's, ``initial_memory`` what tasks know from the start.
- ``preflight`` checks a cluster; ``given_parts`` has what a program gives a fleet in place of its own.
- The folder: ``run_folder`` makes it, ``run_lock`` locks it, ``run_writer`` and ``run_yaml`` write it.
  ``recorded_run`` reads it for a run that is resumed; ``folder_trust`` says whether that may use secrets and files of
  this machine. ``progress`` tells where batches stand meanwhile.
"""
