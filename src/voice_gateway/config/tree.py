"""The settings tree: one frozen section for each part."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    Field,
    PrivateAttr,
    SecretStr,
    WrapValidator,
    model_validator,
)
from pydantic.fields import FieldInfo

from voice_gateway.config.kinds import (
    HOME_ASSISTANT_PATHS,
    BrokerAddress,
    Channel,
    HostName,
    Languages,
    ListenAddress,
    Pin,
    Section,
    ServerName,
    ShareGroup,
    StorePlace,
    Topic,
    TopicOrNone,
    WebAddress,
    checked_server,
    checked_steps,
    did_you_mean,
    is_loopback,
    is_own_server,
)

SERVER = "tcp://"  # of a Wyoming server
STT_ENGINES, TTS_ENGINES = ("moonshine",), ("hibari", "espeak")
Provider = Literal["local", "ollama", "anthropic"]
AutonomySetting = Literal["auto", "ask", "act", "look"]
Permit = Literal["always", "ask", "pin", "never"]
PERMITS: tuple[str, ...] = get_args(Permit)
SeveralSteps = Annotated[Literal["auto"] | bool, WrapValidator(checked_steps)]
ServerType = Literal["stdio", "sse", "http", "streamable-http"]  # as mcp.json has it
Latitude = Annotated[float, Field(ge=-90, le=90)]
Longitude = Annotated[float, Field(ge=-180, le=180)]
Spoken = Literal[
    "doorbell", "button", "door", "lock", "keypad", "battery", "tamper", "intrusion", "emergency", "power",
    "siren", "smoke_test",
]  # fmt: skip


def _engine(known: tuple[str, ...], is_file: Callable[[str], bool]) -> Callable[[str], str]:
    """A validator for an engine, a file or a server."""

    def checked(text: str) -> str:
        if text.startswith(SERVER):
            return checked_server(text)
        if text in known or is_file(text):
            return text
        hint = did_you_mean(text, known)
        raise ValueError(f"must be {', '.join(known)}, a file or {SERVER}host:port{hint}")

    return checked


SttEngine = Annotated[
    str, AfterValidator(_engine(STT_ENGINES, lambda text: "/" in text or Path(text).is_dir()))
]
TtsEngine = Annotated[str, AfterValidator(_engine(TTS_ENGINES, lambda text: text.endswith(".onnx")))]
TOWNS_URL = "https://geocoding-api.open-meteo.com"


class BrainSettings(Section):
    """Who answers, and how long a turn may take."""

    provider: Provider = Field(
        "local",
        description="who answers what is not understood without a model: local (nobody), ollama or anthropic",
    )
    languages: Languages = Field(
        ("system", "en"),
        validate_default=True,
        description='understood and answered in, such as ["de", "en"]; "system" is that of the locale',
    )
    room: str | None = Field(None, description='the room this gateway stands in; settles "turn on the light"')
    max_rounds: ClassVar[int] = 6  # model calls in one turn
    several_steps: SeveralSteps = Field(
        "auto",
        description="ask the model again after its calls went well: true, false, or auto "
        "(Anthropic, and Ollama models of 7 B and more)",
    )
    autonomy: AutonomySetting = Field(
        "auto",
        description="what becomes of a model's act that you did not plainly wish for: ask (you are asked), "
        "act (done, if it can be taken back), look (refused), or auto (act for Anthropic, and Ollama models "
        "of 7 B and more; else ask)",
    )
    turn_timeout_seconds: float = Field(120.0, gt=0, description="the longest a whole turn may take")
    conversation_expiry_seconds: ClassVar[float] = 900.0  # silence that ends a conversation
    store: StorePlace = Field(
        "memory",
        description="where conversations are kept: memory, sqlite (they survive a restart), or redis://host",
    )
    refresh_seconds: ClassVar[float] = 30.0  # how often device names are read again


class OllamaSettings(Section):
    """A model server in the house."""

    base_url: WebAddress = Field("http://127.0.0.1:11434", description="where Ollama listens")
    model: str = Field("qwen2.5:0.5b", description="the model's name, as `ollama list` shows it")
    num_ctx: int = Field(6144, ge=512, description="context length; a change makes Ollama reload the model")
    keep_alive: str = Field("30m", description="how long Ollama keeps the model and the prompt it has read")
    reasoning: ClassVar[bool] = False  # thinking aloud before the answer is slow
    temperature: ClassVar[float] = 0.0  # the same answer to the same question
    num_predict: int = Field(512, ge=1, description="longest answer, in tokens")
    timeout_seconds: float = Field(60.0, gt=0, description="longest silence of the server")
    tool_token_budget: int = Field(4000, ge=0, description="tokens the tool list may take of the context")
    home_token_budget: int = Field(
        600,
        ge=0,
        description="tokens the devices' names may take; above it: how many of each kind; 0: no names",
    )
    form: bool = Field(
        True,
        description="let a model below 7 B fill in a form of the home, which asks you, instead of calling it",
    )
    warm_up: bool = Field(True, description="let Ollama read system prompt, tools and home before a question")


class AnthropicSettings(Section):
    """A model in the cloud; used only when it is chosen as provider."""

    api_key: SecretStr | None = Field(None, description="the key; better set ANTHROPIC_API_KEY")
    model: str = Field("claude-haiku-4-5", description="the model's name")
    base_url: WebAddress | None = Field(None, description="another address of the API")
    max_tokens: ClassVar[int] = 1024  # longest answer
    home_token_budget: ClassVar[int] = 4000  # tokens the devices' names may take
    timeout_seconds: float = Field(30.0, gt=0, description="longest wait for one request")
    max_retries: ClassVar[int] = 2  # after an overloaded or unreachable API


class ToolsSettings(Section):
    """How tools run."""

    timeout_seconds: float = Field(30.0, gt=0, description="limit of one tool call")
    result_cap: int = Field(8000, ge=200, description="characters of a result that the model gets")
    priority: tuple[str, ...] = Field((), description="tools to keep, first first, when the list is too long")
    tools_dir: Path | None = Field(None, description="folder of LangChain tools of your own (docs/tools.md)")
    search: bool = Field(True, description="offer web search")
    searxng_url: WebAddress | None = Field(None, description="your own SearXNG; without it DuckDuckGo (ddgs)")
    search_region: ClassVar[str] = "wt-wt"
    search_safe: ClassVar[Literal["off", "moderate", "strict"]] = "moderate"
    search_timeout_seconds: ClassVar[float] = 10.0
    weather: bool = Field(True, description="offer the weather, from Open-Meteo")
    weather_url: WebAddress = Field("https://api.open-meteo.com", description="where Open-Meteo answers")
    weather_units: Literal["metric", "imperial"] = Field("metric", description="metric or imperial")
    weather_timeout_seconds: ClassVar[float] = 10.0

    @property
    def weather_towns_url(self) -> str:
        """Where towns are looked up: Open-Meteo has another host for it, a server of one's own has not."""
        default = type(self).model_fields["weather_url"].default
        return TOWNS_URL if self.weather_url == default else self.weather_url


