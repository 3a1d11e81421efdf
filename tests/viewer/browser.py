"""Chromium without a window, spoken with by its debugging protocol: pages that live cannot be tested with a clock that is made up."""
import base64
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
from tests.cli.websocket import WebSocket  # noqa: E402

CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
OPTIONS = ["--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--window-size=900,600", "--remote-debugging-port=0",
           "--remote-allow-origins=*"]


class Browser:
    """One page in one browser. `errors` are exceptions of scripts, and what the console calls an error."""

    def __init__(self, url):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # its helpers may still be writing
        self.process = subprocess.Popen([CHROMIUM, *OPTIONS, f"--user-data-dir={self.folder.name}", "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port_file = pathlib.Path(self.folder.name) / "DevToolsActivePort"
        end = time.monotonic() + 90
        while not (port_file.exists() and "\n" in port_file.read_text()):
            if time.monotonic() > end:
                raise AssertionError("the browser does not start")
            time.sleep(0.05)
        port = int(port_file.read_text().split()[0])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=30) as answer:
            target = next(t for t in json.load(answer) if t["type"] == "page")
        self.socket = WebSocket(port, "/devtools/page/" + target["id"], timeout=120)
        self.number, self.errors = 0, []
        for domain in ("Page", "Runtime", "Log"):
            self.ask(domain + ".enable")
        self.ask("Page.navigate", url=url)
        self.wait("document.body !== null && location.protocol !== 'about:' && document.readyState === 'complete'")

    def ask(self, method, **parameters):
        self.number += 1
        self.socket.say(id=self.number, method=method, params=parameters)
        while True:
            message = json.loads(self.socket.receive())
            if message.get("method") == "Runtime.exceptionThrown":
                self.errors.append(json.dumps(message["params"]["exceptionDetails"])[:2000])
            if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
                self.errors.append(message["params"]["entry"]["text"])
            if message.get("id") == self.number:
                if "error" in message:
                    raise AssertionError(message["error"])
                return message["result"]

    def value(self, script):
        """What an expression of the page is worth."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, allowUnsafeEvalBlockedByCSP=False)
        if "exceptionDetails" in result:
            raise AssertionError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def wait(self, script, seconds=90):
        """Until an expression is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.value(script)
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError(f"never true: {script}; errors {self.errors}; {self.value('document.body?.innerText')}")

    def picture(self):
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])

    def mouse(self, kind, x, y, modifiers=0, buttons=1):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=buttons, clickCount=1, modifiers=modifiers)

    def key(self, key, code=None, modifiers=0):
        for kind in ("keyDown", "keyUp"):
            self.hold(key, code, modifiers, kind)

    def hold(self, key, code=None, modifiers=0, kind="keyDown"):
        """Presses a key and does not let it go; kind "keyUp" does."""
        number = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "PageUp": 33, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}.get(key, ord(key.upper()) if len(key) == 1 and key.isalnum() else 0)
        text = "\r" if key == "Enter" else key if len(key) == 1 else ""
        self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=code or (f"Key{key.upper()}" if len(key) == 1 and key.isalpha() else key), text=text if kind == "keyDown" else "", modifiers=modifiers,
                 windowsVirtualKeyCode=number)

    def drawn(self):
        """Waits until what was asked for is on the picture."""
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def close(self):
        self.socket.close()
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
