"""Health, metrics with the dashboard that reads them, and the record of turns."""

import contextlib
import json
import re
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families
from tests.fakes.recording import recording
from tests.fakes.web import client, served

from voice_gateway.channels.web.system_api import MOST_NAMES, Stats, health_router, turns_router
from voice_gateway.errors import ErrorKind
from voice_gateway.events import Acted, Answered, EventBus, Heard, ModelRound, PartState, State
from voice_gateway.mcp_client.integration import ServerStatus
from voice_gateway.turn import Decision, Reply, ToolOutcome, Utterance, Verdict

ROOT = Path(__file__).parents[4]
SAID = Utterance("my secret words", channel="web", conversation_id="secret talk")


def stats(*names):
    return Stats(lambda name: name if name in names else None, "1.2.3")


def acted(name, seconds=0.1, **facts):
    return Acted(SAID, ToolOutcome("1", name, "secret result", seconds=seconds, **{"ok": True, **facts}))


def server(**facts):
    known = {"name": "zwave", "state": "connected", "attempts": 1, "last_error": None, "stderr_tail": ""}
    return ServerStatus(**{**known, "tools": ("a", "b"), "restarts": 3, "simulated": False, **facts})


@contextlib.asynccontextmanager
async def pages(folder, counts, parts=(), servers=()):
    async def all_parts():
        return parts

    def routes(_start):
        return [health_router(counts, lambda: parts, all_parts, lambda: servers)]

    async with served(folder, routes) as channel, client(channel) as http:
        yield http


async def metrics(http):
    text = (await http.get("/metrics")).text
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {(sample.name, *sorted(sample.labels.items())): sample.value for sample in samples}, text


async def test_turns_calls_and_tokens_are_counted_without_the_words_of_users(tmp_path):
    counts = stats("lamp")
    for event in (
        acted("lamp", 0.2),
        acted("lamp", 0.4, ok=False, error=ErrorKind.TIMEOUT, read_only=True),
        acted("what somebody made up", ok=False, error=ErrorKind.UNKNOWN_TOOL),
        Answered(SAID, Reply("secret reply", stage="local", seconds=0.3)),
        Answered(Utterance("x", channel="made up"), Reply("", stage="odd", ok=False)),
        ModelRound(SAID, "qwen3:4b", 1, 2.0, input_tokens=100, output_tokens=7),
    ):
        counts.on_event(event)
    part = PartState("server zwave", State.DEGRADED, "a sentence", 5.0)
    async with pages(tmp_path, counts, [part], [server()]) as http:
        await metrics(http)
        found, text = await metrics(http)  # the second scrape adds nothing

    assert "secret" not in text
    assert "made up" not in text
    expected = {
        ("turns_total", ("door", "web"), ("ok", "true"), ("stage", "local")): 1,
        ("turns_total", ("door", "other"), ("ok", "false"), ("stage", "other")): 1,
        ("tool_calls_total", ("outcome", "confirmed"), ("tool", "lamp")): 1,
        ("tool_calls_total", ("outcome", "unsupported"), ("tool", "other")): 1,
        ("tool_seconds_count", ("tool", "lamp")): 2,
        ("tool_seconds_bucket", ("le", "0.25"), ("tool", "lamp")): 1,
        ("model_tokens_total", ("kind", "input"), ("model", "qwen3:4b")): 100,
        ("part_state", ("part", "server zwave"), ("state", "degraded")): 1,
        ("part_state", ("part", "server zwave"), ("state", "ok")): 0,
        ("server_restarts_total", ("server", "zwave")): 3,
        ("info", ("version", "1.2.3")): 1,
    }
    assert {name: found[f"voice_gateway_{name[0]}", *name[1:]] for name in expected} == expected
    assert ("process_resident_memory_bytes",) in found


def test_renamed_tools_share_one_counter_above_the_limit():
    counts = Stats(lambda name: name)
    for number in range(MOST_NAMES + 50):
        counts.on_event(acted(f"tool{number}"))
    [calls] = [family for family in counts.registry.collect() if family.name == "voice_gateway_tool_calls"]
    of = {sample.labels["tool"]: sample.value for sample in calls.samples}
    assert (len(of), of["other"]) == (MOST_NAMES + 1, 50)


