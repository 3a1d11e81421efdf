#!/usr/bin/env python3
"""Opens the page of a recording in Chromium, without a network, and looks at its pictures.

usage: page.py TEST_VIEWER   (the program that writes the page). Exit 77 when there is no Chromium: ctest then says "skipped".
"""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
SOFTWARE = ["--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
            "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=4000", "--window-size=640,400"]


def rows(png):
    """Width, bytes per pixel and unfiltered rows of a PNG of 8 bits."""
    data, at, packed = png, 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, _, _, color = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    size = {2: 3, 6: 4}[color]
    raw, above, out = zlib.decompress(packed), bytearray(width * size), []
    for start in range(0, len(raw), width * size + 1):
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + width * size])
        for i in range(len(row)):
            left, corner = (row[i - size], above[i - size]) if i >= size else (0, 0)
            if kind == 4:
                p = left + above[i] - corner
                guess = min((abs(p - left), 0, left), (abs(p - above[i]), 1, above[i]), (abs(p - corner), 2, corner))[2]
            else:
                guess = (0, left, above[i], (left + above[i]) // 2)[kind]
            row[i] = (row[i] + guess) & 255
        out.append(row)
        above = row
    return size, out


class Page(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        root = pathlib.Path(self.folder.name)
        subprocess.run([VIEWER, "--test-case=ten seconds*"], env=dict(os.environ, MECHANE_KEEP=str(root)), check=True, stdout=subprocess.DEVNULL)
        self.page = root / "walker.html"

    def chromium(self, *arguments, fragment=""):
        """Runs the browser once; again where it came to no end, as a headless one beside other load does now and then before it opens a page."""
        for last in (False, False, True):
            with tempfile.TemporaryDirectory() as profile:
                try:
                    return subprocess.run([CHROMIUM, *SOFTWARE, f"--user-data-dir={profile}", *arguments, f"file://{self.page}#{fragment}"],
                                          capture_output=True, timeout=120, check=True)
                except subprocess.TimeoutExpired:
                    if last:
                        raise

    def picture(self, fragment):
        file = pathlib.Path(self.folder.name) / "shot.png"
        self.chromium(f"--screenshot={file}", fragment=fragment)
        return rows(file.read_bytes())

    def test_the_page_opens_and_plays(self):
        done = self.chromium("--dump-dom")
        self.assertIn(b'data-state="ready"', done.stdout)
        self.assertNotIn(b"Uncaught", done.stderr)

    def test_two_times_differ_and_the_robot_is_in_the_picture(self):
        size, first = self.picture("t=0&paused=1&bare=1&grid=0&theme=light")
        _, second = self.picture("t=0.8&paused=1&bare=1&grid=0&theme=light")
        self.assertNotEqual(first, second)
        background = bytes(first[0][:size])
        covered = sum(bytes(row[i:i + size]) != background for row in first for i in range(0, len(row), size))
        share = covered * size / sum(len(row) for row in first)
        self.assertGreater(share, 0.1)
        self.assertLess(share, 0.6)

    def test_overlays_change_the_picture(self):
        plain = self.picture("t=1&paused=1&bare=1&theme=light")
        self.assertNotEqual(plain, self.picture("t=1&paused=1&bare=1&theme=light&overlay=colliders"))
        self.assertNotEqual(plain, self.picture("t=1&paused=1&bare=1&theme=light&overlay=contacts"))


if __name__ == "__main__":
    if CHROMIUM is None:
        print("skipped: no chromium")
        sys.exit(77)
    VIEWER = os.path.abspath(sys.argv.pop(1))
    unittest.main()
