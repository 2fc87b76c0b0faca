"""What is left of a reply when pieces of it were told while it was made."""


def not_yet_said(said: str, reply: str) -> str:
    """White space is not kept exactly. A reply that is not what was said so far is said as a whole."""
    begun, position = "".join(said.split()), 0
    for character in begun:
        while reply[position : position + 1].isspace():
            position += 1
        if reply[position : position + 1] != character:
            return reply
        position += 1
    return reply[position:].strip()
