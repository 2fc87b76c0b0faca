"""The console's door of a whole gateway, as a browser and a program use it."""

import asyncio
import json

import pytest
from tests.fakes.running_gateway import ask_console, console, device
from tests.fakes.waiting import until


@pytest.mark.slow
async def test_a_lamp_is_switched_by_words_and_by_hand_and_the_trace_tells_it(commands):
    told: list[dict] = []

    async def read(stream) -> None:
        async for line in stream.aiter_lines():
            if line.startswith("data: "):
                told.append(json.loads(line[6:]))  # noqa: PERF401 (they are looked at while they come)

    async with (
        console(commands) as (gateway, http),
        http.stream("GET", "/api/events") as stream,
        asyncio.TaskGroup() as tasks,
    ):
        reading = tasks.create_task(read(stream))
        assert (await ask_console(http, "turn on the floor lamp"))["ok"]
        lamp = await device(http, "Floor Lamp")
        assert (lamp["state"], lamp["level"]) == ("on, 100 %", 100)

        wish = {"action": "dim", "level": 40, "conversation_id": "c"}
        dimmed = (await http.post(f"/api/devices/{lamp['id']}", json=wish)).json()
        assert dimmed["outcomes"][0]["structured"]["outcome"] == "confirmed"
        assert (await http.post("/api/undo", json={"conversation_id": "c"})).json()["ok"]
        turns = (await http.get("/api/turns")).json()["turns"]
        assert [turn["door"] for turn in turns] == ["web"] * 3
        story = (await http.get(f"/api/turns/{turns[-1]['id']}")).json()
        kinds = [event["type"] for event in story["events"]]
        assert {"heard", "staged", "judged", "started", "acted", "answered"} <= set(kinds)
        await until(lambda: [one["type"] for one in told if one.get("turn") == story["id"]] == kinds)
        await until(lambda: any("devices" in one for one in told))
        reading.cancel()

        # What is sensitive is refused here unless the settings name this channel.
        door = await device(http, "Front Door")
        refused = (await http.post(f"/api/devices/{door['id']}", json={"action": "unlock"})).json()
        assert not refused["ok"]
        assert refused["outcomes"][0]["structured"]["outcome"] == "not_permitted"
        assert not (await ask_console(http, "unlock the front door"))["ok"]
        assert (await device(http, "Front Door"))["state"] == "locked"
        assert len([line for line in gateway.said if "http" in line]) == 1
        assert await gateway.stop() == 0
