"""Hold the scripts of the rehearsed model as data. README.md describes their format."""
