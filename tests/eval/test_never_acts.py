"""`make eval` tries every command inside what is no command; here only that it could act at all."""

from tests.eval.never_acts import acting


async def test_a_command_alone_acts() -> None:
    """Else it would be easy."""
    said = ["turn on the floor lamp", "dim the floor lamp to 20 percent", "set a timer for ten minutes"]

    assert await acting(said) == said
