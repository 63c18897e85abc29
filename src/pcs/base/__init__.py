"""The floor: settings, database, queue, clock, ids, secrets, errors, telemetry. It imports nobody."""
