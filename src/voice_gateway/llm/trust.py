"""Which model is trusted: to work in several steps, and to act on words that are no plain wish."""

import re

from voice_gateway.config import AutonomySetting, SeveralSteps
from voice_gateway.turn import Autonomy
from voice_gateway.turns.stage import Trust

# Below this a model that is asked again after a good outcome mostly repeats itself, or undoes what it did.
LEAST_BILLIONS = 7.0
_SIZE = re.compile(r"(?:(\d+)\s*x\s*)?(\d+(?:\.\d+)?)\s*([KMBT])", re.IGNORECASE)
_BILLIONS = {"K": 1e-6, "M": 1e-3, "B": 1.0, "T": 1e3}


def is_trusted(provider: str, parameter_size: str | None) -> bool:
    """The one place that decides it. `parameter_size` is Ollama's word: "7.6B"."""
    return provider == "anthropic" or billions(parameter_size or "") >= LEAST_BILLIONS  # unknown: it is not


def several_steps(setting: SeveralSteps, *, provider: str, parameter_size: str | None = None) -> bool:
    """Whether the model is asked again after all went well."""
    return is_trusted(provider, parameter_size) if setting == "auto" else setting


def trust(setting: AutonomySetting, *, provider: str, parameter_size: str | None = None) -> Trust:
    """What becomes of an act that the words do not plainly ask for."""
    if setting != "auto":
        return Trust(Autonomy(setting), f"brain.autonomy is {setting}")
    if provider == "anthropic":
        return Trust(Autonomy.ACT, "brain.autonomy is auto, and Anthropic is trusted")
    size = f"the model has {parameter_size} parameters" if parameter_size else "its size is not known"
    least = f"from {LEAST_BILLIONS:.0f} B on it is trusted"
    autonomy = Autonomy.ACT if is_trusted(provider, parameter_size) else Autonomy.ASK
    return Trust(autonomy, f"brain.autonomy is auto, {size}, {least}")


def billions(parameter_size: str) -> float:
    """ "494.03M", "7.6B", "8x7B"; 0 for what is no size."""
    found = _SIZE.fullmatch(parameter_size.strip())
    return int(found[1] or 1) * float(found[2]) * _BILLIONS[found[3].upper()] if found else 0.0
