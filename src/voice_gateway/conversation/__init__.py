"""The one entrance for words: order, confirmation, history and store."""
