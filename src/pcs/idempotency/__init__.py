"""A retried request does its work once."""
