"""The commands, one file each: thin shells over the library."""
