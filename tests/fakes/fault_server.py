"""An MCP server that misbehaves on demand, and answers with more than words; standard library only.

`python fault_server.py [FAULT …]` chooses how it starts and ends (see `main`); how a call goes wrong is
chosen by the tool that is called. Every tool's reply is text, so that a test sees whether it came through.
"""

import base64
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

FAULTS = set(sys.argv[1:])
out = sys.stdout.buffer
cancelled: list[str] = []
extra_tools: list[str] = []
meta: dict = {}  # of the call under way
polls: list[str] = []  # what was asked about the task


def write(data: bytes) -> None:
    out.write(data)
    out.flush()


def frame(message: dict) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode()


def send(message: dict) -> None:
    write(frame(message) + b"\n")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def reply(request_id: object, text: str = "done", **more: object) -> dict:
    return {"id": request_id, "result": {"content": [{"type": "text", "text": text}], **more}}


def next_message() -> dict | None:
    while line := sys.stdin.buffer.readline():
        message = json.loads(line)
        if message.get("method") == "notifications/cancelled":
            cancelled.append(message["params"]["requestId"])
        else:
            return message
    return None


# Tools: what a call does, before (or instead of) its reply.


def echo(i, a):
    send(reply(i, json.dumps(a)))


def split_frame(i, a):
    data = frame(reply(i, "in two")) + b"\n"
    for at in range(0, len(data), 7):
        write(data[at : at + 7])
        time.sleep(0.002)


def stray_replies(i, a):
    send(reply("vg-99999", "of nobody"))
    send(reply(4711, "of nobody"))
    send(reply(["odd"], "odd id"))
    send({"id": None, "error": {"code": -32700, "message": "I could not parse that"}})
    send(reply(i, "first"))
    send(reply(i, "second"))


def long_line(i, a):
    send(reply(i, "x" * a["bytes"]))


def long_line_id_last(i, a):
    write(b'{"result":{"content":[{"type":"text","text":"' + b"x" * a["bytes"])
    write(b'"}]},"jsonrpc":"2.0","id":' + json.dumps(i).encode() + b"}\n")


def endless_line(i, a):
    write(frame(reply(i))[:40])
    while True:
        write(b"x" * (1024 * 1024))


def many_objects(i, a):
    items = [{"a": number, "b": [1, 2, "x"]} for number in range(a["count"])]
    send(reply(i, "many", structuredContent={"items": items}))


def junk(i, a):
    block = b"j" * (1024 * 1024)
    for _ in range(a["megabytes"]):
        write(block)
    write(b"\n")
    send(reply(i))


def flood(i, a):
    told = {"level": "info", "data": "\x1b[31mline\x1b[0m"}
    write((frame({"method": "notifications/message", "params": told}) + b"\n") * a["count"])
    send(reply(i))


