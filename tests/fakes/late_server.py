"""A stdio MCP server that is late: it fails at first, waits for another one, or never says anything.

Usage: late_server.py MARKS FAILURES [WAIT_FOR]: every start adds a line to MARKS; the first FAILURES starts
end at once. Then it waits until the file WAIT_FOR exists, and becomes the counting server, which writes to
MARKS.done. `never` as FAILURES: it stays up and is silent.
"""

import os
import sys
import time
from pathlib import Path

marks = Path(sys.argv[1])
with marks.open("a") as file:
    file.write("start\n")
starts = len(marks.read_text().splitlines())
if sys.argv[2] == "never":
    sys.stdin.read()
    sys.exit(0)
if starts <= int(sys.argv[2]):
    print(f"start {starts} fails, as it was told", file=sys.stderr)
    sys.exit(1)
while len(sys.argv) > 3 and not Path(sys.argv[3]).exists():
    time.sleep(0.01)  # the other one is a process of its own: its file is all that is seen of it
counting = Path(__file__).with_name("counting_server.py")
os.execv(sys.executable, [sys.executable, str(counting), f"{marks}.done", "0.0"])
