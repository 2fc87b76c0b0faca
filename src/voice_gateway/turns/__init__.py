"""What all stages of a turn share: the turn itself, its history, its acts, and the wording of outcomes."""
