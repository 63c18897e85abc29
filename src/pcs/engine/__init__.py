"""How goods get their code. Pure functions over a loaded method; no HTTP, no SQL, no clock."""
