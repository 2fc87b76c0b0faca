"""A thousand routines due in one second, two gateways, one killed: each at most once, none in silence."""

import re
import signal
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.running_gateway import server
from tests.fakes.waiting import until

from voice_gateway.routines.model import Once, Routine
from voice_gateway.routines.store import kept_in

COUNT = 1000
LIMIT_SECONDS = 150.0


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_each_is_done_at_most_once_and_the_unfinished_are_told(commands: Commands, tmp_path: Path):
    names = [f"Lamp {number}" for number in range(COUNT)]
    (tmp_path / "names").write_text("\n".join(names))
    done = tmp_path / "done"
    done.touch()
    commands.file("voice-gateway.toml", server("zwave", "counting_server.py", done, 0.02, tmp_path / "names"))
    store = kept_in(None, tmp_path / "data" / "voice-gateway")[0]
    due = (datetime.now(UTC) + timedelta(seconds=40)).replace(microsecond=0)
    calls = [{"name": "control_zwave_device", "args": {"deviceName": name, "action": "on"}} for name in names]
    store.add(
        [Routine(f"turn on {call['args']['deviceName']}", Once(due), (call,), next=due) for call in calls],
        COUNT,
    )
    async with Running.opened(commands) as first, Running.opened(commands) as second:
        await until(lambda: len(done.read_text().split("\n")) > COUNT // 4, LIMIT_SECONDS)
        first.process.send_signal(signal.SIGKILL)
        await until(lambda: not store.all(), LIMIT_SECONDS)
        second.process.send_signal(signal.SIGTERM)
        out, err = await second.process.communicate()

    switched = Counter(line for line in done.read_text().splitlines() if line)
    told = set(re.findall(r"may have happened: turn on (Lamp \d+)\.", (out + err).decode()))
    assert set(switched.values()) == {1}
    assert set(names) == switched.keys() | told
    assert len(told) <= 64, "no more than were under way"
