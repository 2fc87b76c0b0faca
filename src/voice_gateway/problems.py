"""What the gateway says about each problem, and what to check; docs/troubleshooting.md explains them.

`{names}` in a sentence stand for what is put in.
"""

import re
from collections.abc import Mapping

SERVER_SILENT = "The {name} server is not answering, so its tools are missing; I keep trying."
SERVER_HANGS = "The {name} server is connected and does not answer: it hangs, or is busy with a call."
SERVER_INSTALLING = "The {name} server takes long to start; its tools come when it answers."
SERVER_GIVEN_UP = "MCP connection failed after {attempts} attempts"

SERVER_UNUSABLE = "The {name} server of {file} is left out: {reason}."
SERVERS_UNUSABLE = "No server of {file} is used: {reason}."

HOME_STARTING = "Home Assistant ({name}) is just starting; I keep trying."
HOME_NOT_SET_UP = (
    "Home Assistant ({name}) has no MCP server set up, so its devices are missing; I keep trying."
)
HOME_EMPTY = "Home Assistant ({name}) shows me no devices: none of them is exposed to Assist."
TOKEN_REFUSED = "The {name} server does not accept my token, so its tools are missing; I keep trying."

LOGIN_NEEDED = "The {name} server needs a login, so its tools are missing: voice-gateway mcp login {name}"

SETTINGS_WRONG = "My settings have a mistake: {reason}"
PACKAGE_MISSING = "The package {package} is not installed."
FOLDER_UNUSABLE = "My data folder {folder} cannot be written: {reason}"
FOLDER_OPEN = "Others may enter my data folder {folder}."
LITTLE_SPACE = "Only {free} MB are free in my data folder {folder}."
CLOCK_NOT_SET = "My clock says that it is the year {year}."

BROKER_UNREACHABLE = "The MQTT broker {where} is not reachable; I keep trying."
BROKER_LOGIN = "The MQTT broker {where} does not accept my login; I keep trying."
BROKER_UNTRUSTED = "I do not trust the certificate of the MQTT broker {where}; I keep trying."
BROKER_NO_TLS = "The MQTT broker {where} does not talk TLS with me; I keep trying."
BROKER_MUTE = "The MQTT broker {where} does not give me back what I send."
BROKER_AUTHORITY = "I cannot use the file with the MQTT broker's certificate authority; I keep trying."

MODEL_SILENT = "My language model does not answer."
MODEL_NOT_INSTALLED = "My language model is not installed."
MODEL_WITHOUT_TOOLS = "My language model cannot use tools."
MODEL_ONLY_TALKS = "My language model answered in words instead of calling a tool."
MODEL_KEY_ODD = "The key for my language model does not look like one (sk-ant-…)."
MODEL_KEY_REFUSED = "My language model does not accept my key."
MODEL_UNREACHABLE = "I cannot reach my language model."
MODEL_NO_KEY = "I have no key for my language model."
MODEL_UNKNOWN = "My language model is not known to its provider."
MODEL_BUSY = "My language model is busy. Please try again in a minute."
MODEL_TOO_SLOW = "My language model took too long."
MODEL_BROKE_OFF = "My language model stopped in the middle of its answer."
MODEL_NO_ANSWER = "Sorry, I could not think of an answer."
MODEL_TOO_MUCH = "That was too much for my language model."
MODEL_TOO_LONG = "My answer became too long."
MODEL_REFUSED = "I would rather not answer that."

MEMORY_LOST = "I cannot remember what is said at the moment."
FILE_DAMAGED = "The file with my {what} was damaged, so I {consequence}."
ROUTINES_LOST = "Routines are not available: the place where they are kept cannot be used."
TURNS_LOST = "What happens is not kept: the file with the turns cannot be used."
LISTS_LOST = "Lists are not available: their file cannot be used."
TIMERS_LOST = "Timers are not available: their file cannot be used."
OWN_TOOLS_LEFT_OUT = "A tool of your own is left out: {reasons}"
PIN_LOCKED = "The PIN is locked for {time} after {wrong} wrong ones."
SECOND_GATEWAY = "another gateway is running; commands reach that one"
FOREIGN_SOCKET = "control socket belongs to somebody else, it is not used"
SETTINGS_READABLE = "Others can read {file}, and it holds {what}."