class McpSettings(Section):
    """How MCP servers are connected and tried again."""

    attempts: int = Field(3, ge=1, le=20, description="attempts at start before going on without the server")
    base_delay_seconds: float = Field(2.0, ge=0, description="waits before attempts: 0, 2, 4 …")
    connect_timeout_seconds: float = Field(5.0, gt=0, description="limit of one attempt")
    first_start_seconds: float = Field(120.0, gt=0, description="limit of a first start; npx may fetch it")
    max_delay_seconds: ClassVar[float] = 60.0  # longest wait between later attempts
    stop_timeout_seconds: ClassVar[float] = 2.0  # time a server has to end before it is killed
    mcp_config: Path | None = Field(
        None,
        description="another client's mcp.json whose servers are used too "
        "(default: mcp.json beside the voice-gateway.toml of the configuration folder, if it is there)",
    )
    simulated_home: bool = Field(True, description="start the simulated home where no server is configured")


class ServerSettings(Section):
    """One MCP server, in the shape other MCP clients use: a command, or a url."""

    command: str | None = Field(None, description="program to start")
    args: tuple[str, ...] = Field((), description="its arguments")
    env: Mapping[str, str] = Field(default_factory=dict, description="its environment, besides HOME and PATH")
    cwd: Path | None = Field(None, description="its working folder")
    url: WebAddress | None = Field(None, description="address of a server that runs elsewhere, not a command")
    type: ServerType | None = Field(None, description="way to reach it; without it, found out by trying")
    headers: Mapping[str, SecretStr] = Field(default_factory=dict, description="HTTP headers for url")
    timeout_seconds: float | None = Field(None, gt=0, description="limit of one call to this server")
    trusted: bool = Field(
        False,
        description="believe what it says of its tools, and its answers; without it only zwave-mcp-server is",
    )

    @model_validator(mode="before")
    @classmethod
    def _our_own_is_trusted(cls, values: Any) -> Any:
        if isinstance(values, dict) and "trusted" not in values:
            return {**values, "trusted": is_own_server(values.get("command"), values.get("args"))}
        return values

    @model_validator(mode="after")
    def _one_way_to_reach_it(self) -> "ServerSettings":
        if (self.command is None) == (self.url is None):
            raise ValueError("needs either command or url")
        if self.type is not None and (self.type == "stdio") != (self.url is None):
            raise ValueError(
                f'type "{self.type}" does not fit {"a command" if self.url is None else "a url"}'
            )
        return self

    @property
    def has_token(self) -> bool:
        """In its headers; else one may come from a login."""
        return any(key.lower() == "authorization" for key in self.headers)

    @property
    def is_home(self) -> bool:
        """Whether its command or address is that of our Z-Wave server or of Home Assistant."""
        path = (self.url or "").partition("?")[0].rstrip("/")
        return is_own_server(self.command, self.args) or path.endswith(HOME_ASSISTANT_PATHS)

    @property
    def simulated(self) -> bool:
        """A home that is not real; the ready line and `tools` say so."""
        return "--simulate" in self.args


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A server of an mcp.json that cannot be used, and why."""

    name: str  # empty: the whole file
    file: Path
    reason: str  # follows the name


class MqttSettings(Section):
    """The gateway's own link to an MQTT broker."""

    broker_url: BrokerAddress | None = Field(None, description="mqtt://host:1883 or mqtts://host:8883")
    username: str | None = Field(None, description="login name")
    password: SecretStr | None = Field(None, description="password; better set MQTT_PASSWORD")
    ca_file: Path | None = Field(None, description="authority of a mqtts:// broker's certificate, if private")
    prefix: Topic = Field("voice", description="first level of every topic")
    reply_prefix: Topic | None = Field(None, description="answers may also be asked for here and below")
    name: str = Field("Voice Gateway", min_length=1, description="name of this gateway in Home Assistant")
    room: str | None = Field(None, description="the room that requests over MQTT come from")
    discovery_prefix: TopicOrNone = Field(
        "homeassistant",
        description='where Home Assistant listens for the announcement of the gateway; "" announces nothing',
    )
    share_group: ShareGroup | None = Field(
        None, description="share requests among the gateways of this name; needs a redis:// store"
    )

    @model_validator(mode="after")
    def _answers_go_elsewhere(self) -> "MqttSettings":
        if f"{self.reply_prefix}/".startswith(f"{self.prefix}/"):
            raise ValueError("reply_prefix must be outside of prefix, where the gateway has its own topics")
        return self


