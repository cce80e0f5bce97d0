"""Hold what is no type: YAML files, clocks, texts for people, files of one owner."""
