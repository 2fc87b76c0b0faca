"""What can be wrong with MCP servers, the homes behind them, and tools."""

from voice_gateway.problems.problem import Problem
from voice_gateway.problems.sentences import (
    HOME_EMPTY,
    HOME_NOT_SET_UP,
    HOME_STARTING,
    LISTS_LOST,
    LOGIN_NEEDED,
    OWN_TOOLS_LEFT_OUT,
    ROUTINES_LOST,
    SERVER_GIVEN_UP,
    SERVER_HANGS,
    SERVER_INSTALLING,
    SERVER_SILENT,
    SERVER_UNUSABLE,
    SERVERS_UNUSABLE,
    TIMERS_LOST,
    TOKEN_REFUSED,
    TURNS_LOST,
)


def start_by_hand(command: str) -> str:
    return (
        f"that {command} is installed and starts by hand with the same arguments, and that what it needs is"
        " running (for a Z-Wave server: the MQTT broker)"
    )


def reachable(address: str) -> str:
    return f"that {address} is running and reachable from here, and that its headers are right"


SERVER = Problem(
    "`server NAME`",
    (SERVER_SILENT, SERVER_HANGS),
    "the MCP server did not start, ended, or hangs; built-in tools and other servers work",
    f"{start_by_hand('its command')}; or {reachable('its address')};"
    " `voice-gateway doctor` shows its last words",
    "by itself: it is tried again and again, with waits up to a minute",
)
SERVER_ENTRY = Problem(
    "`server NAME` (its entry)",
    (SERVER_UNUSABLE,),
    "its entry in another client's `mcp.json` cannot be used; the other entries are",
    "the entry; `voice-gateway config check` names each mistake ([mcp.json](mcp.md))",
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
    "`server NAME` (slow start)",
    (SERVER_INSTALLING,),
    "it has not answered yet: npx, uvx, docker or the like may still be fetching it, which takes"
    " from seconds to minutes. Everything else works meanwhile",
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
OWN_TOOLS = Problem(
    "`tools`",
    (OWN_TOOLS_LEFT_OUT,),
    "a file of `tools.tools_dir`, or a package with tools, has a mistake, or others could have written it;"
    " everything else works",
    "the file and line that are named; `chmod go-w` where others may write",
    "at the next start",
)

TOOLS = (
    SERVER,
    SERVER_ENTRY,
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
)
