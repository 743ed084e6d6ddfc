"""Many texts: files of any size, in parallel processes."""
