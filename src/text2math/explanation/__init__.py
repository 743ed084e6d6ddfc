"""Why a text is read as it is, as data and as text."""
