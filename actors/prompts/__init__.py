"""Prompt templates, one folder per profile."""
