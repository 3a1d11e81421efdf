"""A running `mechane view`, and what it sends."""
import re
import signal
import struct
import subprocess
import time
import urllib.request

from tests.cli.program import PROGRAM
from tests.cli.websocket import WebSocket


class View:
    """`mechane view` with a page's connection to it."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([PROGRAM, "view", "--no-browser", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})", self.url)
        if not found:
            self.process.kill()
            raise AssertionError(f"no address: {self.url!r} {self.process.stderr.read()}")
        self.port, self.token = int(found[1]), found[2]

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    def page(self):
        with urllib.request.urlopen(self.url, timeout=30) as answer:
            return answer.read().decode(), answer.headers

    def connect(self, **how):
        return WebSocket(self.port, f"/socket?token={self.token}", **{"origin": self.origin, **how})

    def end(self):
        """Ctrl-C; the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.said = self.process.communicate(timeout=60)[1]
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


class Frame:
    """A frame as web/src/live.ts reads it."""

    def __init__(self, data):
        magic, flags, self.time, self.realtime, self.kinetic, self.potential, bodies, sent, self.contacts, self.first, dofs, particles, faces, standing = struct.unpack("<IIdfffIIIIIIII", data[:60])
        mask = (bodies + 7) // 8 if standing < bodies else 0
        assert magic == 0x334D4C4D and len(data) == 60 + 12 * particles + 20 * standing + 30 * sent + 40 * faces + 12 * dofs + mask
        self.playing, self.recording, self.diverged = bool(flags & 1), bool(flags & 2), bool(flags & 4)
        at = 60

        def floats(count):
            nonlocal at
            out = struct.unpack_from(f"<{count}f", data, at)
            at += 4 * count
            return out

        self.particles = floats(3 * particles)
        self.positions = floats(3 * standing)  # of those that are not fixed to another
        self.points, self.forces = floats(3 * sent), floats(3 * sent)
        self.corners, self.depths = floats(9 * faces), floats(faces)
        self.q, self.qd, self.target = floats(dofs), floats(dofs), floats(dofs)


def frames(socket, enough, seconds=60):
    """The first frame that `enough` accepts; texts are left out."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        message = socket.receive()
        if isinstance(message, bytes):
            frame = Frame(message)
            if enough(frame):
                return frame
    raise AssertionError("no such frame came")


def told(socket, key, seconds=60):
    """The first text with this key."""
    import json

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        message = socket.receive()
        if isinstance(message, str) and key in json.loads(message):
            return json.loads(message)
    raise AssertionError(f"nothing was told of {key}")
