"""The browser viewer: a page that plays a recording, served from this machine to this machine."""
from __future__ import annotations

import functools
import http.server
import threading
from typing import Any

from .. import _core
from ..core.arguments import name_arguments
from .recording import Recording

__all__ = ["Viewer", "view"]


class _Page(http.server.BaseHTTPRequestHandler):
    """Answers every request with one page."""

    def __init__(self, body: bytes, *args: Any):
        self.body = body
        super().__init__(*args)

    def do_GET(self) -> None:  # noqa: N802
        found = self.path in ("/", "/index.html")
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(self.body) if found else 0))
        self.end_headers()
        if found:
            self.wfile.write(self.body)

    def log_message(self, *_: Any) -> None:
        pass


class Viewer:
    """A page on the loopback address until it is closed, or its object goes."""

    def __init__(self, page: str, port: int):
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(_Page, page.encode()))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        self.address, self.port = self._server.server_address[:2]

    @property
    def url(self) -> str:
        return f"http://{self.address}:{self.port}/"

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


def view(what: Any, port: int = 0, open: bool = True) -> Viewer:  # noqa: A002
    """Shows a model, a recording or a simulation in the browser; `port` 0 takes a free one. Nothing but this machine can see it."""
    what = getattr(what, "recording", what)  # of a Simulation, or a Recorder
    recording = what if isinstance(what, Recording) else Recording(_core.snapshot(what.state()._core), what)
    viewer = Viewer(recording.to_html(), port)
    if open:
        import webbrowser

        webbrowser.open(viewer.url)
    return viewer


name_arguments(globals())
