"""Load and faults together: each request is answered once, each action done at most once, nothing leaks."""

import asyncio
import contextlib
import os
import statistics
import time
from collections import Counter

import pytest
from tests.fakes.running_gateway import processes
from tests.fakes.speech import need_speech
from tests.fakes.waiting import until
from tests.soak.house import House, house
from tests.soak.load import Record, asks_aloud, asks_by_mqtt, asks_by_socket, makes_trouble, sets_timers

SECONDS = float(os.environ.get("SOAK_SECONDS", "120"))
ASKERS = 4  # of each kind
RING_SECONDS = 30.0
# Caches fill and the allocator keeps some; what leaks grows with every request and passes this in minutes.
GROWTH_MB = 15.0
# A client that just left may still have its connection. Redis' has one for each who asks at the same moment,
# and keeps them: what leaks grows with every request.
DESCRIPTORS = {"sqlite": 2, "redis": 2 + 2 * ASKERS}


async def soaked(house: House, seconds: float, faults: list[str]) -> Record:
    record, end = Record(), time.monotonic() + seconds
    async with asyncio.TaskGroup() as tasks:
        for _ in range(ASKERS):
            tasks.create_task(asks_by_mqtt(house, record, end))
            tasks.create_task(asks_by_socket(house, record, end))
        tasks.create_task(asks_aloud(house, record, end))
        tasks.create_task(sets_timers(house, record, end))
        tasks.create_task(makes_trouble(house, record, end, faults))
    house.jump(0)
    await house.healthy()
    return record


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore:'audioop' is deprecated")  # of the wyoming package
@pytest.mark.timeout(SECONDS + 300)
@pytest.mark.parametrize("store", ["sqlite", "redis"])
async def test_load_and_faults_lose_double_and_leak_nothing(store, tmp_path):
    need_speech()
    async with house(tmp_path, store) as home:
        share = SECONDS / 2
        killed = await soaked(home, share * 0.4, [*home.faults(), "kill_gateway"])
        filled = await soaked(home, share * 0.2, home.faults())  # caches fill
        before = await home.size()
        steady = await soaked(home, share * 0.4, home.faults())
        after = await home.size()
        records = [killed, filled, steady]
        timers = set().union(*(record.timers for record in records))
        print(table(store, records, before, after))
        with contextlib.suppress(TimeoutError):
            await until(lambda: not missing(timers, home.rung()), RING_SECONDS)
        assert missing(timers, home.rung()) == set()
        assert home.gateway is not None
        home.gateway.terminate()
        assert await home.gateway.wait() == 0
        switched, rung = Counter(home.switched()), home.rung()

    assert processes(str(home.switched_file)) == []
    wished = sum((record.wished for record in records), Counter())
    confirmed = sum((record.confirmed for record in records), Counter())
    assert not confirmed - switched, "it was said, and did not happen"
    assert not switched - wished, "it happened, and nobody wished it"
    doubled = {id: texts for record in records for id, texts in record.answers.items() if len(texts) > 1}
    assert not doubled
    assert steady.answered["socket"] == steady.asked["socket"], "refused, and no gateway was killed"
    calm = filled.timers | steady.timers  # whoever kills a gateway while it rings hears it again
    assert {name for name in calm if sum(name in line.lower() for line in rung) > 1} == set()
    assert after["megabytes"] - before["megabytes"] < GROWTH_MB
    assert after["descriptors"] <= before["descriptors"] + DESCRIPTORS[store]
    assert after["threads"] <= before["threads"] + 2  # a pool grows to its limit
    assert after["tasks"] <= before["tasks"] + 4
    assert after["servers"] == 1
    assert "Traceback" not in (tmp_path / "err").read_text(encoding="utf-8")


def missing(timers: set[str], rung: list[str]) -> set[str]:
    said = "\n".join(rung).lower()
    return {name for name in timers if name not in said}


def table(store: str, records: list[Record], before: dict[str, float], after: dict[str, float]) -> str:
    def total(name: str) -> dict[str, int]:
        return dict(sum((getattr(record, name) for record in records), Counter()))

    seconds = sorted(second for record in records for second in record.seconds)
    rows = {
        "store": store,
        "faults": total("faults"),
        "asked": total("asked"),
        "answered": total("answered"),
        "refused": total("refused"),
        "timers": sum(len(record.timers) for record in records),
        "median, slowest": f"{statistics.median(seconds):.2f} s, {seconds[-1]:.1f} s",
        "before": before,
        "after": after,
    }
    return "\n".join(["", *(f"{name:>16}  {value}" for name, value in rows.items())])
