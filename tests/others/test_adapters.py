"""Our Z-Wave server in the hands of LangChain's own MCP adapters, on the older SDK that they need."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fakes.others import installed

pytestmark = pytest.mark.others
CLIENT = Path(__file__).parent / "clients" / "adapters_client.py"
LIMIT_SECONDS = 60


def test_langchains_adapters_list_and_call_the_tools_of_our_server(tmp_path):
    done = subprocess.run(
        [installed("older", "bin/python"), str(CLIENT), sys.executable],
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "XDG_DATA_HOME": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert {"control_zwave_device", "list_zwave_devices"} <= set(told["tools"])
    assert "The Floor Lamp is now on." in told["answer"]
