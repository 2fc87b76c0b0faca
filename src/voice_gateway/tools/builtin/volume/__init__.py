"""The tool for this speaker's volume, and what it sets."""

from voice_gateway.tools.builtin.volume.system import PlaybackVolume, SystemVolume
from voice_gateway.tools.builtin.volume.tool import VolumeBackend, volume_tool

__all__ = ["PlaybackVolume", "SystemVolume", "VolumeBackend", "volume_tool"]
