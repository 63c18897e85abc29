"""The goods' words of other languages: one master by topic, a row a term, a column a language."""
