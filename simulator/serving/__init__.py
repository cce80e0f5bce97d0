"""What the stand-ins of model servers share.

``model_server``  the HTTP side, as vLLM has it: models, health, metrics, chat completions
``settings``      where a server listens and how fast it answers
``capacity``      places for requests, least times and a shared rate of tokens
``draws``         numbers that look random and are the same in every run
``plain_reply``   the plainest valid reply of any type
``command_line``  options, and serving until the process is to end
``stdin``, ``shutdown``  how a process of the simulator learns that
"""
