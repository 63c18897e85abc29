"""What a text says of goods: who it is about, of what, for whom, how much, and what it denies."""
