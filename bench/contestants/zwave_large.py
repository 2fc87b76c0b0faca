"""200 nodes with 6,000 values: one answer of the gateway read by all who listen, and the list of devices."""

import gc
import resource
import sys
from time import process_time

from bench.large_zwave_home import NODES, VALUES, listing
from bench.worker import Figures, serve_async
from zwave_mcp.home import Snapshot
from zwave_mcp.mqtt.listing import NodeLists
from zwave_mcp.server import ZwaveServer
from zwave_mcp.simulated.home import SimulatedHome
from zwave_mcp.tools import Tools

ANSWER = listing()


class LargeHome(SimulatedHome):
    """What is read of the gateway's answer; nothing is sent anywhere."""

    latest: Snapshot

    async def snapshot(self, max_age_seconds: float = 2.0) -> Snapshot:
        return self.latest

    async def read(self) -> None:
        """One answer of the gateway, as far as whoever listens has it: the first, which is the dearest."""
        listed = (await NodeLists().read(ANSWER, 0.0))["result"]
        self.latest = Snapshot(tuple(node for one in listed for node in one.nodes))
        for listener in self._listeners:
            listener(self.latest)


home = LargeHome()
server, tools = ZwaveServer(home), Tools(home)


async def measure() -> Figures:
    await home.read()
    assert sum(len(node.values) for node in home.latest.nodes) == NODES * VALUES
    gc.collect()
    started = process_time()
    await home.read()
    snapshot = process_time() - started
    await tools.call("list_zwave_devices", {})  # of a warm snapshot, as the other row of that name
    started = process_time()
    answer = await tools.call("list_zwave_devices", {})
    listed = process_time() - started
    assert answer.structured["total"] == NODES
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = peak / (1024**2 if sys.platform == "darwin" else 1024)
    return {"snapshot_ms": snapshot * 1000, "list_ms": listed * 1000, "peak_mb": megabytes}


serve_async(measure)
