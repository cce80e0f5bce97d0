"""One attempt at one task on one phone.

``episode``               the sequence of an episode and of a step: read this first
``host``                  runs many episodes, each in a task that outlives the dispatcher's order
``profile``               what a paper's loop declares: stages, needs, deadlines, failures
``schedule``              runs a graph of stages as their needs and the schedule allow
``state``, ``journal``    what an episode knows: a fold of its records, which are written in the background
``runtime``               its other resources, such as the lease
``recent_pictures``       the pixels of its latest screens, in memory
``outage_log``            when no server of a model answered
``store_wait``            how long it waits for a lost store or a full disk
``human_control``         whether people hold it: the gate before each action
``interventions``         what people ask of it: pause, stop, take over
``takeover``              the actions of a person who has taken it over
``start``, ``resume``     how it begins, or resumes from its journal
``stage_context``         what a stage sees of the episode, and how it asks collaborators
``stage_output``          what a stage returned, and how the journal records it
``stages``                capture, perceive, act; a paper's own stages are in ``actors.profiles``
``atomic_actions``        the atoms that carry out an action
``verdicts``              whether an action did what was expected, by rules
``shortcuts``             whether a shortcut may be used, and how its use ended
``endings``               which ending a limit or a failure causes
``answer``                the answer to a task that asks for information
``check``, ``evidence``   what a check asks: the phone's state, the screen, the agent's answer
``judge``                 what a model says of the statements in a check
``side_effects``          what changed in the states that the task must leave unchanged
``closure``               how the journal is closed

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
