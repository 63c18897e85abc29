"""What people say of answers; what a language model says is in pcs.reviewer."""