def stderr_flood(i, a):
    sys.stderr.write(("e" * 99 + "\n") * (a["bytes"] // 100))
    sys.stderr.flush()
    send(reply(i))


def die(i, a):
    say("fatal: the bus is gone")
    os._exit(3)


def kill_self(i, a):
    os.kill(os.getpid(), signal.SIGKILL)


def answer_and_die(i, a):
    send(reply(i, str(os.getpid())))
    os._exit(0)


def long_answer_and_die(i, a):
    many_objects(i, a)
    os._exit(0)


def flood_of_long_lines(i, a):
    note = frame({"method": "notifications/message", "params": {"level": "info", "data": [1] * 500_000}})
    for _ in range(a["count"]):
        write(note + b"\n")
    send(reply(i))


def flood_of_questions(i, a):
    for number in range(a["count"]):
        send({"id": f"ask-{number}", "method": "ping"})
    send(reply(i))


def die_leaving_a_child(i, a):
    subprocess.Popen(["sleep", "600"])  # it inherits our stdout
    os._exit(4)


def close_stdout(i, a):
    os.close(1)
    time.sleep(600)


def grandchild(i, a):
    send(reply(i, str(subprocess.Popen(["sleep", "600"]).pid)))


def hang(i, a):
    if "started" in a:
        Path(a["started"]).touch()
    # no reply, but it goes on reading


def deaf(i, a):
    time.sleep(600)


def slow(i, a):
    time.sleep(a["seconds"])
    send(reply(i))


def was_cancelled(i, a):
    send(reply(i, json.dumps(cancelled)))


def environment(i, a):
    send(reply(i, json.dumps(dict(os.environ))))


def pid(i, a):
    send(reply(i, str(os.getpid())))


def is_error(i, a):
    content = {
        "content": [{"type": "text", "text": "device not found"}],
        "structuredContent": {"known": ["Lamp"]},
    }
    send({"id": i, "result": {**content, "isError": True}})


def rpc_error(i, a):
    send(
        {
            "id": i,
            "error": {"code": a.get("code", -32000), "message": "Invalid arguments: deviceName is required"},
        }
    )


def odd_reply(i, a):
    send({"id": i, **a["reply"]})


def ask_back(i, a):
    answers = []
    for number, method in enumerate(["ping", "roots/list", "sampling/createMessage", "made/up"]):
        send({"id": f"ask-{number}", "method": method, "params": {}})
        answers.append("error" if "error" in (next_message() or {}) else "result")
    send(reply(i, json.dumps(answers)))


def change_tools(i, a):
    extra_tools[:] = a["tools"]
    for _ in range(a.get("times", 1)):
        send({"method": "notifications/tools/list_changed"})
    send(reply(i))


def steps(i, a):
    for number in range(a["count"]):
        moved = {"progressToken": meta["progressToken"], "progress": number + 1, "total": a["count"]}
        send({"method": "notifications/progress", "params": {**moved, "message": "a step"}})
        time.sleep(0.05)
    send(reply(i, "all steps done"))


def only_task(i, a):
    send({"id": i, "result": {"task": task("working")}})


def task(status):
    times = {"createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": 60000}
    return {"taskId": "t1", "status": status, "statusMessage": "at it", "pollInterval": 100, **times}


def answer_task(method, i):
    polls.append(method)
    if method == "tasks/result":
        send(reply(i, "as a task"))
    else:
        send({"id": i, "result": task("completed" if len(polls) > 1 else "working")})


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 12  # 3 kB, and a picture by its first bytes
ENCODED = base64.b64encode(PNG).decode()
IMAGE = {"type": "image", "data": ENCODED, "mimeType": "image/png"}
PDF = {"uri": "box:///../../etc/report", "mimeType": "application/pdf", "blob": "JVBERg=="}
SECRET = "See https://ann:pa55@box.test/x?sig=abc123&page=2\x1b[2J now\x07"
CONTENT = {
    "every_kind": {
        "content": [
            {"type": "text", "text": "Here you are."},
            IMAGE,
            {"type": "audio", "data": ENCODED[::-1], "mimeType": "audio/wav"},
            {"type": "resource", "resource": PDF},
            {"type": "resource_link", "uri": "box://notes/today", "name": "Notes of today"},
        ]
    },
    "structured_picture": {"content": [IMAGE], "structuredContent": {"content": [IMAGE]}},
    "encoded_text": {"content": [{"type": "text", "text": f"It is {ENCODED}"}]},
    "secret_link": {
        "content": [
            {"type": "text", "text": SECRET},
            {"type": "resource_link", "uri": "https://box.test/f?token=s3cret", "name": ""},
        ]
    },
}
NOTE = frame({"method": "notifications/message", "params": {"level": "info", "data": "x"}})
# What is written before the reply, …
BEFORE = {
    "text_line": b"Starting up, please wait ...\n",
    "json_lines": b'{"level": "info", "msg": "not a frame"}\n[1, 2]\n42\n"word"\nnull\n{"jsonrpc": "1.0"}\n',
    "blank_lines": b"\n\r\n   \n\n",
    "deep": b"[" * 200_000 + b"\n",
}
# … and how the reply itself is written.
WRITTEN = {
    "crlf": lambda data: data + b"\r\n",
    "invalid_utf8": lambda data: b"caf\xe9 \xff\xfe\n" + data.replace(b"done", b"caf\xe9") + b"\n",
    "glued_text": lambda data: b"Downloading... 100%" + data + b"\n",
    "no_newline": lambda data: data,
    "two_frames_without_newline": lambda data: NOTE + data,
    "two_frames_on_a_line": lambda data: NOTE + data + b"\n",
    "byte_order_mark": lambda data: b"\xef\xbb\xbf" + data + b"\n",
    "batch": lambda data: b"[" + data + b"]\n",
    "half_a_character": lambda data: data.replace(b"done", b"\\ud83d") + b"\n",
}
PARAMETERS = {
    "echo_reserved": ["config", "runtime", "self", "callbacks", "run_manager", "tags", "args", "kwargs"]
}
HELPERS = {"write", "frame", "send", "say", "reply", "next_message", "task", "answer_task"}
CALLS = {
    name: function
    for name, function in list(globals().items())
    if callable(function)
    and name.islower()
    and getattr(function, "__module__", "") == __name__
    and name not in HELPERS
}
NAMES = [*CALLS, *BEFORE, *WRITTEN, *PARAMETERS, *CONTENT]


def call(name: str, i: object, a: dict) -> None:
    if name in CONTENT:
        send({"id": i, "result": CONTENT[name]})
    elif name in BEFORE or name in WRITTEN:
        data = frame(reply(i))
        write(BEFORE.get(name, b"") + WRITTEN.get(name, lambda data: data + b"\n")(data))
    else:
        CALLS[name.removesuffix("_reserved")](i, a)


def definition(name: str) -> dict:
    declared = PARAMETERS.get(name, [])
    schema = {"type": "object", "properties": {parameter: {} for parameter in declared}}
    more = {"execution": {"taskSupport": "required"}} if name == "only_task" else {}
    return {"name": name, "description": f"Does {name}.", "inputSchema": schema, **more}


def tools(params: dict) -> dict:
    listed = [definition(name) for name in [*NAMES, *extra_tools]]
    if "endless_pages" in FAULTS:
        return {"tools": [definition("again")], "nextCursor": os.urandom(4).hex()}
    if "pages" in FAULTS:
        at = int(params.get("cursor", "0"))
        return {
            "tools": listed[at : at + 10],
            **({"nextCursor": str(at + 10)} if at + 10 < len(listed) else {}),
        }
    if "bad_tools" in FAULTS:
        bad = [
            "word",
            {},
            {"name": 7},
            {"name": "no_schema"},
            {"name": "💡 on", "inputSchema": {"type": "object"}},
        ]
        return {"tools": [*bad, *listed]}
    if "no_tools_key" in FAULTS:
        return {"items": []}
    return {"tools": listed}


def initialize(message: dict) -> None:
    if "hang_in_initialize" in FAULTS:
        say("waiting for the MQTT broker")
        return
    if "exit_in_initialize" in FAULTS:
        say("cannot open the serial port")
        os._exit(5)
    if "garbage_in_initialize" in FAULTS:
        write(b"usage: server [options]\n")
        return
    if "wrong_initialize" in FAULTS:
        send({"id": message["id"], "result": {"hello": "world"}})
        return
    info = {
        "protocolVersion": message["params"]["protocolVersion"],
        "capabilities": {"tools": {"listChanged": True}},
        "instructions": "Ask for pictures.",
    }
    send({"id": message["id"], "result": {**info, "serverInfo": {"name": "fault", "version": "1"}}})


def handle(message: dict) -> None:
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        initialize(message)
    elif method == "tools/list":
        if "hang_in_list" not in FAULTS:
            send({"id": message["id"], "result": tools(params)})
        if "exit_after_list" in FAULTS:
            os._exit(0)
    elif method == "tools/call":
        meta.clear()
        meta.update(params.get("_meta") or {})
        if params["name"] in NAMES:
            call(params["name"], message["id"], params.get("arguments") or {})
        else:
            error = {"code": -32602, "message": f"Unknown tool: {params['name']}"}
            send({"id": message["id"], "error": error})
    elif method and method.startswith("tasks/"):
        answer_task(method, message["id"])
    elif method == "ping":
        send({"id": message["id"], "result": {}})


def start() -> None:
    """Faults of the start. `fails=N:FILE` fails the first N starts, counted in FILE."""
    if "ignores_term" in FAULTS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "exit_at_start" in FAULTS:
        say("MQTT connection refused: 127.0.0.1:1883")
        sys.exit(1)
    for fault in FAULTS:
        if fault.startswith("fails="):
            times, _, counter = fault.removeprefix("fails=").partition(":")
            starts = Path(counter)
            starts.write_text(starts.read_text() + "x" if starts.exists() else "x")
            if len(starts.read_text()) <= int(times):
                say(f"start {len(starts.read_text())} fails")
                sys.exit(1)
        if fault.startswith("pid="):
            with Path(fault.removeprefix("pid=")).open("a") as file:
                file.write(f"{os.getpid()}\n")
    if "banner" in FAULTS:
        write(b"*** Welcome to the fault server ***\n\n")


def main() -> None:
    start()
    while (message := next_message()) is not None:
        handle(message)
    if "ignores_eof" in FAULTS or "ignores_term" in FAULTS:
        while True:
            time.sleep(600)


if __name__ == "__main__":
    main()
