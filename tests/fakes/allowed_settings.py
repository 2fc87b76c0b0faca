"""Settings files that a test has written itself, and so allows."""

from pathlib import Path

from voice_gateway.config.trust import allow, read_named


def allowed(file: Path, data_home: Path | None = None) -> Path:
    """As `voice-gateway config allow` does it, remembered below the data folder of whoever is to use it."""
    file.chmod(0o600)
    allow(read_named(file), data_home / "voice-gateway" / "allowed" if data_home else None)
    return file
