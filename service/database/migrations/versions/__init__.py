"""Hold one module for each change of the tables. Released modules never change."""
