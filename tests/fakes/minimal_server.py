"""The smallest honest MCP server on the standard library: isolates what a client costs."""

from stdio_rpc import serve, text, tool

NUMBER = {"type": "integer"}
TOOLS = [tool("add", "Adds two numbers.", {"a": NUMBER, "b": NUMBER}, looks=True)]


def answer(method: str, params: dict) -> dict | None:
    if method == "tools/call":
        return text(str(params["arguments"]["a"] + params["arguments"]["b"]))
    return {"tools": TOOLS} if method == "tools/list" else None


if __name__ == "__main__":
    serve("minimal", answer)
