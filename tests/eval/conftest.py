"""Hundreds of utterances and replies: they belong to `make test`."""

NOT_UNIT = "an evaluation"
