"""The settings of the flight recorder."""

from pydantic import Field

from voice_gateway.config.section import Section


class RecorderSettings(Section):
    """What happened in every turn, kept on this machine (docs/turns.md)."""

    enabled: bool = Field(
        True, description='keep every turn, for `turns`, `replay` and "why did you do that"'
    )
    days: float = Field(14.0, gt=0, description="how long a turn is kept")
    megabytes: float = Field(200.0, ge=1, description="how much is kept; the oldest goes first")
    audio: bool = Field(False, description="keep the recordings of what was said, too")
