"""Every problem that a user can meet: what is said of it, and the row of a page that explains it."""
