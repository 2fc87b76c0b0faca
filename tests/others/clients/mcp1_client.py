"""The MCP SDK before 2.0 as a client of a server over streamable HTTP: prints its tools and two answers."""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client  # type: ignore[attr-defined]


async def main(address: str) -> None:
    async with (
        streamablehttp_client(address) as (reading, writing, _),
        ClientSession(reading, writing) as home,
    ):
        await home.initialize()
        tools = [tool.name for tool in (await home.list_tools()).tools]
        said = [await home.call_tool("ask", {"text": text}) for text in sys.argv[2:]]
        print(json.dumps({"tools": tools, "answers": [result.content[0].text for result in said]}))


asyncio.run(main(sys.argv[1]))