def test_a_refused_call_is_counted_and_has_no_duration():
    counts = stats("lock")
    counts.on_event(acted("lock", ok=False, verdict=Verdict(Decision.REFUSED)))
    found = {family.name: len(family.samples) for family in counts.registry.collect()}
    assert (found["voice_gateway_tool_calls"], found["voice_gateway_tool_seconds"]) == (1, 0)


async def test_health_gives_advice_and_hides_secrets_of_a_servers_stderr(tmp_path):
    parts = [
        PartState("server zwave", State.DEGRADED, "It is silent.", 5.0, "look: password=hunter22"),
        PartState("web", State.OK, "The web console is there.", 6.0),
    ]
    stderr = "\n".join(f"line {number}" for number in range(50)) + "\n\x1b[31mtoken=abcdef123456"
    status = server(state="degraded", last_error="password: hunter22", stderr_tail=stderr)
    async with pages(tmp_path, stats(), parts, [status]) as http:
        health = (await http.get("/api/health")).json()

    zwave, web = health["parts"]
    assert (health["state"], zwave["state"], zwave["since"]) == ("degraded", "degraded", 5.0)
    assert zwave["restarts"] == 3
    assert zwave["advice"].startswith("look")
    assert "hunter22" not in zwave["advice"]
    assert len(zwave["stderr"]) == 20
    assert zwave["stderr"][-1].endswith("token=***")
    assert "\x1b" not in zwave["stderr"][-1]
    assert "hunter22" not in zwave["last_error"]
    assert "restarts" not in web


def test_the_dashboard_and_the_docs_name_metrics_that_exist():
    families = stats().registry.collect()
    endings = {"counter": "_total", "info": "_info"}
    known = {one.name + endings.get(one.type, "") for one in families if one.name.startswith("voice_gateway")}
    dashboard = json.loads((ROOT / "packaging" / "grafana-dashboard.json").read_text(encoding="utf-8"))
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked = {name for text in queries for name in re.findall(r"\bvoice_gateway_\w+", text)}
    assert len(asked) >= 8
    assert {re.sub(r"_(bucket|count|sum)$", "", name) for name in asked} <= known
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    assert [name for name in known if f"`{name}`" not in pages] == []


# --- turns


@contextlib.asynccontextmanager
async def kept(tmp_path, *said: tuple[str, str]):
    """A client, behind turns of these conversations with these words."""
    watch = EventBus()
    recorder = recording(tmp_path, watch)
    for conversation, text in said:
        utterance = Utterance(text, "web", conversation)
        watch.publish(Heard(utterance))
        watch.publish(Answered(utterance, Reply("Done.", conversation_id=conversation)))
    await recorder.written()
    async with served(tmp_path, lambda _start: [turns_router(recorder)]) as door, client(door) as http:
        yield http
    await recorder.close()


async def texts(http, **asked: str) -> list[str]:
    answer = await http.get("/api/turns", params=asked)
    assert answer.status_code == 200, answer.text
    return [turn["text"] for turn in answer.json()["turns"]]


async def test_turns_are_listed_by_conversation_and_search(tmp_path):
    others = [("hall", f"number {number}") for number in range(60)]
    async with kept(tmp_path, ("mine", "first"), *others, ("mine", "last")) as http:
        assert await texts(http, conversation="mine") == ["last", "first"]
        assert await texts(http, conversation="mine", search="first") == ["first"]
        assert await texts(http, conversation="nobody's") == []
        assert len(await texts(http)) == 50


async def test_a_wrong_query_is_refused_by_the_name_of_its_field(tmp_path):
    wrong = [("limit", value) for value in ("0", "201", "-1", "1.5", "x", "", "1" * 5000, "1e2")]
    wrong += [(field, "x" * 201) for field in ("search", "before", "conversation")]
    async with kept(tmp_path) as http:
        for field, value in wrong:
            answer = await http.get("/api/turns", params={field: value})
            assert answer.status_code == 422, (field, value)
            assert answer.json()["error"].startswith(f"{field}: ")


async def test_a_405_names_the_allowed_methods(tmp_path):
    async with kept(tmp_path) as http:
        for path, methods in (("/api/turns/7", "DELETE, GET"), ("/index.html", "GET, HEAD")):
            answer = await http.post(path)
            assert (answer.status_code, answer.headers["allow"]) == (405, methods)
