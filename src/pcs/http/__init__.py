"""The API: wire shapes and endpoints, one thin module a feature."""
