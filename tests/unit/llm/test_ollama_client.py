"""The Ollama client against a loopback server that speaks Ollama's protocol, in good days and bad."""

import asyncio
import json
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from tests.fakes.limits import with_limits
from tests.fakes.ollama_server import FakeOllama, Scripted

from voice_gateway.config import BrainSettings, OllamaSettings
from voice_gateway.errors import BrainError
from voice_gateway.integrations.device import Device
from voice_gateway.llm.ollama.client import OllamaClient
from voice_gateway.llm.prompt import NAMES, SYSTEM_PROMPT
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Passed, Reply, ToolTraits, Utterance, Words
from voice_gateway.turns.history import History
from voice_gateway.turns.stage import HomeFacts, Turn


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 15, 10, 32, tzinfo=UTC)
        self.seconds = 1000.0

    def __call__(self) -> datetime:
        return self.now

    def pass_seconds(self, seconds: float) -> None:
        self.seconds += seconds
        self.now += timedelta(seconds=seconds)


def lamp(name: str = "lamp") -> BaseTool:
    async def switch(device: str) -> str:
        return f"The {device} is on."

    return StructuredTool.from_function(
        coroutine=switch,
        name=name,
        description="REQUIRED to switch lamps.",
        metadata={"traits": ToolTraits()},
    )


class Bench:
    """A server, a client and what is between them."""

    def __init__(self, server: FakeOllama) -> None:
        self.server = server
        self.clock = Clock()
        self.tools = ToolManager()
        self.tools.add(lamp())
        self.home: tuple[Device, ...] = ()
        self.clients: list[OllamaClient] = []

    def client(
        self,
        brain: BrainSettings | None = None,
        *,
        tools_ready: Callable[[], Awaitable[None]] | None = None,
        **settings: Any,
    ) -> OllamaClient:
        made = OllamaClient(
            with_limits(OllamaSettings, **{"base_url": self.server.url, **settings}),
            brain or BrainSettings(),
            ToolExecutor(self.tools),
            clock=self.clock,
            monotonic=lambda: self.clock.seconds,
            devices=lambda: self.home,
            tools_ready=tools_ready,
        )
        self.clients.append(made)
        return made

    async def close(self) -> None:
        for client in self.clients:
            await client.aclose()


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    async with FakeOllama() as server:
        bench = Bench(server)
        yield bench
        await bench.close()


TALK = HomeFacts(talk=True)  # its words are streamed


async def ask(client: OllamaClient, text: str = "hello", **turn: Any) -> Reply:
    async with asyncio.timeout(30):
        return await client.answer(Turn(Utterance(text), **turn))


async def fails(client: OllamaClient, text: str = "hello", **turn: Any) -> BrainError:
    with pytest.raises(BrainError) as caught:
        await ask(client, text, **turn)
    return caught.value


# What is sent


async def test_every_option_is_really_sent(bench: Bench) -> None:
    client = bench.client(num_ctx=2048, num_predict=99, keep_alive="7m")
    await ask(client)

    body = bench.server.chats[0]
    assert body["options"] == {"num_ctx": 2048, "num_predict": 99, "temperature": 0.0}
    assert (body["keep_alive"], body["think"], body["stream"]) == ("7m", False, True)
    assert body["model"] == "qwen2.5:0.5b"


async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)

    assert (await ask(bench.client())).text == "All right."


async def test_the_prefix_is_the_same_bytes_in_every_turn_and_conversation(bench: Bench) -> None:
    client, history = bench.client(), History()
    bench.server.script(Scripted(calls=[("broken", {})]), "I could not.")
    await ask(client, "lamp on", history=history)
    bench.clock.pass_seconds(3600)
    await ask(client, "and now?", history=history)
    await client.answer(Turn(Utterance("hello", room="kitchen"), history=History()))

    def whole_prompt(number: int) -> str:
        """System prompt, tools and messages in the order in which a template renders them."""
        body = bench.server.chats[number]
        system, *rest = body["messages"]
        assert system == {"role": "system", "content": SYSTEM_PROMPT}
        return json.dumps([system, body["tools"], *rest])

    first, second, third, other = (whole_prompt(number) for number in range(4))
    prefix = json.dumps([{"role": "system", "content": SYSTEM_PROMPT}, bench.server.chats[0]["tools"]])[:-1]
    assert all(prompt.startswith(prefix) for prompt in (first, second, third, other))
    # What was sent before is sent again byte for byte, so Ollama reads only what is new.
    assert second.startswith(first[:-1])
    assert third.startswith(second[:-1])
    assert "10:32" not in prefix


