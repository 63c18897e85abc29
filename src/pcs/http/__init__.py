"""The API's door: wire shapes and endpoints, one thin module a feature."""
