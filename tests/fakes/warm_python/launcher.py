"""Stands for `python`: hands its streams to `server.py`, which forks, and ends as the forked process ends.

Runs without site packages, in a few milliseconds. Signals are passed on; if this process is killed, so is
the other. PID_TO in the environment is a descriptor for the other's pid.
"""

import json
import os
import signal
import socket
import sys

SOCKET = f"{__file__.rpartition('/')[0]}/socket"


def main() -> None:
    env = dict(os.environ)
    report = int(env.pop("PID_TO", "-1"))
    request = {"python": __file__, "words": sys.argv[1:], "env": env, "folder": os.getcwd()}  # noqa: PTH109
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(SOCKET)
        packet = json.dumps(request).encode()
        socket.send_fds(server, [len(packet).to_bytes(4, "big")], [0, 1, 2])
        server.sendall(packet)
        pid = int.from_bytes(server.recv(4), "big")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if pid else ():
            signal.signal(number, lambda number, _: os.kill(pid, number))
        if report >= 0:
            os.write(report, b"%d" % (pid or os.getpid()))
            os.close(report)
        if not pid:
            os.execve(sys.executable, [sys.executable, *sys.argv[1:]], env)
        for descriptor in (0, 1, 2):  # their other ends wait for the end of the forked process, not for ours
            os.close(descriptor)
        code = int.from_bytes(server.recv(4), "big", signed=True)
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


main()
