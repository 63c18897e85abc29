"""The dashboard: pages made on the server, one thin module a feature, that work without JavaScript."""
