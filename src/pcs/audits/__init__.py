"""What is at stake in the codes that goods are filed under."""
