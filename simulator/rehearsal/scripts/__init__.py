"""The scripts themselves, as data; README.md has their format."""
