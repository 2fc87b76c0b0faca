"""Values that could only fail later are found when settings are read, in a line that tells what to write."""

import pytest
from tests.fakes.gateway_process import Commands

from voice_gateway.config import load
from voice_gateway.errors import ConfigError

PORT = "the port must be a number from 1 to 65535"
TOPIC = "must be a plain topic, such as "

# The variable, its value, and what is said behind the setting's name.
WRONG = [
    ("MQTT_BROKER_URL", "mqtt://host:abc", f"mqtt.broker_url: {PORT}"),
    ("MQTT_BROKER_URL", "mqtt://host:99999", f"mqtt.broker_url: {PORT}"),
    ("MQTT_BROKER_URL", "mqtt://host:0", f"mqtt.broker_url: {PORT}"),
    ("MQTT_BROKER_URL", "mqtt://", "mqtt.broker_url: names no host, as mqtt://host:1883 does"),
    ("MQTT_BROKER_URL", "mqtt://[::1", "mqtt.broker_url: names no host"),
    ("MQTT_BROKER_URL", "mqtt://a..b", "mqtt.broker_url: names no host"),
    ("MQTT_BROKER_URL", "mqtt://my host", "mqtt.broker_url: must have no spaces"),
    ("MQTT_BROKER_URL", "localhost", "mqtt.broker_url: must start with mqtt:// or mqtts://"),
    ("MQTT_BROKER_URL", "mqtt://me:p#word@host", "write / as %2F, ? as %3F and # as %23 in a login"),
    ("OLLAMA_BASE_URL", "http://host:abc", f"ollama.base_url: {PORT}"),
    ("OLLAMA_BASE_URL", "http://host:99999", f"ollama.base_url: {PORT}"),
    ("VOICE_GATEWAY_ANTHROPIC_BASE_URL", "https://:443", "anthropic.base_url: names no host"),
    ("VOICE_GATEWAY_TOOLS_SEARXNG_URL", "foo", "tools.searxng_url: must start with http:// or https://"),
    ("VOICE_GATEWAY_TOOLS_SEARXNG_URL", "http://host:port", f"tools.searxng_url: {PORT}"),
    ("VOICE_GATEWAY_VOICE_WYOMING_URL", "tcp://127.0.0.1:abc", "voice.wyoming_url: the port must be"),
    ("VOICE_GATEWAY_VOICE_WYOMING_URL", "127.0.0.1", "voice.wyoming_url: must start with tcp://"),
    ("VOICE_GATEWAY_VOICE_STT", "tcp://:10300", "voice.stt: names no host"),
    ("VOICE_GATEWAY_VOICE_TTS", "tcp://host:99999", f"voice.tts: {PORT}"),
    ("VOICE_GATEWAY_VOICE_TTS", "espeek", '(did you mean "espeak"?)'),
    ("VOICE_GATEWAY_MCPSERVERS", '{"a": {"url": "http://:abc"}}', "mcpServers.a.url: names no host"),
    ("VOICE_GATEWAY_MCPSERVERS", '{"a": {"url": "http://h:abc"}}', f"mcpServers.a.url: {PORT}"),
    ("VOICE_GATEWAY_BRAIN_STORE", "redis://host:abc", f"brain.store: {PORT}"),
    ("VOICE_GATEWAY_BRAIN_STORE", "redis://host?db=x", "brain.store: Invalid value for 'db'"),
    ("VOICE_GATEWAY_BRAIN_STORE", "unix://", "brain.store: names no socket"),
    ("VOICE_GATEWAY_BRAIN_STORE", "disk", "brain.store: must be memory, sqlite or redis://host:6379"),
    ("VOICE_GATEWAY_MQTT_DISCOVERY_PREFIX", "#", f"mqtt.discovery_prefix: {TOPIC}"),
    ("VOICE_GATEWAY_MQTT_DISCOVERY_PREFIX", "a/+/#b", f"mqtt.discovery_prefix: {TOPIC}"),
    ("VOICE_GATEWAY_MQTT_PREFIX", "voice/", f"mqtt.prefix: {TOPIC}"),
    ("VOICE_GATEWAY_MQTT_PREFIX", "voice\udcff", f"mqtt.prefix: {TOPIC}"),
    ("VOICE_GATEWAY_BRAIN_SEVERAL_STEPS", "maybe", "brain.several_steps: must be auto, true or false"),
    ("VOICE_GATEWAY_MQTT_SHARE_GROUP", "a/b", "mqtt.share_group: must be one plain word"),
    ("VOICE_GATEWAY_PERMISSION_SENSITIVE_CHANNELS", "tv", "must be 'cli', 'voice', 'mqtt', 'wyoming',"),
    ("VOICE_GATEWAY_HOME_TIMEZONE", "Nowhere/Here", "home.timezone: invalid timezone: Nowhere/Here"),
    ("VOICE_GATEWAY_PERMISSION_PIN", "123", "permission.pin: must have at least 4 digits"),
    ("VOICE_GATEWAY_PERMISSION_PIN", "abc", 'permission.pin: must be digits in quotes, such as "2468"'),
    ("VOICE_GATEWAY_VOICE_STT", "whisper", "voice.stt: must be moonshine"),
    *(
        ("VOICE_GATEWAY_WEB_HOSTS", host, "is no host name")
        for host in (
            ".",
            "https://home.example",
            "*.example",
            "a@b",
            "a b",
            "häuschen.example",
            "home:http",
            "[f::7",
        )
    ),
    ("VOICE_GATEWAY_MQTT_SHARE_GROUP", "g", 'mqtt.share_group needs brain.store = "redis://…"'),
]


