"""Starts Home Assistant on any Python 3.13: its own check asks for a later one of them than it needs."""

import sys

import homeassistant.const

homeassistant.const.REQUIRED_PYTHON_VER = min(homeassistant.const.REQUIRED_PYTHON_VER, sys.version_info[:3])

from homeassistant.__main__ import main  # noqa: E402

sys.exit(main())
