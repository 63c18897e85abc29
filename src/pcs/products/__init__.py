"""The goods that customers submit."""
