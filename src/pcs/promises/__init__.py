"""How right the answers must be that nobody looks at, and what people's reviews bear of it."""
