"""Makes an empty Home Assistant a home: `furnish.py PORT FOLDER HOME`. Its token goes into FOLDER/token."""

import asyncio
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp
from devices import AREA_ALIASES, FLOORS, HOMES, LISTS, Home, areas

USER, PASSWORD = "test", "test-test-test"
APPEAR_SECONDS = 60


class HomeAssistant:
    """The REST and websocket doors of one Home Assistant."""

    def __init__(self, session: aiohttp.ClientSession, base: str) -> None:
        self._session, self._base = session, base
        self._headers: dict[str, str] = {}
        self._numbers = count(1)

    async def rest(self, method: str, path: str, **how: Any) -> Any:
        url = self._base + path
        async with self._session.request(method, url, headers=self._headers, **how) as answer:
            if answer.status >= 400:
                raise SystemExit(f"{method} {path}: {answer.status} {await answer.text()}")
            return await answer.json(content_type=None)

    async def onboard(self) -> None:
        """The first user; not the step `core_config`, which adds parts that want the internet."""
        client = {"client_id": f"{self._base}/"}
        user = {"name": "Test", "username": USER, "password": PASSWORD, "language": "en"}
        made = await self.rest("POST", "/api/onboarding/users", json={**client, **user})
        code = {**client, "grant_type": "authorization_code", "code": made["auth_code"]}
        token = (await self.rest("POST", "/auth/token", data=code))["access_token"]
        self._headers = {"Authorization": f"Bearer {token}"}
        await self.rest("POST", "/api/onboarding/analytics", json={})
        redirect = {**client, "redirect_uri": client["client_id"]}
        await self.rest("POST", "/api/onboarding/integration", json=redirect)
        self._socket = await self._session.ws_connect(self._base.replace("http", "ws", 1) + "/api/websocket")
        await self._socket.receive_json()
        await self._socket.send_json({"type": "auth", "access_token": token})
        await self._socket.receive_json()

    async def ask(self, kind: str, **fields: Any) -> Any:
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "type": kind, **fields})
        while (answer := await self._socket.receive_json()).get("id") != number:
            pass
        if not answer["success"]:
            raise SystemExit(f"{kind} {fields}: {answer['error']}")
        return answer["result"]

    async def add_entry(self, handler: str, user_input: dict[str, Any]) -> None:
        """A config entry through its flow."""
        path = "/api/config/config_entries/flow"
        flow = await self.rest("POST", path, json={"handler": handler})
        if flow["type"] == "form":
            flow = await self.rest("POST", f"{path}/{flow['flow_id']}", json=user_input)
        if flow["type"] != "create_entry":
            raise SystemExit(f"config flow {handler}: {flow}")


async def all_there(ha: HomeAssistant, home: Home) -> list[str]:
    limit = time.monotonic() + APPEAR_SECONDS
    while True:
        present = [state["entity_id"] for state in await ha.ask("get_states")]
        missing = sorted({device.id for device in home.devices} - set(present))
        if not missing:
            return present
        if time.monotonic() > limit:
            raise SystemExit(f"never appeared: {missing}; there are {present}")
        await asyncio.sleep(0.2)


async def make_areas(ha: HomeAssistant, home: Home) -> dict[str, str]:
    floors = {name: (await ha.ask("config/floor_registry/create", name=name))["floor_id"] for name in FLOORS}
    there = {area["name"]: area["area_id"] for area in await ha.ask("config/area_registry/list")}
    found = {}
    for name, floor in areas(home).items():
        fields = {"floor_id": floors[floor], "aliases": AREA_ALIASES.get(name, [])}
        if name in there:  # a new one has a few rooms
            await ha.ask("config/area_registry/update", area_id=there[name], **fields)
            found[name] = there[name]
        else:
            found[name] = (await ha.ask("config/area_registry/create", name=name, **fields))["area_id"]
    return found


async def put_in_place(ha: HomeAssistant, home: Home, area_ids: dict[str, str], present: list[str]) -> None:
    registered = {entry["entity_id"] for entry in await ha.ask("config/entity_registry/list")}
    for device in home.devices:
        if device.id in registered and (device.area or device.aliases):
            await ha.ask(
                "config/entity_registry/update",
                entity_id=device.id,
                area_id=area_ids.get(device.area),
                aliases=list(device.aliases),
            )
    exposed = [device.id for device in home.devices if device.exposed]
    others = [entity for entity in present if entity not in exposed]
    for entities, yes in ((others, False), (exposed, True)):
        await ha.ask(
            "homeassistant/expose_entity", assistants=["conversation"], entity_ids=entities, should_expose=yes
        )


async def main(port: str, folder: Path, home: Home) -> None:
    async with aiohttp.ClientSession() as session:
        ha = HomeAssistant(session, f"http://127.0.0.1:{port}")
        await ha.onboard()
        token = await ha.ask("auth/long_lived_access_token", client_name="voice-gateway", lifespan=3650)
        await ha.ask("homeassistant/expose_new_entities/set", assistant="conversation", expose_new=False)
        await ha.add_entry("shopping_list", {})
        for name in LISTS:
            await ha.add_entry("local_todo", {"todo_list_name": name})
        present = await all_there(ha, home)
        await put_in_place(ha, home, await make_areas(ha, home), present)
        await ha.add_entry("mcp_server", {"llm_hass_api": ["assist"]})
        secret = folder / "token"
        secret.touch(mode=0o600)
        secret.write_text(token)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), HOMES[sys.argv[3]]()))
