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
# Old setting -> what holds instead.
REMOVED = {
    "anthropic.home_token_budget": "the names of the devices may take 4000 tokens",
    "anthropic.max_tokens": "an answer may take 1024 tokens",
    "anthropic.max_retries": "a request is tried again twice",
    "brain.conversation_expiry_seconds": "15 minutes of silence end a conversation",
    "brain.max_rounds": "a turn has at most 6 model calls",
    "brain.refresh_seconds": "names are read again every 30 seconds",
    "brain.router": "the embedding router is gone",
    "mcp.max_delay_seconds": "later attempts wait at most a minute",
    "mcp.stop_timeout_seconds": "a server has 2 seconds to end",
    "ollama.temperature": "it is always 0",
    "ollama.reasoning": "the model answers without thinking aloud",
    "recorder.audio": "recordings are not kept",
    "recorder.megabytes": "200 MB of turns are kept",
    "routines.grace_seconds": "what was missed for up to 2 minutes is done late",
    "routines.limit": "there may be 1000 routines",
    "tools.hard_timeout_seconds": "a call that reports progress may take 300 seconds",
    "tools.max_parallel": "8 calls of one message run at the same time",
    "tools.search_region": "searches are not bound to a region",
    "tools.search_safe": "searches are moderate",
    "tools.search_timeout_seconds": "a search may take 10 seconds",
    "tools.slow_seconds": "calls of more than a second are logged as slow",
    "tools.weather_timeout_seconds": "a question to Open-Meteo may take 10 seconds",
    "voice.follow_up_seconds": "it listens 6 seconds for the answer to a question",
    "voice.max_speech_seconds": "an utterance may take 15 seconds",
    "voice.min_speech_seconds": "less than 0.2 seconds of speech is noise",
    "voice.no_speech_seconds": "it waits 5 seconds for a command",
    "voice.pre_roll_seconds": "0.3 seconds before speech are kept",
    "voice.quick_silence_seconds": "0.3 seconds of silence end a complete command",
    "voice.wyoming_announce": "the port is announced unless only this machine can reach it",
}


def advice(name: str, spelled: Callable[[str], str] = str) -> str | None:
    """One line about an old setting, in the spelling of `name`; None for any other name.

    A key without its section is looked for in every section.
    """
    for old in (*RENAMED, *REMOVED):
        if name not in (spelled(old), old.partition(".")[2]):
            continue
        if old in REMOVED:
            return f'"{spelled(old)}" is gone: {REMOVED[old]}'
        new, hint = RENAMED[old]
        return f'"{spelled(old)}" is now "{spelled(new)}"{f" ({hint})" if hint else ""}'
    return None
