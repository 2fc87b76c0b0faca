"""Names of the Z-Wave server in a simulated home of 1,000 devices."""

import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from bench.worker import Figures, serve_async
from home_names.resolver import Names
from zwave_mcp.devices import Viewer
from zwave_mcp.simulated.home import SimulatedHome

ROOMS = "Kitchen Bedroom Office Study Hallway Garage Attic Cellar Bathroom Nursery".split()
THINGS = "Ceiling Floor Desk Window Corner Shelf Mirror Wall Stair Garden".split()
KINDS = {"Light": "dimmer", "Lamp": "switch", "Blind": "blind", "Heater": "plug", "Door": "lock"}
ASKED = [
    "kitchen ceiling light 2",  # exact
    "the floor lamp 2 in the attic",  # room and name
    "lamp 2",  # many contain it
    "atic flor lamp 2",  # misheard
    "swimming pool cover",  # not there: everything is compared
    "all lights",
    "bedroom",
    "light",
    "x" * 100,
    "küche deckenlicht",
]


def _home() -> SimulatedHome:
    names = [
        f'[[device]]\nname = "{thing} {what} {number}"\nroom = "{room}"\nkind = "{kind}"\n'
        for number in range(1, 3)
        for room in ROOMS
        for thing in THINGS
        for what, kind in KINDS.items()
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "home.toml"
        file.write_text("".join(names), encoding="utf-8")
        return SimulatedHome(file, None)


home = _home()


async def measure() -> Figures:
    index = Names((await Viewer(home).now()).devices)
    assert len(index.devices) == 1000
    times = []
    for asked in ASKED:
        started = perf_counter()
        index.find(asked)
        times.append(perf_counter() - started)
    return {"slowest_ms": max(times) * 1000, "middle_ms": median(times) * 1000}


serve_async(measure)
