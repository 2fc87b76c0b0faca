"""The tools, the one list that holds them, and the one executor that runs them."""