def test_a_wrong_value_is_one_line_with_variable_setting_and_what_is_expected(written):
    written("[brain]\nroom = 'Kitchen'\n")
    failures = []
    for variable, value, says in WRONG:
        with pytest.raises(ConfigError) as caught:
            load(environ={variable: value})
        text = str(caught.value)
        if not text.startswith(f"{variable}: ") or says not in text or "\n" in text or "word@" in text:
            failures.append((variable, value, text))
    assert failures == []


def test_a_wrong_value_in_a_file_names_the_file(written):
    file = written("[permission]\npin = 1234\n")

    with pytest.raises(ConfigError, match=r"permission\.pin: must be digits in quotes") as caught:
        load(environ={})

    assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("MQTT_BROKER_URL", "mqtt://me:p%23w@host"),
        ("MQTT_BROKER_URL", "mqtts://[::1]:8883"),
        ("OLLAMA_BASE_URL", "http://ollama_1.local:11434/below"),
        ("VOICE_GATEWAY_BRAIN_STORE", "redis://:word@host:6379/0"),
        ("VOICE_GATEWAY_BRAIN_STORE", "unix:///run/redis.sock"),
        ("VOICE_GATEWAY_VOICE_WYOMING_URL", "tcp://:10700"),
        ("VOICE_GATEWAY_VOICE_WYOMING_URL", "tcp://127.0.0.1:0"),
        ("VOICE_GATEWAY_MQTT_PREFIX", "home/voice"),
        ("VOICE_GATEWAY_VOICE_WAKE_WORDS", "Hey Jarvis, okay-nabu, words/mine.tflite"),
        ("VOICE_GATEWAY_PERMISSION_PIN", "0042"),
        ("VOICE_GATEWAY_PERMISSION_SENSITIVE_CHANNELS", "cli, voice, mqtt, wyoming, web, mcp, v1"),
    ],
)
def test_a_good_value_is_taken(variable, value):
    assert variable in load(environ={variable: value}).origins.values()


def test_a_host_is_known_by_its_name_alone():
    written = "Home.Example, home.example.:8443, 192.0.2.7:80, fd00::7, [FD00::7]:8443"
    hosts = load(environ={"VOICE_GATEWAY_WEB_HOSTS": written}).settings.web.hosts

    assert hosts == ("home.example", "home.example", "192.0.2.7", "fd00::7", "fd00::7")


@pytest.mark.slow
@pytest.mark.parametrize("command", [("run",), ("doctor",), ("config", "check")], ids=" ".join)
async def test_every_command_tells_it_in_the_same_words(tmp_path, command):
    done = await Commands(tmp_path).run(*command, MQTT_BROKER_URL="mqtt://host:abc")

    told = " ".join((done.out if command == ("doctor",) else done.err).split())
    assert f"MQTT_BROKER_URL: mqtt.broker_url: {PORT}, as in mqtt://host:1883" in told
    assert done.code == (1 if command == ("doctor",) else 2), "the doctor's own code says that a check failed"
