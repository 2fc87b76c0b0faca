"""What is timed: one script per contestant, run in an interpreter of its own."""
