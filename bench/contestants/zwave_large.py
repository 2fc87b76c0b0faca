"""200 nodes with 6,000 values: one answer of the gateway read by all who listen, and the list of devices."""

import gc
import json
import resource
import sys
from time import process_time

from bench.large_zwave_home import NODES, VALUES, listing, nodes
from bench.worker import Figures, serve_async
from zwave_mcp.home import Snapshot
from zwave_mcp.mqtt.home import NodeLists
from zwave_mcp.server import ZwaveServer
from zwave_mcp.simulated.home import SimulatedHome
from zwave_mcp.tools import Tools

ANSWER = listing()
CHANGED = 20  # nodes that are other than before when the next list comes


class LargeHome(SimulatedHome):
    """What is read of the gateway's answer; nothing is sent anywhere."""

    latest: Snapshot
    lists = NodeLists()

    async def snapshot(self, max_age_seconds: float = 2.0) -> Snapshot:
        return self.latest

    async def read(self, answer: bytes = ANSWER) -> None:
        """One answer of the gateway, as far as whoever listens has it."""
        listed = self.lists.read(answer)["result"]
        self.latest = Snapshot(tuple(one.node for one in listed if one.node is not None))
        for listener in self._listeners:
            listener(self.latest)

    async def read_all_anew(self) -> None:
        """As the first one, which is the dearest."""
        self.lists = NodeLists()
        await self.read()


home = LargeHome()
server, tools = ZwaveServer(home), Tools(home)


def changed(level: int) -> bytes:
    listed = nodes()
    for one in listed[:CHANGED]:
        one["values"]["38-0-currentValue"]["value"] = level
    return json.dumps({"success": True, "result": listed}).encode()


async def first_list() -> float:
    """Of a snapshot that nobody has listed yet."""
    gc.collect()
    started = process_time()
    answer = await tools.call("list_zwave_devices", {})
    seconds = process_time() - started
    assert answer.structured["total"] == NODES
    return seconds


async def measure() -> Figures:
    await home.read_all_anew()
    assert sum(len(node.values) for node in home.latest.nodes) == NODES * VALUES
    gc.collect()
    started = process_time()
    await home.read_all_anew()
    snapshot = process_time() - started
    whole = await first_list()
    await home.read(changed(41))
    some = await first_list()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = peak / (1024**2 if sys.platform == "darwin" else 1024)
    return {
        "snapshot_ms": snapshot * 1000,
        "list_ms": some * 1000,
        "list_anew_ms": whole * 1000,
        "peak_mb": megabytes,
    }


serve_async(measure)