async def test_time_room_and_leave_to_act_stand_before_the_newest_words(bench: Bench) -> None:
    client = bench.client()
    await client.answer(Turn(Utterance("hello", room="living [room]\n")))
    await ask(client, "is it on?", passed=(Passed("local", "a question", words=Words.TALK),))

    first, second = (body["messages"][-1]["content"] for body in bench.server.chats)
    assert first == "[Sunday 15 November 2026, 10:32; room: living (room)] hello"
    assert second.startswith("[Sunday 15 November 2026, 10:32; the user did not ask for an action")
    assert second.endswith("] is it on?")
    assert bench.server.chats[0]["tools"] == bench.server.chats[1]["tools"]


async def test_one_request_at_a_time(bench: Bench) -> None:
    client, slow = bench.client(), asyncio.Event()
    await client.prepare()
    bench.server.script(Scripted("All right.", gate=slow))
    asyncio.get_running_loop().call_later(0.3, slow.set)  # long enough for the others to come if they could
    replies = await asyncio.gather(*(ask(client, "hello") for _ in range(4)))

    assert [reply.text for reply in replies] == ["All right."] * 4
    assert bench.server.most_at_once == 1


# Streaming and cancellation


async def test_text_is_said_while_it_comes(bench: Bench) -> None:
    go_on, said = asyncio.Event(), asyncio.Queue[str]()
    bench.server.script(Scripted("I am glad. How are you?", pause_after=(4, go_on)))
    async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        task = tasks.create_task(ask(bench.client(), say=lambda part: said.put_nowait(part.text), home=TALK))
        assert await said.get() == "I am glad. "
        assert not task.done()
        go_on.set()

    assert task.result().text == "I am glad. How are you?"


async def test_cancelling_closes_the_request_and_the_next_one_works(bench: Bench) -> None:
    client, history, never = bench.client(), History(), asyncio.Event()
    bench.server.script(Scripted("One two three four", pause_after=(2, never)))
    task = asyncio.create_task(ask(client, history=history))
    await bench.server.wait_for_chats(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert history.messages == []
    assert (await ask(client, history=history)).text == "All right."


# What goes wrong


async def test_an_unknown_model_tells_how_to_get_it(bench: Bench) -> None:
    error = await fails(bench.client(model="tiny:1b"))

    assert "ollama pull tiny:1b" in str(error)
    assert error.spoken == "My language model is not installed."


async def test_nothing_listening_tells_how_to_start_it() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = OllamaSettings(base_url=f"http://user:secret@127.0.0.1:{port}")
    client = OllamaClient(settings, BrainSettings(), ToolExecutor(ToolManager()))
    error = await fails(client)
    await client.aclose()

    assert "ollama serve" in str(error)
    assert "OLLAMA_BASE_URL" in str(error)
    assert "secret" not in str(error)
    assert error.spoken == "My language model does not answer."


async def test_a_model_without_tools_is_named_as_such(bench: Bench) -> None:
    bench.server.models["smollm2"] = ["completion"]
    error = await fails(bench.client(model="smollm2"))

    assert "does not support tools" in str(error)
    assert error.spoken == "My language model cannot use tools."


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Scripted("The lamp is", done_reason="length"), "ollama.num_predict"),
        (Scripted("The lamp is", end="no_done"), "without its end"),
        (Scripted("The lamp is", end="abort"), "broke"),
        (Scripted("The lamp is", end="error", error="llama runner terminated"), "llama runner terminated"),
        (Scripted("The lamp is", end="rubbish"), "no readable answer"),
        (Scripted("", done_reason="load"), "Ollama"),
        (Scripted("Half", done_reason="load"), "without its end"),
        (Scripted(status=500, error="out of memory"), "out of memory"),
        (Scripted("Yes.", prompt_eval_count=OllamaSettings().num_ctx), "ollama.num_ctx"),
        (Scripted('{"name": "lamp', done_reason="length"), "ollama.num_predict"),
        (Scripted(calls=[("lamp", {"device": "x"})], done_reason="length"), "ollama.num_predict"),
        (Scripted(calls=[("lamp", {"device": "x"})], end="no_done"), "without its end"),
    ],
)
async def test_an_answer_that_is_not_whole_is_an_error(bench: Bench, reply: Scripted, words: str) -> None:
    bench.server.script(reply)
    history = History()
    error = await fails(bench.client(), history=history)

    assert words in str(error)
    assert history.messages == []
    assert len(bench.server.chats) == 1


