"""What several parts say about a problem, with what to check; docs/troubleshooting.md explains them."""


class Problem(str):
    """A sentence with what to check; `{names}` in it stand for what `format` puts in."""

    advice: str

    def __new__(cls, sentence: str, advice: str = "") -> "Problem":
        problem = super().__new__(cls, sentence)
        problem.advice = advice
        return problem

    def format(self, *_: object, **facts: object) -> "Problem":
        """The filled sentence, with the same advice."""
        return Problem(super().format(**facts), self.advice)


# --- MQTT

_TLS = "`mqtt.ca_file`; name and date in the broker's certificate; with `mqtts://` the port for TLS (8883)"
BROKER_UNREACHABLE = Problem(
    "The MQTT broker {where} is not reachable; I keep trying.",
    "is the broker running, is `mqtt.broker_url` right",
)
BROKER_LOGIN = Problem(
    "The MQTT broker {where} does not accept my login; I keep trying.",
    "`mqtt.username`, `MQTT_PASSWORD`, the broker's list of users and their rights",
)
BROKER_UNTRUSTED = Problem("I do not trust the certificate of the MQTT broker {where}; I keep trying.", _TLS)
BROKER_NO_TLS = Problem("The MQTT broker {where} does not talk TLS with me; I keep trying.", _TLS)
BROKER_AUTHORITY = Problem("The file with the MQTT broker's authority cannot be used; I keep trying.", _TLS)
BROKER_MUTE = Problem(
    "The MQTT broker {where} does not give me back what I send.",
    "what this name may read and write at the broker",
)

# --- language models; `str(error)` says what to check

MODEL_SILENT = "My language model does not answer."
MODEL_NOT_INSTALLED = "My language model is not installed."
MODEL_WITHOUT_TOOLS = "My language model cannot use tools."
MODEL_WITHOUT_FORMS = "My language model cannot fill in forms, so I do without it."
MODEL_NO_KEY = Problem(
    "I have no key for my language model.", "set `ANTHROPIC_API_KEY`, or choose another `brain.provider`"
)
MODEL_KEY_REFUSED = "My language model does not accept my key."
MODEL_UNREACHABLE = "I cannot reach my language model."
MODEL_UNKNOWN = "My language model is not known to its provider."
MODEL_BUSY = "My language model is busy. Please try again in a minute."
MODEL_TOO_SLOW = "My language model took too long."
MODEL_BROKE_OFF = "My language model stopped in the middle of its answer."
MODEL_NO_ANSWER = "Sorry, I could not think of an answer."
MODEL_TOO_MUCH = "That was too much for my language model."
MODEL_TOO_LONG = "My answer became too long."
MODEL_REFUSED = "I would rather not answer that."

OWN_TOOLS_LEFT_OUT = Problem(
    "A tool of your own is left out: {reasons}",
    "the file and line that are named; `chmod go-w` where others may write",
)

# --- stores

_DISK = "`voice-gateway doctor`, free space, owner of the data folder"
MEMORY_LOST = Problem(
    "I cannot remember what is said at the moment.",
    "`brain.store`: is Redis running, is its address right; or free space and owner of the data folder",
)
ROUTINES_LOST = "Routines are not available: the place where they are kept cannot be used."
TURNS_LOST = "What happens is not kept: the file with the turns cannot be used."
LISTS_LOST = Problem("Lists are not available: their file cannot be used.", _DISK)
TIMERS_LOST = Problem("Timers are not available: their file cannot be used.", _DISK)
PIN_LOCKED = Problem("The PIN is locked for {time} after {wrong} wrong ones.", "who it was; `permission.pin`")

# --- voice and web

_VOICE = "`voice.wake`, `voice.wake_words`, docs/voice.md; `voice-gateway doctor` tries each engine"
_WEB = "what else listens there (`ss -ltnp`), `web.port`, `web.tls_cert`"
_REMOTE = "`voice-gateway web token` makes a token; `web.tls_cert` and `web.tls_key` for https"
VOICE_PACKAGE = Problem("The voice needs the package {package}.", _VOICE)
HEARING_FAILED = Problem("Hearing failed: {reason}", _VOICE)
CANNOT_HEAR = Problem(
    "I cannot hear: {reason}", "`voice.input_device` chooses a microphone; only the voice needs one"
)
CANNOT_UNDERSTAND = Problem(
    "I cannot understand speech: {reason}", "`voice.stt`, docs/voice.md; `voice-gateway doctor` tries it"
)
CANNOT_SPEAK = Problem(
    "I cannot speak, replies are shown: {reason}",
    "`voice-gateway say hello`, `voice.output_device`, `voice.tts`, docs/voice.md; only the voice needs it",
)
WYOMING_PORT = Problem(
    "Wyoming clients cannot reach me: {host}:{port} cannot be used ({reason}).",
    "what else listens there (`ss -ltnp`), `voice.wyoming_url`",
)
WEB_PORT = Problem(
    "The web console is not open: {host}:{port} cannot be used ({reason}); I keep trying.", _WEB
)
WEB_CERTIFICATE = Problem("The web console is not open: its certificate cannot be used ({reason}).", _WEB)
WEB_NO_TLS = Problem(
    "What is said in the web console can be read on the way: other machines reach it without TLS.", _REMOTE
)
WEB_NO_TOKEN = Problem(
    "Nobody can use the web console yet: other machines need a token, and there is none.", _REMOTE
)
