"""Minutes of random faults: every call is answered, and no command comes twice or late."""

import asyncio
import contextlib
import os
import random
import time
from collections import Counter

import pytest
from tests.fakes.zwave_gateway import FakeGateway
from tests.fakes.zwave_house import House

from zwave_mcp.home import HomeDown, HomeError, Status, ValueId
from zwave_mcp.options import MqttOptions

SECONDS = float(os.environ.get("SOAK_SECONDS", "120"))
FLOOR_LAMP = ValueId(3, 38, 0, "targetValue")
WRITE_SECONDS = 2.0
LATEST_SECONDS = 12.0  # a broker that hangs three seconds, an expiry of five, and a busy machine
SLACK_SECONDS = 4.0  # connecting and a broker that hangs come on top of a call's own limit


@pytest.mark.soak
@pytest.mark.timeout(SECONDS + 120)
async def test_random_faults_never_lose_double_or_delay_a_command(broker, start_home):
    house, numbers, outcomes = House(pace=0.01), iter(range(1, 10**9)), Counter()
    confirmed, refused, sent = set(), set(), {}
    end = time.monotonic() + SECONDS

    async def caller(home):
        while time.monotonic() < end:
            number, started = next(numbers), time.monotonic()
            sent[number] = started
            try:
                result = await home.write(FLOOR_LAMP, number, WRITE_SECONDS)
                assert result.status == Status.CONFIRMED
                confirmed.add(number)
                outcomes["confirmed"] += 1
            except HomeError as error:
                if isinstance(error, HomeDown) and not error.sent:
                    refused.add(number)
                outcomes[type(error).__name__] += 1
            assert time.monotonic() - started < WRITE_SECONDS + SLACK_SECONDS
            await asyncio.sleep(random.random() / 50)

    async def trouble():
        while time.monotonic() < end:
            async with FakeGateway(broker.port, house=house) as gateway:
                for _ in range(random.randint(1, 6)):
                    await asyncio.sleep(random.random() * 2)
                    await random.choice([restart, hang, deafen, unplug])(gateway)
                if random.random() < 0.5:
                    await gateway.vanish()
            await asyncio.sleep(random.random())

    async def restart(gateway):
        broker.kill()
        await asyncio.sleep(random.random() / 2)
        broker.start()
        await gateway.connected()

    async def hang(gateway):
        broker.freeze()
        await asyncio.sleep(random.random() * 3)
        broker.thaw()
        await gateway.connected()

    async def deafen(gateway):
        gateway.silent.add("*")
        await asyncio.sleep(random.random() * 2)
        gateway.silent.clear()

    async def unplug(gateway):
        with contextlib.suppress(Exception):
            await gateway.lose_stick()
            await asyncio.sleep(random.random())
            await gateway.find_stick()

    async with start_home(MqttOptions(broker.url)) as home, asyncio.TaskGroup() as tasks:
        tasks.create_task(trouble())
        for _ in range(8):
            tasks.create_task(caller(home))

    carried_out = Counter(value for _, _, value in house.writes)
    assert set(outcomes) == {"confirmed", "HomeDown", "NoAnswer"}, outcomes
    assert confirmed <= set(carried_out)
    assert not refused & set(carried_out)
    assert max(carried_out.values()) == 1
    delays = [moment - sent[write[2]] for write, moment in zip(house.writes, house.moments, strict=True)]
    assert max(delays) < LATEST_SECONDS