async def test_a_prompt_that_may_be_cut_is_not_spoken_before_it_is_known(bench: Bench) -> None:
    said: list[str] = []
    bench.server.script("One. Two. Three.")
    error = await fails(bench.client(num_ctx=512), "word " * 1000, say=said.append, home=TALK)
    assert "fills the whole context" in str(error)
    assert "ollama.num_ctx" in str(error)
    assert said == []


async def test_a_model_with_less_context_than_asked_for_is_noticed(bench: Bench) -> None:
    bench.server.context_length = 600
    error = await fails(bench.client(num_ctx=4096), "word " * 1000)
    assert "fills the whole context (600 tokens" in str(error)


async def test_silence_has_a_limit(bench: Bench) -> None:
    bench.server.script(Scripted("never", gate=asyncio.Event()))
    error = await fails(bench.client(timeout_seconds=0.2))

    assert "silent for 0.2 s" in str(error)


@pytest.mark.parametrize("arguments", ['{"device": "lamp"}', None, "not json"])
async def test_string_or_null_arguments_are_asked_for_again(bench: Bench, arguments: object) -> None:
    bench.server.script(
        Scripted(calls=[("lamp", arguments)]),
        Scripted(calls=[("lamp", {"device": "floor lamp"})]),
    )
    reply = await ask(bench.client())

    assert reply.text == "The floor lamp is on."
    assert [outcome.args for outcome in reply.outcomes] == [{"device": "floor lamp"}]
    assert "JSON object" in bench.server.chats[1]["messages"][-1]["content"]

    bench.server.script(Scripted(calls=[("lamp", arguments)]), Scripted(calls=[("lamp", arguments)]))
    error = await fails(bench.client())
    assert "not an object" in str(error)


# Warm-up


async def test_warm_up_reads_what_the_first_question_begins_with(bench: Bench) -> None:
    client = bench.client()
    assert await client.warm_up()
    await ask(client)

    warm, first = bench.server.chats
    assert warm["messages"][0] == first["messages"][0]
    assert warm["tools"] == first["tools"]
    assert warm["options"] == {**first["options"], "num_predict": 1}
    assert warm["keep_alive"] == first["keep_alive"]


async def test_warm_up_is_done_once_and_again_after_a_change_an_unload_or_a_failure(bench: Bench) -> None:
    client = bench.client(keep_alive="30m")

    async def sent_by_warm_up() -> int:
        before = len(bench.server.chats)
        assert await client.warm_up()
        return len(bench.server.chats) - before

    assert await sent_by_warm_up() == 1
    assert await sent_by_warm_up() == 0
    bench.tools.add(lamp("other"))
    assert await sent_by_warm_up() == 1
    bench.clock.pass_seconds(29 * 60)
    assert await sent_by_warm_up() == 0
    await ask(client)  # starts the time again
    bench.clock.pass_seconds(29 * 60)
    assert await sent_by_warm_up() == 0
    bench.clock.pass_seconds(61)
    assert await sent_by_warm_up() == 1
    bench.server.script(Scripted("x", end="abort"))
    await fails(client)
    assert await sent_by_warm_up() == 1


@pytest.mark.parametrize("settings", [{"warm_up": False}, {"keep_alive": "0"}, {"keep_alive": "10s"}])
async def test_nothing_is_kept_warm_against_the_users_will(bench: Bench, settings: dict[str, Any]) -> None:
    async with asyncio.timeout(30):
        await bench.client(**settings).keep_warm()

    assert bench.server.chats == []


# The home's names

LAMP, FAN = Device("Floor Lamp", "Living Room", "dimmer", "off"), Device("Fan", "Bath", "switch", "on")
NOTE = f'[{NAMES}\n"Bath": "Fan"\n"Living Room": "Floor Lamp"]\n'


