"""Planner, operator, reflector, notetaker: a request in, a prompt out, a reply parsed."""
