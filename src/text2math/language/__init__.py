"""Reading a text: words, numbers, units, what it asks for."""
