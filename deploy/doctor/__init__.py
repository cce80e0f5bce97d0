"""Find what this machine, its phones, model servers or a cluster lack for a run, and how to mend it.

``manyhands doctor`` shows the findings.

``examination``     runs all checks of this machine; examines brokers, their sites and phones
``findings``        holds one finding; collects findings in a report
``phones``          examines the phones that adb lists
``phone_checks``    judges one phone by what its shell tells and how it types
``phone_steps``     goes through docs/real-phones.md with one phone
``model_server``    examines the servers of a run's models: what each serves, pictures, schemas, speed, and where they
                    see a drawn cross
``surroundings``    finds phones and a model server that no setting names
``machine``         examines this machine: packages, programs, memory, disk, limits, ports, databases
``cluster``         examines every node of a cluster
"""
