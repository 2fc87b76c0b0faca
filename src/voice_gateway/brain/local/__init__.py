"""The local brain: understanding what is said without a model."""
