"""Sessions and conversations of others: none answers a question, and none locks others out."""

import json

import httpx
import pytest
from tests.fakes.running_gateway import ask_console, console, device
from tests.unit.channels.web.test_mcp_sessions import opened, status

pytestmark = pytest.mark.attack

ACCEPT = {"Accept": "application/json, text/event-stream"}


async def test_200_idle_sessions_lock_nobody_out(commands):
    async with console(commands) as (_, http):
        http.headers.update(ACCEPT)
        first, second, *others = [await opened(http) for _ in range(200)]
        assert await status(http, first) == 200  # so the second is idle longest
        others.append(await opened(http))
        assert [await status(http, name) for name in (first, second, others[-1])] == [200, 404, 200]
        http.headers["Accept"] = "application/json"
        assert (await ask_console(http, "what time is it"))["ok"]


async def test_a_confirmation_counts_only_in_its_own_conversation(commands):
    doors = {"VOICE_GATEWAY_PERMISSION_SENSITIVE_CHANNELS": "cli,web"}
    async with console(commands, **doors) as (_gateway, http):
        garage = await device(http, "Garage Door")
        wish = {"action": "open", "conversation_id": "mine"}
        asked = (await http.post(f"/api/devices/{garage['id']}", json=wish)).json()
        assert asked["expects_answer"]
        assert not (await ask_console(http, "yes", "another"))["outcomes"]
        async with httpx.AsyncClient(
            base_url=http.base_url, trust_env=False, timeout=30, cookies={"voice_gateway_client": "other"}
        ) as other:  # another browser that has learnt the name
            assert not (await ask_console(other, "yes", "mine"))["outcomes"]
        published = json.dumps([(await http.get("/api/turns")).json()])
        assert '"mine"' not in published
        assert (await device(http, "Garage Door"))["state"] == "closed"
        done = await ask_console(http, "yes", "mine")
        assert [one["ok"] for one in done["outcomes"]] == [True]