VOICE_PACKAGE = "The voice needs the package {package}."
CANNOT_HEAR = "I cannot hear: {reason}"
HEARING_FAILED = "Hearing failed: {reason}"
CANNOT_UNDERSTAND = "I cannot understand speech: {reason}"
CANNOT_SPEAK = "I cannot speak, replies are shown: {reason}"
WEB_PORT = "The web console is not open: {host}:{port} cannot be used ({reason}); I keep trying."
WEB_CERTIFICATE = "The web console is not open: its certificate cannot be used ({reason})."
WEB_NO_TLS = "What is said in the web console can be read on the way: other machines reach it without TLS."
WEB_NO_TOKEN = "Nobody can use the web console yet: other machines need a token, and there is none."
WEB_OPEN = "All {people} people with an account on this machine can use the web console without a login."
WYOMING_PORT = "Wyoming clients cannot reach me: {host}:{port} cannot be used ({reason})."

SEARCH_FAILED = "Web search did not work last time; I try again the next time I need it."
VOLUME_FAILED = "The volume control did not work last time; I try again the next time I need it."


def start_by_hand(command: str) -> str:
    return (
        f"that {command} is installed and starts by hand with the same arguments, and that what it needs is"
        " running (for a Z-Wave server: the MQTT broker)"
    )


def reachable(address: str) -> str:
    return f"that {address} is running and reachable from here, and that its headers are right"


_WEB = (
    "what else listens there (`ss -ltnp`), `web.port` (`VOICE_GATEWAY_WEB_PORT`), `web.tls_cert`;"
    " `voice-gateway web token` makes a token"
)
_VOICE = (
    "`voice.wake` and `voice.wake_words` choose, docs/voice.md tells what each engine needs,"
    " `voice-gateway doctor` tries them"
)
_BROKER_TLS = (
    "`mqtt.ca_file`; the name and the date in the broker's certificate; with `mqtts://` in"
    " `mqtt.broker_url` the port for TLS, usually 8883"
)
_DISK = "`voice-gateway doctor`, free space, owner of the data folder"
_OLLAMA = "start it with `ollama serve` and look at its log, or set `OLLAMA_BASE_URL`"

