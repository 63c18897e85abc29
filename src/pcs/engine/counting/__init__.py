"""What is counted in the lessons of the knowledge pack where it is used, once: the vocabulary, naive Bayes, the goods.
It need not ship, and only what is new must be counted again."""
