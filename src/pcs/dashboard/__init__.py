"""The dashboard's door: pages made on the server, one thin module a feature, that work without JavaScript."""
