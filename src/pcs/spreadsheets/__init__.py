"""Spreadsheets as people send them and as they get them back: bytes in, rows out; rows in, a safe file out."""
