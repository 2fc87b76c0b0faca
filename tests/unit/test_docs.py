"""The pages say what holds: what is made from code is up to date, and what they name is there."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_what_pages_take_from_the_code_is_up_to_date():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "pages.py", "--check"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
