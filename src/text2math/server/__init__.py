"""The web page and the API: ``create_app`` makes them, ``text2math serve`` runs them (extra ``[server]``)."""
