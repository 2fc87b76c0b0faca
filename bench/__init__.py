"""Timings, side by side with what others do."""
