"""What decides on an answer: the local rules, the model clients, and the loop they share."""
