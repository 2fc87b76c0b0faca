"""Settings files that a test has written itself, and so allows."""

from pathlib import Path

from voice_gateway.config.trust import Content, allow, read_named


def allowed(file: Path, data_home: Path | None = None) -> Path:
    """As `voice-gateway config allow` does it, remembered below the data folder of whoever is to use it."""
    file.chmod(0o600)
    kind = Content.SETTINGS if file.suffix == ".toml" else Content.MCP_JSON
    allow(read_named(file, kind), data_home / "voice-gateway" / "allowed" if data_home else None)
    return file
