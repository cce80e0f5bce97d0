"""Provide what all stand-ins for model servers share.

``model_server``  answers HTTP requests like vLLM: models, health, metrics, chat completions
``settings``      where a server listens, how fast it answers, how often it is wrong
``capacity``      limits requests: how many run at once, how long each takes, how many tokens a second all write
``shared_speed``  divides the tokens a second among the requests
``draws``         draws numbers that look random and are the same in every run
``made_tokens``   makes ids of tokens and log probabilities by a made tokenizer
``plain_reply``   makes the simplest valid reply of any type
``command_line``  reads options, and serves until the process is to end
``stdin``, ``shutdown``  tell a process of the simulator when to end
"""
