"""Speech packages: an error says what is missing or damaged, and what to do."""

import base64
import hashlib
import importlib
import importlib.metadata
from functools import cache
from pathlib import Path
from typing import Any

from voice_gateway.errors import GatewayError, HearingError

ADVICE = "run `make setup`, or `pip install 'voice-gateway[speech]'`"
REPAIR = "run `make clean setup`, or `pip install --force-reinstall 'voice-gateway[speech]'`"


def need(
    module: str, what: str, *, advice: str = ADVICE, error_type: type[GatewayError] = HearingError
) -> Any:
    """The module, imported; `what` is the job it is needed for."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        text = f"{what} needs the package {error.name}, which is not installed: {advice}"
        raise error_type(text) from error
    except (ImportError, OSError) as error:  # often a library of the system that the package stands on
        raise error_type(f"{what} cannot use the package {module} ({error}): {REPAIR}") from error


@cache
def check_files(distribution: str, prefix: str, what: str) -> None:
    """Model files are as they were installed: native code that reads a damaged one may end the program."""
    try:
        files = importlib.metadata.files(distribution) or ()
    except importlib.metadata.PackageNotFoundError:
        return  # not installed by a package manager: nothing to compare with
    for file in files:
        if str(file).startswith(prefix) and file.hash is not None and file.hash.mode == "sha256":
            try:
                with Path(str(file.locate())).open("rb") as opened:
                    digest = hashlib.file_digest(opened, "sha256").digest()
            except OSError as error:
                raise HearingError(f"{what} is missing ({file.name}: {error.strerror}): {REPAIR}") from error
            if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != file.hash.value:
                raise HearingError(f"{what} is damaged ({file.name} is not what was installed): {REPAIR}")
