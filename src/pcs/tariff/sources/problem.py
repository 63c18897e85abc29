"""What goes wrong with a publisher's file. The trap: a traceback tells a user nothing, so each fault is a sentence that
names the file's fault and, where there is one, the row."""

from __future__ import annotations


class SourceError(Exception):
    """A published file that cannot be read as what it should be; the message says what is wrong with it."""
