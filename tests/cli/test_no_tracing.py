"""What happens to stand in the environment sends nothing anywhere."""

import socket

NO_SERVER = "[mcp]\nsimulated_home = false\n"


async def test_tracing_in_the_environment_is_not_a_wish_of_this_user(commands):
    file = commands.file("c.toml", NO_SERVER)
    with socket.create_server(("127.0.0.1", 0)) as collector:
        collector.setblocking(False)
        done = await commands.run(
            *("ask", "what time is it", "--json", "--config", str(file)),
            LANGSMITH_TRACING="true",
            LANGCHAIN_TRACING_V2="true",
            LANGSMITH_API_KEY="lsv2_none",
            LANGSMITH_ENDPOINT=f"http://127.0.0.1:{collector.getsockname()[1]}",
        )
        try:
            came, _ = collector.accept()
        except BlockingIOError:
            came = None
        else:
            came.close()
    assert done.json["ok"]
    assert came is None
