"""Every problem that a user can meet: what is said of it, what it means, what to check, how it comes back.

The parts and the doctor say these sentences; docs/troubleshooting.md is made from this page (`make pages`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

# What is said, with {names} for what is put in.
SERVER_SILENT = "The {name} server is not answering, so its tools are missing; I keep trying."
SERVER_HANGS = "The {name} server is connected and does not answer: it hangs, or is busy with a call."
SERVER_INSTALLING = "The {name} server is being installed; its tools come when that is done."
SERVER_GIVEN_UP = "MCP connection failed after {attempts} attempts"

SERVER_UNUSABLE = "The {name} server of {file} is left out: {reason}."
SERVER_ASKS = "The {name} server waits for what only you know: {inputs}."
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
FILE_DAMAGED = "The file with my {what} was damaged, so I began a new one; of its entries I kept {kept}."
ROUTINES_LOST = "Routines are not available: the place where they are kept cannot be used."
TURNS_LOST = "What happens is not kept: the file with the turns cannot be used."
LISTS_LOST = "Lists are not available: their file cannot be used."
TIMERS_LOST = "Timers are not available: their file cannot be used."
OWN_TOOLS_LEFT_OUT = "A tool of your own is left out: {reasons}"
PIN_LOCKED = "The PIN is locked for {time} after {wrong} wrong ones."
SECOND_GATEWAY = "another gateway is running; commands reach that one"
FOREIGN_SOCKET = "control socket belongs to somebody else, it is not used"
SETTINGS_READABLE = "Others can read {file}, and it holds {what}."
SETTINGS_IGNORED = "{file} is not used: {reason} (--config FILE uses it all the same)"

VOICE_PACKAGE = "The voice needs the package {package}."
CANNOT_HEAR = "I cannot hear: {reason}"
HEARING_FAILED = "Hearing failed: {reason}"
CANNOT_UNDERSTAND = "I cannot understand speech: {reason}"
CANNOT_SPEAK = "I cannot speak, replies are shown: {reason}"
WEB_PORT = "The web console is not open: {host}:{port} cannot be used ({reason}); I keep trying."
WEB_CERTIFICATE = "The web console is not open: its certificate cannot be used ({reason})."
WEB_NO_TOKEN = "Nobody can use the web console yet: other machines need a token, and there is none."
WYOMING_PORT = "Wyoming clients cannot reach me: {host}:{port} cannot be used ({reason})."


@dataclass(frozen=True, slots=True)
class Problem:
    """One row of the page. `part` is a name that `voice-gateway status` shows, in `backticks`, or a place."""

    part: str
    says: tuple[str, ...]
    means: str
    check: str
    returns: str

    @property
    def advice(self) -> str:
        """What to check, for a terminal: a link to a page of docs/ becomes its name."""
        return re.sub(r"\[[^][]+]\(([^()]+)\)", r"docs/\1", self.check)


def start_by_hand(command: str) -> str:
    return (
        f"that {command} is installed and starts by hand with the same arguments, and that what it needs is"
        " running (for a Z-Wave server: the MQTT broker)"
    )


def reachable(address: str) -> str:
    return f"that {address} is running and reachable from here, and that its headers are right"


PIN = Problem(
    "`pin`",
    (PIN_LOCKED,),
    "somebody said or typed too many wrong PINs at this gateway; until then the right one does not count"
    " either, and each further wrong one doubles the time, up to an hour",
    "who it was; `permission.pin`",
    "by itself; the right PIN then forgets the wrong ones",
)
SERVER = Problem(
    "`server NAME`",
    (SERVER_SILENT, SERVER_HANGS),
    "the MCP server did not start, ended, or hangs; built-in tools and other servers work",
    f"{start_by_hand('its command')}; or {reachable('its address')};"
    " `voice-gateway doctor` shows its last words",
    "by itself: it is tried again and again, with waits up to `mcp.max_delay_seconds`",
)
SERVER_ENTRY = Problem(
    "`server NAME` (its entry)",
    (SERVER_UNUSABLE,),
    "its entry in another client's `mcp.json` cannot be used; the other entries are",
    "the entry; `voice-gateway config check` names each mistake ([mcp.json](mcp.md))",
    "with the next start",
)
SERVER_INPUT = Problem(
    "`server NAME` (its input)",
    (SERVER_ASKS,),
    "its entry in another client's `mcp.json` asks for something that was never said, such as a token",
    "`voice-gateway mcp inputs` asks for it and keeps it ([mcp.json](mcp.md#inputs))",
    "with the next start",
)
MCP_JSON = Problem(
    "`mcp.json`",
    (SERVERS_UNUSABLE,),
    "the file with another client's servers cannot be read as JSON, or has none; everything else works",
    "the file; `voice-gateway config check` says where ([mcp.json](mcp.md))",
    "with the next start",
)
SERVER_INSTALLS = Problem(
    "`server NAME` (being installed)",
    (SERVER_INSTALLING,),
    "npx, uvx, docker or the like is fetching it; the first start takes from seconds to minutes. Everything"
    " else works meanwhile, and the gateway's end does not cut it short",
    "the connection to the internet, if it stays so; `mcp.first_start_seconds` (120) is how long it may take",
    "by itself",
)
HOME_ASSISTANT_STARTS = Problem(
    "`server NAME` (Home Assistant starts)",
    (HOME_STARTING,),
    "it answers, and its MCP server is not loaded yet: that takes from seconds to a few minutes",
    "Home Assistant's own log, if it stays so",
    "by itself; devices that come late are there with the next look",
)
HOME_ASSISTANT_NOT_SET_UP = Problem(
    "`server NAME` (Home Assistant)",
    (HOME_NOT_SET_UP,),
    "the integration Model Context Protocol Server was never added, or is disabled; before version 2025.5 it"
    " has another address",
    "in Home Assistant: Settings, Devices & services, Add integration, Model Context Protocol Server;"
    " for an old version the address that ends with /mcp_server/sse ([Home Assistant](home-assistant.md))",
    "by itself, with the next try",
)
HOME_ASSISTANT_EMPTY = Problem(
    "`server NAME` (no devices)",
    (HOME_EMPTY,),
    "Home Assistant shows only what is exposed to its Assist",
    "in Home Assistant: Settings, Voice assistants, Expose; then say it again",
    "by itself, within seconds",
)
TOKEN = Problem(
    "`server NAME` (token)",
    (TOKEN_REFUSED,),
    "the token in the server's `headers` is wrong, was revoked, or has run out",
    "in Home Assistant: your profile, Security, Long-lived access tokens, Create token; put it into"
    ' `headers = { Authorization = "Bearer …" }` and restart',
    "set the new token and restart: settings are read once",
)
LOGIN = Problem(
    "`server NAME` (login)",
    (LOGIN_NEEDED,),
    "it wants to know who uses it, and nobody has logged in, or the login has run out or was revoked",
    "`voice-gateway mcp login NAME` at a terminal; it shows an address for a browser. A server that wants a"
    ' fixed token instead: `headers = { Authorization = "Bearer …" }`',
    "by itself, within seconds after the login",
)
SEARCH = Problem(
    "`search`",
    ("Web search did not work last time; I try again the next time I need it.",),
    "the internet or the search service is away",
    "the internet connection, and `tools.searxng_url` if it is set",
    "with the next search",
)
VOLUME = Problem(
    "`volume`",
    ("The volume control did not work last time; I try again the next time I need it.",),
    "the sound server is away, so the volume stays as it is",
    "the sound server, PulseAudio or PipeWire (`pactl info`)",
    "with the next change of the volume",
)
MEMORY = Problem(
    "`memory`",
    (MEMORY_LOST,),
    "the store of conversations cannot be used; every sentence is answered as if it were the first",
    "`brain.store`: is Redis running, are address, login and options right; or is there space in the data"
    " folder, and who owns it (`XDG_DATA_HOME` names another)",
    "with the next sentence after the store is back; a Redis by itself",
)
MICROPHONE = Problem(
    "`microphone`",
    (CANNOT_HEAR,),
    "no microphone, or it was unplugged; MQTT and terminal work",
    "`voice-gateway audio list` shows what there is, `voice.input_device` chooses; only the voice needs it",
    "by itself when it is plugged in again",
)
TRANSCRIBER = Problem(
    "`transcriber`",
    (CANNOT_UNDERSTAND,),
    "the speech engine failed on something that was said; that sentence is lost",
    "`voice.stt` chooses the engine, [voice](voice.md) tells what it needs, `voice-gateway doctor` tries it",
    "with the next sentence",
)
SPEECH = Problem(
    "`speech`, `speaker`",
    (CANNOT_SPEAK,),
    "the voice or the loudspeaker failed; the reply is shown as text",
    "`voice-gateway audio test`, `voice.output_device`; `voice.tts` chooses the voice, and [voice](voice.md)"
    " tells what it needs; only the voice needs it",
    "with the next reply",
)
WEB = Problem(
    "`web`",
    (WEB_PORT, WEB_CERTIFICATE, WEB_NO_TOKEN),
    "the port of `web.port` is taken (by another gateway, for example), the address is none of this machine,"
    " or what it needs for other machines is missing; every other door works",
    "what else listens there (`ss -ltnp`), `web.port` (`VOICE_GATEWAY_WEB_PORT`), `web.tls_cert`;"
    " `voice-gateway web token` makes a token",
    "by itself when the port is free, the certificate is right, or the token is made",
)
WYOMING = Problem(
    "`wyoming`",
    (WYOMING_PORT,),
    "the port of `voice.wyoming_url` is taken, or the address is none of this machine; other doors work",
    "what else listens there (`ss -ltnp`), `voice.wyoming_url`",
    "by itself when the port is free",
)

VOICE = Problem(
    "`voice`",
    (VOICE_PACKAGE, CANNOT_HEAR, HEARING_FAILED),
    "a speech package, model or wake word is missing, or an engine fails; every other door works",
    "`voice.wake` and `voice.wake_words` choose, [voice](voice.md) tells what each engine needs,"
    " `voice-gateway doctor` tries them",
    "a server that was away is tried again within half a minute; a new package or setting needs a restart",
)
OWN_TOOLS = Problem(
    "`tools`",
    (OWN_TOOLS_LEFT_OUT,),
    "a file of `tools.tools_dir`, or a package with tools, has a mistake, or others could have written it;"
    " everything else works",
    "the file and line that are named; `chmod go-w` where others may write",
    "at the next start",
)
DATA_FOLDER = Problem(
    "data folder",
    (FOLDER_UNUSABLE, LITTLE_SPACE),
    "what is kept there, such as timers and conversations, cannot be kept; everything else works",
    "free space, owner of the folder; `XDG_DATA_HOME` names another",
    "by itself when the folder can be written",
)
FOLDER_SHARED = Problem(
    "data folder (others)",
    (FOLDER_OPEN,),
    "what is said and set here can be read by others; the gateway closes the folder when it is its own",
    "its owner and its rights: `chmod 700`; `XDG_DATA_HOME` names another",
    "with the next start",
)
SETTINGS = Problem(
    "settings",
    (SETTINGS_WRONG,),
    "a file, a variable or an option says what cannot be; nothing starts, and commands end with code 2",
    "`voice-gateway config check` names each mistake",
    "with the next start",
)
SETTINGS_OPEN = Problem(
    "settings (others)",
    (SETTINGS_READABLE,),
    "whoever reads that file can use what is in it: a token of Home Assistant is the whole home",
    "`chmod 600` for that file",
    "with the next start",
)
SETTINGS_HERE = Problem(
    "settings (current folder)",
    (SETTINGS_IGNORED,),
    "`voice-gateway.toml` of the current folder could run commands that are not yours: others can write or "
    "replace it, or you have not allowed it as it is; your own file or the defaults hold",
    "the rest of that line; read the file before you allow it "
    "([why](configuration.md#a-file-in-the-current-folder))",
    "after `voice-gateway config allow`, with the next start",
)
INSTALLATION = Problem(
    "installation",
    (PACKAGE_MISSING,),
    "the gateway was installed only in part",
    "run `make setup` again",
    "with the next start",
)
CLOCK = Problem(
    "clock",
    (CLOCK_NOT_SET,),
    "this machine has no clock that runs on without power, so reminders and certificates are wrong",
    "set the clock, or install chrony",
    "by itself when the clock is right",
)
OLLAMA = Problem(
    "`brain ollama`",
    (MODEL_SILENT + " Without it I can …",),
    "Ollama is down, or cannot be reached; the local brain still does what it can",
    "start it with `ollama serve` and look at its log, or set `OLLAMA_BASE_URL`",
    "by itself, within seconds",
)
NO_KEY = Problem(
    "`brain anthropic` (no key)",
    (MODEL_NO_KEY, MODEL_KEY_ODD),
    "the cloud was chosen and no key was given, or something else in its place",
    "`ANTHROPIC_API_KEY`",
    "set it and restart: a key is read once",
)
NO_CALL = Problem(
    "a reply (claim)",
    ("I have not changed or checked anything.", MODEL_ONLY_TALKS),
    "a model answered a wish or a question about the home without calling a tool, so its words were not"
    " passed on",
    "`--explain` shows what was called; small models call less ([models](models.md))",
    "ask again, in other words",
)

# By where one meets them; the headings are those of the page.
CATALOGUE: Mapping[str, tuple[Problem, ...]] = {
    "MCP servers and tools": (
        SERVER,
        SERVER_ENTRY,
        SERVER_INPUT,
        MCP_JSON,
        SERVER_INSTALLS,
        HOME_ASSISTANT_STARTS,
        HOME_ASSISTANT_NOT_SET_UP,
        HOME_ASSISTANT_EMPTY,
        TOKEN,
        LOGIN,
        Problem(
            "a failed start",
            (SERVER_GIVEN_UP,),
            "the same as `server NAME`, in the log, with the server's own stderr",
            "what the lines under it say",
            "by itself",
        ),
        Problem(
            "a Z-Wave tool",
            ("The MQTT broker at {address} cannot be reached",),
            "the Z-Wave server runs, its broker does not",
            "broker address and login in the server's `env`",
            "by itself",
        ),
        Problem(
            "a tool",
            ("it may still happen",),
            "a call was sent and nobody confirmed it in time",
            "look at the device before you ask again",
            "with the next call",
        ),
        SEARCH,
        VOLUME,
        Problem(
            "a list",
            (LISTS_LOST,),
            "the data folder's disk is full or read-only: nothing can be put on a list",
            "`voice-gateway doctor`, free space, owner of the folder",
            "with the next question",
        ),
        OWN_TOOLS,
        Problem(
            "`timers`",
            (TIMERS_LOST,),
            "the data folder's disk is full or read-only: no timer can be set or cancelled; those set before"
            " still ring",
            "`voice-gateway doctor`, free space, owner of the folder",
            "by itself, within a second",
        ),
        Problem(
            "`routines`",
            (ROUTINES_LOST,),
            "the data folder's disk is full or read-only, or the Redis of `brain.store` is away: no routine"
            " can be made, changed or started",
            "`voice-gateway doctor`, free space, owner of the folder; is the Redis running",
            "by itself, within a second or two",
        ),
        Problem(
            "`recorder`",
            (TURNS_LOST,),
            "the data folder's disk is full or read-only, or another program holds the file with the turns:"
            " everything else works, but these turns are in no `voice-gateway turns`",
            "`voice-gateway doctor`, free space, owner of the folder",
            "by itself, with the next turn",
        ),
    ),
    "The MQTT broker": (
        Problem(
            "`mqtt`",
            (BROKER_UNREACHABLE,),
            "no broker there, or it was stopped; voice and terminal work, up to 500 messages are kept for it,"
            " and answers to requests beyond that",
            "is the broker running, is `mqtt.broker_url` right",
            "by itself, within 30 seconds",
        ),
        Problem(
            "`mqtt` (login)",
            (BROKER_LOGIN, BROKER_MUTE),
            "the broker is there and refuses name or password, or what this name sends or reads",
            "`mqtt.username`, `MQTT_PASSWORD`, the broker's list of users and what they may read and write",
            "by itself when the broker accepts the login; a new password in the settings needs a restart",
        ),
        Problem(
            "`mqtt` (TLS)",
            (BROKER_UNTRUSTED, BROKER_NO_TLS, BROKER_AUTHORITY),
            "the connection cannot be made safely, so nothing is sent: the certificate is out of date, for"
            " another name or signed by somebody unknown; the port is not one for TLS; the file is missing or"
            " holds no certificate",
            "`mqtt.ca_file`; the name and the date in the broker's certificate; with `mqtts://` in"
            " `mqtt.broker_url` the port for TLS, usually 8883",
            "by itself when certificate, port or file are right; a new setting needs a restart",
        ),
    ),
    "The language model": (
        OLLAMA,
        Problem(
            "`brain ollama` (model)",
            (MODEL_NOT_INSTALLED, MODEL_WITHOUT_TOOLS),
            "Ollama is there, the model is not, or it is the wrong one",
            "`ollama pull MODEL`, `OLLAMA_MODEL`",
            "by itself after the pull; another model's name needs a restart",
        ),
        Problem(
            "`brain anthropic`",
            (MODEL_KEY_REFUSED + " Without it I can …", MODEL_UNREACHABLE),
            "the provider refused the key, or the internet is away",
            "the key's page at the provider, the connection",
            "with the next question; nothing is sent only to see whether it works",
        ),
        NO_KEY,
        Problem(
            "`brain anthropic` (model)",
            (MODEL_UNKNOWN,),
            "the provider has no model of this name",
            "`ANTHROPIC_MODEL`",
            "set it and restart",
        ),
        Problem(
            "`brain anthropic` (busy)",
            (MODEL_BUSY,),
            "the provider is overloaded, or you ask more often than it allows; it was tried again already",
            "the provider's status page, your limits there",
            "with the next question",
        ),
        Problem(
            "`brain ollama`, `brain anthropic` (answer)",
            (MODEL_TOO_SLOW, MODEL_BROKE_OFF, MODEL_NO_ANSWER),
            "the model was there and gave no whole answer; half an answer is not passed on",
            "the advice in `voice-gateway status`; a smaller model, `timeout_seconds` of the provider",
            "with the next question",
        ),
        Problem(
            "a reply (length)",
            (MODEL_TOO_MUCH, MODEL_TOO_LONG, MODEL_REFUSED),
            "prompt, tools and history do not fit the model's context, the answer reached its limit, or the"
            " model declined",
            "`ollama.num_ctx`, `ollama.tool_token_budget`; `ollama.num_predict` or `anthropic.max_tokens`",
            "ask something else, or restart with other settings",
        ),
        NO_CALL,
    ),
    "This machine": (DATA_FOLDER, FOLDER_SHARED, SETTINGS, SETTINGS_HERE, SETTINGS_OPEN, INSTALLATION, CLOCK),
    "Conversations and commands": (
        MEMORY,
        Problem(
            "`memory` and others (damaged)",
            (FILE_DAMAGED,),
            "a disk error, or a write that was cut off; what could be read is in the new file",
            "the disk; the damaged file stays beside the new one, with `.damaged` behind its name",
            "by itself, at once",
        ),
        PIN,
        Problem(
            "commands",
            (SECOND_GATEWAY,),
            "two gateways of one user; both answer their own doors, `ask` and `status` reach the first",
            "whether you want two",
            "by itself when the first one ends",
        ),
        Problem(
            "commands (another user)",
            (FOREIGN_SOCKET,),
            "another user listens where your gateway's socket would be, so nothing is sent there",
            "who made the folder of that socket; where `XDG_RUNTIME_DIR` leads",
            "with the next command after that socket is gone",
        ),
    ),
    "The web console": (WEB,),
    "The voice": (
        VOICE,
        MICROPHONE,
        TRANSCRIBER,
        SPEECH,
        WYOMING,
    ),
}


def problem_of(sentence: str) -> Problem | None:
    """The row that explains a sentence as it was said."""
    for problem in chain.from_iterable(CATALOGUE.values()):
        if any(_pattern(template).match(sentence) for template in problem.says):
            return problem
    return None


def _pattern(template: str) -> re.Pattern[str]:
    pieces = re.split(r"{[^{}]*}", template.removesuffix(" Without it I can …"))
    return re.compile(".*".join(re.escape(piece) for piece in pieces), re.DOTALL)


def without_promise(sentence: str) -> str:
    """For who says it and does not keep trying."""
    return sentence.removesuffix("; I keep trying.")
