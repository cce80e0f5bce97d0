"""``manyhands doctor``: what this machine, its phones, a model server or a cluster lack for a run, and what mends it.

``findings``        one thing that was looked at; all of them as a report
``phones``          the phones that adb lists, and what was found of each
``phone_checks``    what is judged of one phone, by what it tells of itself
``phone_columns``   phones as rows of columns
``phone_steps``     the steps of docs/real-phones.md with one phone
``typing_trial``    a text typed into a phone and read back
``adb_program``     the ``adb`` that mending commands call
``models``          the models of a run's roles
``model_server``    one server: what it serves, pictures, schemas, speed
``cross_question``  a drawn cross, by which pictures and coordinates are judged
``brokers``         brokers, their sites and phones
``host``            disk, limits, ports, databases
``surroundings``    phones and a model server that nobody has named
``machine``         this machine: packages, programs, memory
``cluster``         every node of a cluster
"""
