"""One attempt at one task on one phone.

``episode``               the sequence of an episode and of a step: read this first
``host``                  runs many episodes, each in a task that outlives the dispatcher's order
``profile``               what a paper's loop declares: stages, needs, deadlines, failures
``schedule``              runs a graph of stages as their needs and the schedule allow
``state``, ``fold``       what an episode knows, and how its records change that
``journal``               writes these records in the background
``runtime``               its other resources, such as the lease
``recent_pictures``       the pixels of its latest screens, in memory
``log_recorder``          the log of its phone
``paused_time``           when people, a lost model or a lost store paused it
``people``                what people ask of it, and whether they hold it: the gate before each action
``lifecycle``             how it begins and is closed
``resumption``            how it resumes from its journal
``stage_context``         what a stage sees of the episode, and how it asks collaborators
``stage_output``          what a stage returned, and how the journal records it
``stages``                capture, perceive, act; a paper's own stages are in ``actors.profiles``
``cycles``                when actions go round in a circle
``endings``               which ending a limit or a failure causes
``checks``                what a check asks: the phone's state, the screen, the agent's answer, a judge

Each wait has one owner:

- the episode: ``limits.wall_s``, without time in which it was paused (``paused_time``); after that
  ``HostPool.run_episode``;
- a stage's call: the stage's ``deadline_s``, or ``episode.deadlines``. The called actor enforces it, and 2 s later
  ``StageContext.call`` does;
- a model without a server: ``episode.no_model_s``, outside the deadline (``StageContext.ask``);
- a screen that does not come to rest: ``settle.limit_ms`` (``actors.phones.settling``);
- a lost store, a full disk: ``episode.disk_wait_s`` (``WaitBudget.until_done``);
- a lease that is not renewed (``EpisodeRuntime.until_lease_lost``): ``episode.lease_s``, until the gateway ends it;
- an interrupted episode: ``in_place_s`` for its phone, ``no_host_s`` for a host (``AttemptRunner``).
"""
