"""A language model as a second pair of eyes: it may confirm, change, doubt or ask, only among what we showed it."""
