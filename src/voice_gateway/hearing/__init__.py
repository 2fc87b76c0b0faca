"""From sound to text."""
