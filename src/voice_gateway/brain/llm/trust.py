"""Which model is trusted to work in several steps: the one place that decides it."""

import re

from voice_gateway.config import SeveralSteps

# Below this a model that is asked again after a good outcome mostly repeats itself, or undoes what it did.
LEAST_BILLIONS = 7.0
_SIZE = re.compile(r"(?:(\d+)\s*x\s*)?(\d+(?:\.\d+)?)\s*([KMBT])", re.IGNORECASE)
_BILLIONS = {"K": 1e-6, "M": 1e-3, "B": 1.0, "T": 1e3}


def several_steps(setting: SeveralSteps, *, provider: str, parameter_size: str | None = None) -> bool:
    """Whether the model is asked again after all went well. `parameter_size` is Ollama's word: "7.6B"."""
    if setting != "auto":
        return setting
    if provider == "anthropic":
        return True
    return billions(parameter_size or "") >= LEAST_BILLIONS  # of unknown size: not trusted


def billions(parameter_size: str) -> float:
    """ "494.03M", "7.6B", "8x7B"; 0 for what is no size."""
    found = _SIZE.fullmatch(parameter_size.strip())
    return int(found[1] or 1) * float(found[2]) * _BILLIONS[found[3].upper()] if found else 0.0
