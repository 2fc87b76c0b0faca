"""The flight recorder: every turn, what was done in it and why, in a file that stays on this machine."""
