"""Telling customers' systems what happened: configuration, events, deliveries, signing, transport."""
