"""The stages of v1: decide(t), confirm(t), locate(t); how an operation becomes atoms."""
