"""Speech packages: absent or damaged ones are said in a sentence, with what to do."""

import importlib
from typing import Any

from voice_gateway.errors import HearingError

ADVICE = "run `make setup` again, or `pip install 'voice-gateway[speech]'`"


def need(module: str, what: str, *, advice: str = ADVICE) -> Any:
    """The module, imported; `what` is the job it is needed for."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise HearingError(f"{what} needs the package {module}, which is not installed: {advice}") from error
    except OSError as error:  # a library of the system that the package stands on
        raise HearingError(f"{what} cannot use the package {module} ({error}): {advice}") from error