# What to check, by the sentence that is said.
ADVICE: Mapping[str, str] = {
    SERVER_SILENT: f"{start_by_hand('its command')}; or {reachable('its address')};"
    " `voice-gateway doctor` shows its last words",
    SERVER_UNUSABLE: "the entry; `voice-gateway config check` names each mistake (docs/mcp.md)",
    SERVERS_UNUSABLE: "the file; `voice-gateway config check` says where (docs/mcp.md)",
    HOME_STARTING: "Home Assistant's own log, if it stays so",
    HOME_NOT_SET_UP: "in Home Assistant: Settings, Devices & services, Add integration, Model Context"
    " Protocol Server; for an old version the address ends with /mcp_server/sse (docs/home-assistant.md)",
    HOME_EMPTY: "in Home Assistant: Settings, Voice assistants, Expose; then say it again",
    TOKEN_REFUSED: "in Home Assistant: your profile, Security, Long-lived access tokens, Create token; put it"
    ' into `headers = { Authorization = "Bearer …" }` and restart',
    LOGIN_NEEDED: "`voice-gateway mcp login NAME` at a terminal; it shows an address for a browser. A server"
    ' that wants a fixed token instead: `headers = { Authorization = "Bearer …" }`',
    SETTINGS_WRONG: "`voice-gateway config check` names each mistake",
    SETTINGS_READABLE: "`chmod 600` for that file",
    PACKAGE_MISSING: "run `make setup` again",
    FOLDER_UNUSABLE: "free space, owner of the folder; `XDG_DATA_HOME` names another",
    LITTLE_SPACE: "free space; `XDG_DATA_HOME` names another folder",
    FOLDER_OPEN: "its owner and its rights: `chmod 700`; `XDG_DATA_HOME` names another",
    CLOCK_NOT_SET: "set the clock, or install chrony",
    BROKER_UNREACHABLE: "is the broker running, is `mqtt.broker_url` right",
    BROKER_LOGIN: "`mqtt.username`, `MQTT_PASSWORD`, the broker's list of users and their rights",
    BROKER_MUTE: "what this name may read and write at the broker",
    BROKER_UNTRUSTED: _BROKER_TLS,
    BROKER_NO_TLS: _BROKER_TLS,
    BROKER_AUTHORITY: _BROKER_TLS,
    MODEL_SILENT: _OLLAMA,
    MODEL_NOT_INSTALLED: "`ollama pull MODEL`, `OLLAMA_MODEL`",
    MODEL_WITHOUT_TOOLS: "`OLLAMA_MODEL`: take a model with tools",
    MODEL_ONLY_TALKS: "`--explain` shows what was called; small models call less (docs/models.md)",
    MODEL_KEY_ODD: "`ANTHROPIC_API_KEY`",
    MODEL_NO_KEY: "`ANTHROPIC_API_KEY`",
    MODEL_KEY_REFUSED: "the key's page at the provider, the connection",
    MODEL_UNREACHABLE: "the key's page at the provider, the connection",
    MODEL_UNKNOWN: "`ANTHROPIC_MODEL`",
    MODEL_BUSY: "the provider's status page, your limits there",
    MODEL_TOO_SLOW: "a smaller model, `timeout_seconds` of the provider",
    MODEL_BROKE_OFF: "a smaller model, `timeout_seconds` of the provider",
    MEMORY_LOST: "`brain.store`: is Redis running, are address, login and options right; or is there space in"
    " the data folder, and who owns it (`XDG_DATA_HOME` names another)",
    TIMERS_LOST: _DISK,
    LISTS_LOST: _DISK,
    ROUTINES_LOST: f"{_DISK}; is the Redis of `brain.store` running",
    TURNS_LOST: _DISK,
    OWN_TOOLS_LEFT_OUT: "the file and line that are named; `chmod go-w` where others may write",
    PIN_LOCKED: "who it was; `permission.pin`",
    VOICE_PACKAGE: _VOICE,
    HEARING_FAILED: _VOICE,
    CANNOT_HEAR: "`voice-gateway doctor` shows the microphones there are, `voice.input_device` chooses; only"
    " the voice needs it",
    CANNOT_UNDERSTAND: "`voice.stt` chooses the engine, docs/voice.md tells what it needs,"
    " `voice-gateway doctor` tries it",
    CANNOT_SPEAK: "`voice-gateway say hello`, `voice.output_device`; `voice.tts` chooses the voice, and"
    " docs/voice.md tells what it needs; only the voice needs it",
    WEB_PORT: _WEB,
    WEB_CERTIFICATE: _WEB,
    WEB_NO_TLS: _WEB,
    WEB_NO_TOKEN: _WEB,
    WEB_OPEN: "`voice-gateway config set web.open_on_loopback false`",
    WYOMING_PORT: "what else listens there (`ss -ltnp`), `voice.wyoming_url`",
    SEARCH_FAILED: "the internet connection, and `tools.searxng_url` if it is set",
    VOLUME_FAILED: "the sound server, PulseAudio or PipeWire (`pactl info`)",
}


def advice_for(sentence: str) -> str | None:
    """What to check about a sentence as it was said; None if there is no advice about it."""
    for template, advice in ADVICE.items():
        pieces = re.split(r"{[^{}]*}", template)
        if re.match(".*".join(map(re.escape, pieces)), sentence, re.DOTALL):
            return advice
    return None


def without_promise(sentence: str) -> str:
    """The sentence as a command says it, which does not keep trying."""
    return sentence.removesuffix("; I keep trying.")
