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


class Viewer:
    """A page on the loopback address until it is closed, or its object goes."""

    def __init__(self, page: str, port: int):
        self._token = secrets.token_hex(16)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(_Page, page.encode(), self._token))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        self.address, self.port = self._server.server_address[:2]

    @property
    def url(self) -> str:
        """The address with its secret word."""
        return f"http://{self.address}:{self.port}/?token={self._token}"

    def close(self) -> None:
        """Stops listening."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()
            self._server = None  # type: ignore[assignment]

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # noqa: BLE001  the interpreter may be going
            pass

    def __repr__(self) -> str:
        return f"<Viewer {self.url}>" if self._server is not None else "<Viewer closed>"

    def _repr_html_(self) -> str:
        return _frame_of(self.url) if self._server is not None else f"<p>{html.escape(repr(self))}</p>"


class LiveViewer:
    """A simulation that runs in the browser (`mechane view`), in a process of its own, until it is closed or its object goes."""

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
        self._drain = threading.Thread(target=self._process.stderr.read, daemon=True)
        self._drain.start()

    def is_running(self) -> bool:
        """Whether the simulation is still served."""
        return self._process is not None and self._process.poll() is None

    def close(self) -> None:
        """Ends the simulation."""
        process, self._process = getattr(self, "_process", None), None
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._drain.join()
        process.stdout.close()
        process.stderr.close()

    def __enter__(self) -> "LiveViewer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # noqa: BLE001  the interpreter may be going
            pass

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
