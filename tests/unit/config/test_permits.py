"""Permits of a running gateway: one for each name, however it is written."""

import pytest

from voice_gateway.config import PermissionSettings
from voice_gateway.config.permits import Permits
from voice_gateway.errors import ConfigError


def test_a_name_in_another_spelling_changes_the_permit_that_is_there(tmp_path):
    settings = PermissionSettings(permit={"Relay 3": "never", "feed.cat": "always"})
    permits = Permits(settings, tmp_path / "voice-gateway.toml")

    permits.set("relay three", "always")
    permits.set("FEED.CAT", "default")

    assert permits.all() == {"Relay 3": "always"}


@pytest.mark.parametrize("name", ["", " "])
def test_no_permit_is_without_a_name(tmp_path, name):
    file = tmp_path / "voice-gateway.toml"
    permits = Permits(PermissionSettings(), file)

    with pytest.raises(ConfigError):
        permits.set(name, "always")
    assert (permits.all(), file.exists()) == ({}, False)
