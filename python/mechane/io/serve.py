"""The browser viewer: a page that plays a recording, or a simulation that runs, served from this machine to this machine."""
from __future__ import annotations

import functools
import hmac
import html
import http.server
import os
import secrets
import signal
import subprocess
import sys
import threading
import urllib.parse
import weakref
from typing import Any

from .. import _core
from ..core.arguments import name_arguments
from ..core.diagnostics import error
from .recording import Recording

__all__ = ["LiveViewer", "Viewer", "view"]


class _Page(http.server.BaseHTTPRequestHandler):
    """Answers with one page whoever knows the token and asks for this address by its own name."""

    def __init__(self, body: bytes, token: str, *args: Any):
        self.body, self.token = body, token
        super().__init__(*args)

    def _status(self) -> int:
        address = urllib.parse.urlsplit(self.path)
        given = urllib.parse.parse_qs(address.query).get("token", [""])[0]
        port = self.server.server_address[1]
        # A foreign name that is made to point here brings its own Host and Origin.
        own = self.headers.get("Host") in (f"127.0.0.1:{port}", f"localhost:{port}")
        if not own or not hmac.compare_digest(given.encode(), self.token.encode()) or self.headers.get("Origin") not in (None, f"http://{self.headers.get('Host')}"):
            return 403
        return 200 if address.path in ("/", "/index.html") else 404

    def do_GET(self) -> None:  # noqa: N802
        status = self._status()
        body = self.body if status == 200 else b""
        self.send_response(status)
        for key, value in (("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body))), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
                           ("Referrer-Policy", "no-referrer"), ("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
                            "base-uri 'none'; form-action 'none'; frame-ancestors 'self' http://localhost:* http://127.0.0.1:*")):
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def _frame_of(url: str) -> str:
    """What a notebook shows of a page."""
    return f'<iframe style="width:100%;height:560px;border:0" src="{html.escape(url, quote=True)}"></iframe>'


def _serve(server: http.server.HTTPServer, ended: threading.Event) -> None:
    """Answers until it is told to end. `serve_forever` is not used: who ends it waits for it, also where it never began."""
    while not ended.is_set():
        server.handle_request()


def _end_serving(server: http.server.HTTPServer, ended: threading.Event, thread: threading.Thread) -> None:
    """Stops listening. The thread looks up many times a second, and is not waited for by itself."""
    ended.set()
    if thread is not threading.current_thread() and thread.is_alive():
        thread.join(1)
    server.server_close()


class Viewer:
    """A page on the loopback address until it is closed, its object goes, or the interpreter ends."""

    def __init__(self, page: str, port: int):
        self._token = secrets.token_hex(16)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(_Page, page.encode(), self._token))
        server.timeout = 0.05
        ended = threading.Event()
        thread = threading.Thread(target=_serve, args=(server, ended), daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the interpreter may be going
            server.server_close()
            raise
        # A finalizer runs before the interpreter stops its threads; in `__del__` one would wait for a thread that stands still.
        self._end = weakref.finalize(self, _end_serving, server, ended, thread)
        self.address, self.port = server.server_address[:2]

    @property
    def url(self) -> str:
        """The address with its secret word."""
        return f"http://{self.address}:{self.port}/?token={self._token}"

    def close(self) -> None:
        """Stops listening; once more does nothing."""
        self._end()

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Viewer {self.url}>" if self._end.alive else "<Viewer closed>"

    def _repr_html_(self) -> str:
        return _frame_of(self.url) if self._end.alive else f"<p>{html.escape(repr(self))}</p>"


def _end_process(process: subprocess.Popen[str], drain: threading.Thread) -> None:
    """Ends a process as its terminal would, and what does not listen by force."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    drain.join(1)
    if drain.is_alive():
        return  # a grandchild holds the pipe; closing it would wait for the reader
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


class LiveViewer:
    """A simulation that runs in the browser (`mechane view`), in a process of its own, until it is closed, its object goes, or the interpreter ends."""

    def __init__(self, file: str, port: int, options: tuple[str, ...]):
        command = [sys.executable, "-m", "mechane", "view", file, "--no-browser", "--framed", "--port", str(port), *options]
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
        self._process: Any = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment)
        self.url = self._process.stdout.readline().strip()
        if not self.url.startswith("http://"):
            said = self._process.communicate()[1].strip()
            status, self._process = self._process.returncode, None
            raise error(FileNotFoundError if status == 3 and not os.path.exists(file) else RuntimeError, "PYTHON_COMMAND", said or f"mechane view ended with status {status}")
        place = urllib.parse.urlsplit(self.url)
        self.address, self.port = place.hostname, place.port
        # What it says later is dropped, so that a full pipe does not stop it.
        drain = threading.Thread(target=self._process.stderr.read, daemon=True)
        drain.start()
        self._end = weakref.finalize(self, _end_process, self._process, drain)

    def is_running(self) -> bool:
        """Whether the simulation is still served."""
        return self._process is not None and self._process.poll() is None

    def close(self) -> None:
        """Ends the simulation; once more does nothing."""
        self._process = None
        self._end()

    def __enter__(self) -> "LiveViewer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<LiveViewer {self.url}>" if self.is_running() else "<LiveViewer closed>"

    def _repr_html_(self) -> str:
        return _frame_of(self.url) if self.is_running() else f"<p>{html.escape(repr(self))}</p>"


def view(what: Any, port: int = 0, open: bool = True, options: Any = ()) -> Any:  # noqa: A002
    """Shows a file, a model, a recording or a simulation in the browser; `port` 0 takes a free one. Nothing but this machine can see it.

    A path of a stage is simulated live: `view("robot.usda", options=["--ground", "--paused"])`, with the options of `mechane view`. A
    model is shown as it stands, a recording is played. In a notebook the result is the page itself.

    @raises FileNotFoundError, MechaneError  the file cannot be opened
    """
    viewer: Any
    if isinstance(what, (str, os.PathLike)):
        viewer = LiveViewer(os.fspath(what), port, tuple(map(str, options)))
    else:
        what = getattr(what, "recording", what)  # of a Simulation, or a Recorder
        recording = what if isinstance(what, Recording) else Recording(_core.snapshot(what.state()._core), what)
        viewer = Viewer(recording.to_html(), port)
    if open:
        import webbrowser

        webbrowser.open(viewer.url)
    return viewer


name_arguments(globals())
