"""The MCP adapters of LangChain as a client of our Z-Wave server: prints its tools and an answer of one."""

import asyncio
import json
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient


async def main(python: str) -> None:
    home = {"command": python, "args": ["-m", "zwave_mcp", "--simulate"], "transport": "stdio"}
    tools = {tool.name: tool for tool in await MultiServerMCPClient({"zwave": home}).get_tools()}
    answer = await tools["control_zwave_device"].ainvoke({"deviceName": "Floor Lamp", "action": "on"})
    print(json.dumps({"tools": sorted(tools), "answer": str(answer)}))


asyncio.run(main(sys.argv[1]))
