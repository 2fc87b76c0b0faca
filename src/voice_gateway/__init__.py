"""A local-first voice gateway: it acts through tools and never claims what it did not do."""

__version__ = "0.1.0"
