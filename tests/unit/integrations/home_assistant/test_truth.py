"""Whatever is called: nothing is touched beside what was foreseen, and nothing is called done that is not."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.home_assistant_home import HomeAssistantHome
from tests.fakes.home_assistant_homes import recorded_home
from tests.fakes.home_assistant_linked import WrappedHomeAssistant

from voice_gateway.integrations.home_assistant.effects import TOOLS as HOME_ASSISTANTS
from voice_gateway.turn import OutcomeStatus, ToolOutcome

HOME = recorded_home()
NAMES = sorted(
    {one.name for one in HOME.entities.values()} | {"reading lamp", "all", "ALL", "Nobody", " bed LIGHT "}
)
places = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from([*NAMES, "light.bed_light", "lock.front_door"]),
        "area": st.sampled_from(["Hall", "hall", "Lounge", "Living Room", "Kitchen", "Garage", "Attic"]),
        "floor": st.sampled_from(["Upstairs", "Ground Floor"]),
        "domain": st.lists(
            st.sampled_from(["light", "lock", "cover", "switch", "scene", "script"]), min_size=1
        ),
        "device_class": st.lists(st.sampled_from(["garage", "outlet"]), min_size=1),
    },
)
VALUES: dict[str, dict[str, Any]] = {
    "HassLightSet": {"brightness": 30},
    "HassSetPosition": {"position": 30},
    "HassClimateSetTemperature": {"temperature": 19},
    "HassFanSetSpeed": {"percentage": 50},
    "HassSetVolume": {"volume_level": 20},
    "HassSetVolumeRelative": {"volume_step": "down"},
    "HassListAddItem": {"item": "milk"},
}
TOOLS = sorted({*HOME_ASSISTANTS, "good_night"} - {"HassListCompleteItem", "HassMediaSearchAndPlay"})
# What each state of an entity must be like to be called so.
SHOWN = {
    "on": ("on",),
    "off": ("off",),
    "locked": ("locked",),
    "unlocked": ("unlocked",),
    "closed": ("closed",),
}


@pytest.mark.slow
@given(tool=st.sampled_from(TOOLS), args=places)
def test_a_call_touches_nothing_that_was_not_foreseen_and_claims_only_what_is_so(
    tool: str, args: dict[str, Any]
):
    asyncio.run(_judged(tool, {**args, **VALUES.get(tool, {})}))


async def _judged(tool: str, args: dict[str, Any]) -> None:
    home = recorded_home()
    async with WrappedHomeAssistant(home) as ha:
        before = _states(home)
        foreseen = ha.source.reach(tool, args)
        outcome = await ha.call(tool, **args)
        changed = {key for key, state in _states(home).items() if state != before[key]}
        if foreseen is not None and not foreseen.scene and foreseen.action != "list":
            names = {device.name for device in foreseen.devices}
            assert {home.entities[key].name for key in changed} <= names, (changed, names)
        _claims(home, outcome)


def _states(home: HomeAssistantHome) -> dict[str, tuple[str, str]]:
    """What is on its way counts as well."""
    return {
        key: (one.state, repr((sorted(one.attributes.items(), key=str), one.coming, one.items)))
        for key, one in home.entities.items()
    }


def _claims(home: HomeAssistantHome, outcome: ToolOutcome) -> None:
    facts = outcome.facts
    results = facts.get("results") or ([facts] if facts.get("device") and facts.get("domain") else [])
    for result in results:
        if result["outcome"] != "confirmed":
            continue
        found = [
            one
            for one in home.entities.values()
            if (one.name, one.area, one.domain) == (result["device"], result["room"], result["domain"])
        ]
        word = str(result["state"]).split(",")[0]
        assert all(one.state in SHOWN.get(word, (one.state,)) for one in found), (result, found)
        assert not any(one.state in ("unavailable", "jammed") for one in found)
    if outcome.status is OutcomeStatus.CONFIRMED and results:
        assert {result["outcome"] for result in results} == {"confirmed"}
