"""Evidence of a classification: one record, as a document and as data with its digest."""
