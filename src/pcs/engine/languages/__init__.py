"""Goods that are described in another language, in the English that the reading stage and the pack speak."""
