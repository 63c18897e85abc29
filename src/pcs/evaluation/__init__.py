"""Does it work: labelled cases, metrics and the report."""
