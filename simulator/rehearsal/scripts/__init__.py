"""The scripts themselves, as data; README.md says how they are written."""
