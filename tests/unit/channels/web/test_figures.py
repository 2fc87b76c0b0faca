"""What is counted: known names, numbers, and never what anybody said."""

import contextlib

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.fakes.web import client, served

from voice_gateway.channels.web.health import Health
from voice_gateway.channels.web.metrics import Metrics
from voice_gateway.channels.web.stats import MOST_NAMES, Figures, Spread
from voice_gateway.errors import ErrorKind
from voice_gateway.events import Acted, Answered, ModelRound, PartState, State
from voice_gateway.mcp_client.integration import ServerStatus
from voice_gateway.problems.sentences import SERVER_SILENT
from voice_gateway.turn import Reply, ToolOutcome, Utterance
from voice_gateway.verdict import Decision, Verdict

SAID = Utterance("my secret words", channel="web", conversation_id="secret talk")


def figures(*names):
    return Figures(lambda name: name if name in names else None)


def acted(name, seconds=0.1, **facts):
    return Acted(SAID, ToolOutcome("1", name, "secret result", seconds=seconds, **{"ok": True, **facts}))


def server(**facts):
    told = {
        "name": "zwave",
        "state": "connected",
        "attempts": 1,
        "last_error": None,
        "stderr_tail": "",
        "tools": ("a", "b"),
        "restarts": 3,
        "simulated": False,
    }
    return ServerStatus(**{**told, **facts})


@contextlib.asynccontextmanager
async def pages(folder, known, parts=(), servers=()):
    async def all_parts():
        return parts

    def routes(_start):
        metrics = Metrics(known, lambda: parts, lambda: servers, "1.2.3")
        return [*metrics.routes(), *Health(known, all_parts, lambda: servers).routes()]

    async with served(folder, routes) as door, client(door) as http:
        yield http


async def metrics(http):
    text = (await http.get("/metrics")).text
    families = text_string_to_metric_families(text)
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }, text


async def test_turns_calls_and_tokens_are_counted_without_anybodys_words(tmp_path):
    known = figures("lamp")
    known.watched(acted("lamp", 0.2))
    known.watched(acted("lamp", 0.4, ok=False, error=ErrorKind.TIMEOUT, read_only=True))
    known.watched(acted("what somebody made up", ok=False, error=ErrorKind.UNKNOWN_TOOL))
    known.watched(Answered(SAID, Reply("secret reply", stage="local", seconds=0.3)))
    known.watched(Answered(Utterance("x", channel="made up"), Reply("", stage="odd", ok=False)))
    known.watched(ModelRound(SAID, "qwen3:4b", 1, 2.0, input_tokens=100, output_tokens=7))
    part = PartState("server zwave", State.DEGRADED, "a sentence", 5.0)
    async with pages(tmp_path, known, [part], [server()]) as http:
        found, text = await metrics(http)

    assert "secret" not in text
    assert "made up" not in text
    assert found["voice_gateway_turns_total", ("door", "web"), ("ok", "true"), ("stage", "local")] == 1
    assert found["voice_gateway_turns_total", ("door", "other"), ("ok", "false"), ("stage", "other")] == 1
    assert found["voice_gateway_tool_calls_total", ("outcome", "confirmed"), ("tool", "lamp")] == 1
    assert found["voice_gateway_tool_calls_total", ("outcome", "unsupported"), ("tool", "other")] == 1
    assert found["voice_gateway_tool_seconds_count", ("tool", "lamp")] == 2
    assert found["voice_gateway_tool_seconds_bucket", ("le", "0.25"), ("tool", "lamp")] == 1
    assert found["voice_gateway_model_tokens_total", ("kind", "input"), ("model", "qwen3:4b")] == 100
    assert found["voice_gateway_part_state", ("part", "server zwave"), ("state", "degraded")] == 1
    assert found["voice_gateway_part_state", ("part", "server zwave"), ("state", "ok")] == 0
    assert found["voice_gateway_server_restarts_total", ("server", "zwave")] == 3
    assert found["voice_gateway_info", ("version", "1.2.3")] == 1
    assert ("process_resident_memory_bytes",) in found


def test_a_server_that_renames_its_tools_for_ever_fills_no_memory():
    known = Figures(lambda name: name)
    for number in range(MOST_NAMES + 50):
        known.watched(acted(f"tool{number}"))
    assert len(known.call_times) == MOST_NAMES + 1
    assert known.calls["other", "confirmed"] == 50


def test_a_call_that_was_not_allowed_took_no_time():
    known = figures("lock")
    known.watched(acted("lock", ok=False, verdict=Verdict(Decision.REFUSED)))
    assert known.calls["lock", "not_permitted"] == 1
    assert known.call_times == {}


@pytest.mark.parametrize(("count", "half", "most"), [(1, 1, 1), (2, 1, 2), (100, 50, 95), (1000, 900, 990)])
def test_quantiles_are_of_the_recent_ones(count, half, most):
    spread = Spread()
    for number in range(1, count + 1):
        spread.add(float(number))
    assert spread.quantile(0.5) == half
    assert spread.quantile(0.95) == most


async def test_health_tells_what_to_do_and_hides_what_a_server_wrote_by_mistake(tmp_path):
    known = figures("lamp")
    known.watched(acted("lamp", 0.2))
    known.watched(acted("lamp", 0.4, ok=False))
    parts = [
        PartState("server zwave", State.DEGRADED, SERVER_SILENT.format(name="zwave"), 5.0),
        PartState("web", State.OK, "The web console is there.", 6.0),
    ]
    stderr = "\n".join(f"line {number}" for number in range(50)) + "\n\x1b[31mtoken=abcdef123456"
    status = server(state="degraded", last_error="password: hunter22", stderr_tail=stderr)
    async with pages(tmp_path, known, parts, [status]) as http:
        health = (await http.get("/api/health")).json()

    assert health["state"] == "degraded"
    zwave, web = health["parts"]
    assert zwave["state"] == "degraded"
    assert zwave["since"] == 5.0
    assert zwave["restarts"] == 3
    assert "doctor" in zwave["advice"]
    assert zwave["returns"].startswith("by itself")
    assert len(zwave["stderr"]) == 20
    assert zwave["stderr"][-1].endswith("token=***")
    assert "\x1b" not in zwave["stderr"][-1]
    assert "hunter22" not in zwave["last_error"]
    assert "restarts" not in web
    [tool] = health["tools"]
    assert tool == {
        "name": "lamp",
        "calls": 2,
        "failed": 1,
        "p50": 0.2,
        "p95": 0.4,
        "recent": [0.2, 0.4],
    }