class SpeechSettings(Section):
    """How replies are spoken."""

    model_tone: bool = Field(True, description="a soft tone before the words of a language model")


class VoiceSettings(Section):
    """The microphone and the loudspeaker."""

    enabled: bool = Field(False, description="listen and speak; also `run --voice`")
    input_device: str | None = Field(None, description="microphone, by name or number; see `doctor`")
    output_device: str | None = Field(None, description="loudspeaker, by name or number")
    wake: Literal["openwakeword", "microwakeword", "none"] = Field(
        "openwakeword", description="wake word engine; microwakeword is lighter; none is push to talk"
    )
    wake_words: tuple[str, ...] = Field(("hey_jarvis",), min_length=1, description="any of these wakes it")
    wake_threshold: float | None = Field(None, gt=0, lt=1, description="how sure it must be")
    silence_seconds: float = Field(0.5, gt=0, le=5, description="silence that ends an utterance")
    quick_silence_seconds: ClassVar[float] = 0.3  # silence that ends a complete command
    min_speech_seconds: ClassVar[float] = 0.2  # less speech than this is noise
    max_speech_seconds: ClassVar[float] = 15.0  # longest utterance
    pre_roll_seconds: ClassVar[float] = 0.3  # audio kept from before speech was noticed
    no_speech_seconds: ClassVar[float] = 5.0  # wait for a command after the wake word
    follow_up_seconds: ClassVar[float] = 6.0  # listen without wake word after a question
    stt: SttEngine = Field(
        "moonshine",
        description="speech to text: moonshine, the folder of a faster-whisper model, or a Wyoming server, "
        "tcp://host:port",
    )
    tts: TtsEngine = Field(
        "hibari",
        description="text to speech: hibari, espeak, a Piper voice (.onnx file), or a Wyoming server, "
        "tcp://host:port",
    )
    earcons: bool = Field(True, description="short sounds for wake, end of speech, done, not done and error")
    wyoming_url: ListenAddress | None = Field(None, description="serve Wyoming, as tcp://127.0.0.1:10700")

    @property
    def stt_engine(self) -> Literal["moonshine", "whisper", "wyoming"]:
        if self.stt.startswith(SERVER):
            return "wyoming"
        return "moonshine" if self.stt in STT_ENGINES else "whisper"

    @property
    def tts_engine(self) -> Literal["hibari", "espeak", "piper", "wyoming"]:
        if self.tts.startswith(SERVER):
            return "wyoming"
        if self.tts.endswith(".onnx"):
            return "piper"
        return "espeak" if self.tts == "espeak" else "hibari"