def sent_before_the_words(body: Any) -> str:
    """What the first message of the conversation has before the note on the moment."""
    content: str = body["messages"][1]["content"]
    return content[: content.index("[Sunday")]


async def test_the_home_stands_behind_the_tools_before_the_first_words(bench: Bench) -> None:
    client, history, bench.home = bench.client(), History(), (LAMP, FAN)
    bench.server.script(Scripted(calls=[("lamp", {"device": "Fan"})]))
    await ask(client, "fan on", history=history)
    await ask(client, "and now?", history=history)

    first, second = bench.server.chats
    assert first["messages"][0]["content"] == SYSTEM_PROMPT
    assert first["messages"][1]["content"] == NOTE + "[Sunday 15 November 2026, 10:32] fan on"
    # Sent again byte for byte, and never a part of what is kept.
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert not any(NAMES in str(message.text) for message in history.messages)


async def test_the_prefix_changes_with_the_home_and_not_with_a_state(bench: Bench) -> None:
    client = bench.client()
    homes = [
        (),
        (LAMP, FAN),
        (replace(FAN, state="off"), replace(LAMP, available=False)),
        (replace(LAMP, name="Tall Lamp"), FAN),
        (replace(LAMP, room="Office"), FAN),
        (LAMP,),
    ]
    for bench.home in homes:
        await ask(client)

    none, both, other_states, renamed, moved, one = map(sent_before_the_words, bench.server.chats)
    assert none == ""
    assert both == other_states == NOTE
    assert '"Living Room": "Tall Lamp"' in renamed
    assert '"Office": "Floor Lamp"' in moved
    assert "Fan" not in one
    assert len({json.dumps(body["tools"]) for body in bench.server.chats}) == 1


