"""What is said of each problem, by the parts and by the doctor; {names} stand for what is put in."""

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

VOICE_PACKAGE = "The voice needs the package {package}."
CANNOT_HEAR = "I cannot hear: {reason}"
HEARING_FAILED = "Hearing failed: {reason}"
CANNOT_UNDERSTAND = "I cannot understand speech: {reason}"
CANNOT_SPEAK = "I cannot speak, replies are shown: {reason}"
WEB_PORT = "The web console is not open: {host}:{port} cannot be used ({reason}); I keep trying."
WEB_CERTIFICATE = "The web console is not open: its certificate cannot be used ({reason})."
WEB_NO_TLS = "What is said in the web console can be read on the way: other machines reach it without TLS."
WEB_NO_TOKEN = "Nobody can use the web console yet: other machines need a token, and there is none."
WYOMING_PORT = "Wyoming clients cannot reach me: {host}:{port} cannot be used ({reason})."


def without_promise(sentence: str) -> str:
    """For who says it and does not keep trying."""
    return sentence.removesuffix("; I keep trying.")
