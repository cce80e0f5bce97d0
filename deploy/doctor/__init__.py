"""Find what this machine, its phones, model servers or a cluster lack for a run, and how to mend it.

``manyhands doctor`` shows the findings.

``examination``     runs all checks of this machine
``findings``        holds one finding; collects findings in a report
``phones``          examines the phones that adb lists
``phone_checks``    judges one phone by what its shell tells
``phone_steps``     goes through docs/real-phones.md with one phone
``typing_trial``    types a text into a phone and reads it back
``adb_program``     finds the ``adb`` for the commands that mend something
``model_server``    examines the servers of a run's models: what each serves, pictures, schemas, speed
``cross_question``  asks a model where a drawn cross is, to judge pictures and coordinates
``brokers``         examines brokers, their sites and phones
``host``            examines disk, limits, ports, databases
``surroundings``    finds phones and a model server that no setting names
``machine``         examines packages, programs and memory of this machine
``cluster``         examines every node of a cluster
"""
