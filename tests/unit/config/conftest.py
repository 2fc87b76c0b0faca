"""Every test has a configuration folder of its own, without a file in it."""

import pytest

from voice_gateway.config.folders import user_file


@pytest.fixture(autouse=True)
def _own_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("VOICE_GATEWAY_CONFIG", raising=False)


@pytest.fixture
def written():
    """Writes the user's settings file, or a file beside it."""

    def write(text: str, name: str = "voice-gateway.toml"):
        file = user_file().with_name(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    return write
