"""Settings that were renamed or removed, and what replaces each."""

from collections.abc import Callable

# Old setting -> the setting that replaces it, and how its value is written there.
RENAMED = {
    "home.latitude": ("home.location", "[latitude, longitude]"),
    "home.longitude": ("home.location", "[latitude, longitude]"),
    "preset": ("brain.provider", "and tools.search"),
    "mqtt.discovery": ("mqtt.discovery_prefix", '"" is off'),
    "permission.sensitive_tools": ("permission.permit", '{ NAME = "pin" }'),
    "permission.trusted_tools": ("permission.permit", '{ NAME = "always" }'),
    "permission.sensitive_doors": ("permission.sensitive_channels", ""),
    "recorder.enabled": ("recorder.days", "0 keeps nothing"),
    "tools.weather_towns_url": ("tools.weather_url", ""),
    "voice.piper_voice": ("voice.tts", "the .onnx file itself"),
    "voice.room": ("brain.room", ""),
    "voice.stt_url": ("voice.stt", "tcp://host:port itself"),
    "voice.tts_url": ("voice.tts", "tcp://host:port itself"),
    "voice.whisper_model": ("voice.stt", "the model's folder itself"),
}
# Their values are fixed now, or what they were for is gone.
REMOVED = frozenset(
    """
    anthropic.home_token_budget anthropic.max_retries anthropic.max_tokens brain.conversation_expiry_seconds
    brain.max_rounds brain.refresh_seconds brain.router mcp.max_delay_seconds mcp.stop_timeout_seconds
    ollama.reasoning ollama.temperature recorder.audio recorder.megabytes routines.grace_seconds
    routines.limit tools.hard_timeout_seconds tools.max_parallel tools.search_region tools.search_safe
    tools.search_timeout_seconds tools.slow_seconds tools.weather_timeout_seconds voice.follow_up_seconds
    voice.max_speech_seconds voice.min_speech_seconds voice.no_speech_seconds voice.pre_roll_seconds
    voice.quick_silence_seconds voice.wyoming_announce
    """.split()
)


def advice(name: str, spelled: Callable[[str], str] = str) -> str | None:
    """One line about an old setting, in the spelling of `name`; None for any other name.

    A key without its section is looked for in every section.
    """
    for old in (*RENAMED, *REMOVED):
        if name not in (spelled(old), old.partition(".")[2]):
            continue
        if old in REMOVED:
            return f'"{spelled(old)}" is gone: nothing replaces it'
        new, hint = RENAMED[old]
        return f'"{spelled(old)}" is now "{spelled(new)}"{f" ({hint})" if hint else ""}'
    return None
