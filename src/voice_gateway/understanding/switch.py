"""Which front end runs while both exist: `VOICE_GATEWAY_UNDERSTANDING=grammar` takes the new one."""

import os

from voice_gateway.brain.local.stage import LocalBrain


def front_end() -> type[LocalBrain]:
    if os.environ.get("VOICE_GATEWAY_UNDERSTANDING") != "grammar":
        return LocalBrain
    from voice_gateway.understanding.stage import GrammarBrain

    return GrammarBrain
