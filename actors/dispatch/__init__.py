"""The dispatcher: it assigns tasks to phones, and reassigns the tasks of lost phones.

The path of a task:

1. ``Dispatcher._serve`` (``dispatcher``), one coroutine for each phone, takes attempts until every task is decided.
2. ``Batch.next_attempt`` (``batch``) returns none while a ``Requirement`` (``missing_requirements``) reports that
   something is missing: a host, or a model server of some role.
3. ``TaskQueue.take`` (``task_queue``) gives the next ``Attempt`` at a task: by priority, then by turns of the tasks'
   owners (``turn_queue``), among the tasks whose selectors choose the phone.
4. ``AttemptRunner.run`` (``attempt_runner``) takes a lease (``leases``) and runs the attempt through all
   interruptions of its episode (docs/recovery.md).
5. ``HostPool.run_episode`` (``hosts``) sends the ``EpisodeOrder`` to the least busy host. It waits for the task's
   ``wall_s`` plus ``overtime_s``, but not for a silent host.
6. ``TaskQueue.settle`` decides the task once. An interrupted attempt (``RETRIED_ENDINGS``) that cannot be resumed is
   started again. The first three restarts of an attempt do not count as attempts; a further one does. ``attempts``
   limits how many attempts a task has. An attempt that did not pass is followed by another one while the task has
   ``retries`` left.

Only ``attach`` finds out whether a lost phone is back. The dispatcher tries ``attach`` at least every 5 s, because adb
does not list a network phone that it has lost. Only ``Dispatcher._give_up_in_time`` gives up waiting tasks, for one of
two reasons. A requirement has been missing for longer than its patience: 10 minutes for phones and hosts,
``episode.no_model_s`` for a model. Or nothing at all has run for an hour; time in which a model was missing does not
count. An open-ended batch, such as a service has, waits without these limits. For a task that no phone ever had, the
dispatcher writes a journal: ``EpisodeStarted`` with the serial ``""``, then ``EpisodeEnded``.

Besides that path:

``batch``, ``batch_recovery``     a batch while it runs; its state if it was partly run
``missing_requirements``          what a batch needs besides its tasks: hosts, model servers, leave to run
``hosts``                         the pool of hosts; one host as the dispatcher sees it, how its death is noticed
``start_rule``                    which tasks may start: canaries first, none after too many failures
``leases``, ``phone_health``      leases on phones; which phones can be used, and when lost ones are retried
``lessons``                       what episodes teach once they have ended; what tasks know before they start
``episode_sessions``              the episodes' sessions at a trainer's gateway
``episode_journals``              ids and results of episodes, also of tasks that never ran
``run_control``                   orders of people and of a service to a run: pause, drain, cancel, add, reserve
``deadlines``                     calls to others, each with a deadline
"""