class WebSettings(Section):
    """The console in the browser, and the API."""

    enabled: bool = Field(True, description="serve the console and the API (docs/web.md)")
    host: str = Field("127.0.0.1", min_length=1, description="where to listen; other machines need a token")
    port: int = Field(8770, ge=0, le=65_535, description="port to listen on; 0 takes any that is free")
    open_on_loopback: bool = Field(
        True, description="on loopback no login is needed; false: `run` prints a link that logs in once"
    )
    tls_cert: Path | None = Field(None, description="certificate (PEM), for https; needs tls_key")
    tls_key: Path | None = Field(None, description="its private key (PEM)")
    hosts: tuple[HostName, ...] = Field(
        (), description="more names by which browsers reach it, as home.example"
    )

    @model_validator(mode="after")
    def _a_certificate_has_a_key(self) -> "WebSettings":
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key need each other")
        return self

    @property
    def needs_token(self) -> bool:
        return not (self.open_on_loopback and is_loopback(self.host))

    @property
    def login_by_link(self) -> bool:
        """Whether people of this machine log in by the link that `run` prints."""
        return self.needs_token and is_loopback(self.host)


class PermissionSettings(Section):
    """What needs a yes, and from where."""

    confirm: bool = Field(True, description="ask before unlocking, opening a gate or garage, disarming")
    pin: Pin | None = Field(None, description="four digits or more that must be said or typed to confirm")
    expiry_seconds: float = Field(30.0, gt=0, description="a question for confirmation is void after this")
    sensitive_channels: tuple[Channel, ...] = Field(
        ("cli", "voice"),
        description="channels that may ask for sensitive acts, of cli, voice, mqtt, wyoming, web, mcp and v1",
    )
    permit: Mapping[str, Permit] = Field(
        default_factory=dict, description="tools and devices by name: always, ask, pin or never"
    )