async def test_a_change_of_the_home_is_read_before_the_next_question(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voice_gateway.llm.ollama.client.LOOK_AGAIN_SECONDS", 0.05)
    client, bench.home = bench.client(), (LAMP,)
    task = asyncio.create_task(client.keep_warm())
    await bench.server.wait_for_chats(1)
    bench.home = (LAMP, FAN)
    await bench.server.wait_for_chats(2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await ask(client)

    _, warmed, asked = bench.server.chats
    assert warmed["options"]["num_predict"] == 1
    assert sent_before_the_words(warmed) == sent_before_the_words(asked) == NOTE


async def test_a_question_does_not_wait_for_a_home_that_has_changed(bench: Bench) -> None:
    client, bench.home = bench.client(), (LAMP,)
    assert await client.warm_up()  # the tools are known: all that the next one reads is the home
    bench.home = (FAN,)
    bench.server.script(Scripted("H", gate=asyncio.Event()))
    async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        warming = tasks.create_task(client.warm_up())
        await bench.server.wait_for_chats(2)
        bench.home = (LAMP, FAN)
        question = tasks.create_task(ask(client))

    assert not warming.result()
    assert question.result().text == "All right."


# The budget


async def test_tools_that_do_not_fit_are_left_out_and_the_log_says_so(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(40):
        bench.tools.add(lamp(f"lamp_{number}"))
    client = bench.client(tool_token_budget=600)
    with caplog.at_level(logging.WARNING):
        await ask(client)

    offer = client.offer()
    assert 0 < len(offer.tools) < 41
    assert len(offer.tools) + len(offer.left_out) == 41
    assert [tool["function"]["name"] for tool in bench.server.chats[0]["tools"]] == [
        tool.name for tool in offer.tools
    ]
    assert offer.tokens <= 600
    record = next(r for r in caplog.records if r.getMessage() == "tools offered")
    assert "lamp_39" in record.left_out  # type: ignore[attr-defined]


async def test_a_question_waits_for_the_tools(bench: Bench) -> None:
    ready = asyncio.Event()

    async def tools_ready() -> None:
        await ready.wait()
        bench.tools.add(lamp("late"))

    task = asyncio.create_task(ask(bench.client(tools_ready=tools_ready)))
    ready.set()
    await task

    assert [tool["function"]["name"] for tool in bench.server.chats[0]["tools"]] == ["lamp", "late"]


@pytest.mark.parametrize(
    ("setting", "size", "requests"),
    [
        ("auto", "494.03M", 1),
        ("auto", "6.7B", 1),
        ("auto", "7.6B", 2),
        ("auto", "8x7B", 2),
        ("auto", "", 1),
        (True, "494.03M", 2),
        (False, "70.6B", 1),
    ],
)
async def test_a_model_that_is_trusted_by_its_size_is_asked_again_after_an_act(
    bench: Bench, setting: Any, size: str, requests: int
) -> None:
    bench.server.parameter_size = size
    bench.server.script(Scripted(calls=[("lamp", {"device": "floor lamp"})]), "Anything else?")

    reply = await ask(bench.client(BrainSettings(several_steps=setting)), "turn on the floor lamp")

    assert len(bench.server.chats) == requests
    assert reply.text == "The floor lamp is on."


# --- forms

PROMPT = (("system", "Fill in."), ("user", "Good day"), ("assistant", '{"words":"story"}'))
SCHEMA = {"type": "object", "properties": {"words": {"enum": ["order", "story"]}}, "required": ["words"]}


async def test_a_form_is_one_request_with_the_schema_and_no_tools(bench: Bench) -> None:
    client = bench.client()
    bench.server.script('{"words":"story"}')

    answer = await client.fill((*PROMPT, ("user", "lamp, bed")), SCHEMA)

    (sent,) = bench.server.chats
    assert (answer, sent["format"], sent.get("tools") or []) == ('{"words":"story"}', SCHEMA, [])
    assert [each["content"] for each in sent["messages"]] == [
        text for _, text in (*PROMPT, ("", "lamp, bed"))
    ]


async def test_warm_up_reads_the_form_again_when_the_home_has_changed(bench: Bench) -> None:
    client, prompt = bench.client(), list(PROMPT)
    client.form_prefix = lambda: prompt

    assert await client.warm_up()
    assert await client.warm_up()
    await client.fill((*prompt, ("user", "lamp")), SCHEMA)
    prompt[0] = ("system", "Fill in: Attic Lamp.")
    assert await client.warm_up()

    sent = [chat["messages"] for chat in bench.server.chats]
    assert len(sent) == 3
    assert sent[0][:3] == sent[1][:3]
    assert sent[2][0]["content"] == "Fill in: Attic Lamp."


@pytest.mark.parametrize("end", ["abort", "no_done", "error", "rubbish"])
async def test_a_server_that_stops_in_mid_answer_fills_no_form(bench: Bench, end: Any) -> None:
    client = bench.client()
    bench.server.script(Scripted('{"words":"order" ,', end=end))

    with pytest.raises(BrainError):
        await client.fill((*PROMPT, ("user", "lamp")), SCHEMA)


async def test_a_form_is_waited_for_up_to_the_limit(bench: Bench) -> None:
    client = bench.client(timeout_seconds=0.2)
    bench.server.script(Scripted("{}", gate=asyncio.Event()))

    with pytest.raises(BrainError) as caught:
        await client.fill((*PROMPT, ("user", "lamp")), SCHEMA)
    assert caught.value.spoken == "My language model took too long."


@pytest.mark.parametrize(
    ("brain", "form", "fills"), [({}, True, True), ({}, False, False), ({"several_steps": True}, True, False)]
)
async def test_small_models_fill_forms_unless_it_is_turned_off(
    bench: Bench, brain: dict[str, Any], form: bool, fills: bool
) -> None:
    client = bench.client(BrainSettings(**brain), form=form)
    assert not client.fills_forms
    client.form_prefix = lambda: PROMPT
    assert client.fills_forms is fills


async def test_behind_a_form_a_model_gets_the_tools_that_were_spoken_of_and_no_act_of_the_home(
    bench: Bench,
) -> None:
    bench.tools.add(lamp("get_time"))
    bench.tools.add_mcp_tools("house", [lamp("switch_lamp")])
    bench.tools.add_mcp_tools("books", [lamp("find_books")])
    client = bench.client()
    client.form_prefix = lambda: PROMPT
    passed = (Passed("local", "unread", Words.DOUBTFUL, unspoken_of=frozenset({"lamp"})),)
    home = HomeFacts(servers=frozenset({"house"}), meant=True)

    for words in ("do switch the lamp", "find me books on lamps"):
        await ask(client, words, passed=passed, home=home)

    offered = [[each["function"]["name"] for each in chat.get("tools", [])] for chat in bench.server.chats]
    assert offered == [["get_time"], ["get_time", "find_books"]]
