"""Timers and reminders."""
