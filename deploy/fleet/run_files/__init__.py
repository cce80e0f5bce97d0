"""Read and write the files of a run that are not of one episode."""