class HomeSettings(Section):
    """Where the home stands, and what holds where several servers have devices."""

    prefer: str | None = Field(None, description="the server that is meant where two have a device of a name")
    poll_seconds: float = Field(10.0, ge=1, le=3600, description="seconds between reads of Home Assistant")
    location: tuple[Latitude, Longitude] | None = Field(
        None, description="degrees north and east, for the weather, sunrise and sunset: [52.52, 13.40]"
    )
    timezone: ZoneInfo | None = Field(None, description="for example Europe/Berlin (default: the system's)")

    @property
    def latitude(self) -> float | None:
        return self.location[0] if self.location else None

    @property
    def longitude(self) -> float | None:
        return self.location[1] if self.location else None


class RoutinesSettings(Section):
    """What is done later, again and again, or when something happens."""

    limit: ClassVar[int] = 1000  # routines
    grace_seconds: ClassVar[float] = 120.0  # a routine missed for no longer is done late, else asked about
    allow_opening: bool = Field(False, description="routines may unlock and open the house")


class EventSettings(Section):
    """What happens in the home."""

    speak: tuple[Spoken, ...] = Field(
        ("doorbell", "tamper", "intrusion", "emergency"),
        description=f"events told aloud, of {', '.join(get_args(Spoken))}; "
        "smoke, gas, heat and water always are",
    )


class RecorderSettings(Section):
    """What happened in every turn, kept on this machine (docs/turns.md)."""

    days: float = Field(
        14.0,
        ge=0,
        description='how long turns are kept, for `turns`, `replay` and "why did you do that"; 0 keeps none',
    )
    megabytes: ClassVar[float] = 200.0  # how much is kept; the oldest turn goes first

    @property
    def enabled(self) -> bool:
        return self.days > 0


class Settings(Section):
    """The whole tree. Parts get their own section, never this."""

    brain: BrainSettings = BrainSettings()
    ollama: OllamaSettings = OllamaSettings()
    anthropic: AnthropicSettings = AnthropicSettings()
    tools: ToolsSettings = ToolsSettings()
    mcp: McpSettings = McpSettings()
    mcpServers: Mapping[ServerName, ServerSettings] = Field(default_factory=dict)  # noqa: N815 (the name other clients use)
    mqtt: MqttSettings = MqttSettings()
    voice: VoiceSettings = VoiceSettings()
    speech: SpeechSettings = SpeechSettings()
    permission: PermissionSettings = PermissionSettings()
    home: HomeSettings = HomeSettings()
    routines: RoutinesSettings = RoutinesSettings()
    events: EventSettings = EventSettings()
    web: WebSettings = WebSettings()
    recorder: RecorderSettings = RecorderSettings()

    _left_out: tuple[LeftOut, ...] = PrivateAttr(())

    def with_servers(
        self, servers: Mapping[str, ServerSettings], left_out: Iterable[LeftOut] = ()
    ) -> "Settings":
        settings = self.model_copy(update={"mcpServers": servers})
        settings._left_out = tuple(left_out)
        return settings

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The entries of an mcp.json that cannot be used; `mcpServers` is without them."""
        return self._left_out

    @model_validator(mode="after")
    def _sharing_needs_a_shared_store(self) -> "Settings":
        if self.mqtt.share_group is not None and "://" not in self.brain.store:
            raise ValueError(
                'mqtt.share_group needs brain.store = "redis://…", so that no request acts twice'
            )
        return self


def sections() -> dict[str, type[Section]]:
    """The sections by name, in the order of the tree (servers are a table of their own)."""
    kinds = {name: info.annotation for name, info in Settings.model_fields.items()}
    return {
        name: kind for name, kind in kinds.items() if isinstance(kind, type) and issubclass(kind, Section)
    }


def setting_names() -> list[str]:
    """Every setting as `section.key`."""
    return [f"{section}.{key}" for section, kind in sections().items() for key in kind.model_fields]


def field_of(setting: str) -> FieldInfo | None:
    """The field of a setting, or of a server as `mcpServers.NAME.key`; None for any other name."""
    table, _, key = setting.rpartition(".")
    kind = ServerSettings if table.startswith("mcpServers.") else sections().get(table)
    return kind.model_fields.get(key) if kind is not None else None
