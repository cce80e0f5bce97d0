"""What people ask of a running episode, and who controls it.

``interventions``  carries out each thing that a person asks
``takeover``       a person acts on the phone
``human_control``  who controls the episode: the agent, or a person
"""
