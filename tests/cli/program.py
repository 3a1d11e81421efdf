"""Runs the program under test: environment variable MECHANE, else the release build."""
import json
import os
import pathlib
import signal
import subprocess

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell starts so what runs in its background, and so would every program that is interrupted here
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("MECHANE_CACHE", "off")  # tests of what is kept name a folder
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("MECHANE", str(ROOT / "build" / "release" / "bin" / "mechane"))
#: Compiled with sanitizers: slower several times over, and with a library that insists on being loaded first.
SANITIZED = bool(os.environ.get("MECHANE_SANITIZE"))
QUADRUPED = str(ROOT / "samples" / "quadruped" / "quadruped.usda")


def corpus():
    """Folder of real assets, or None."""
    folder = pathlib.Path(os.environ.get("MECHANE_CORPUS", ROOT.parent / "shared" / "corpus"))
    return folder if folder.is_dir() else None


def mechane(*arguments, timeout=600, preexec=None, cwd=None, **environment):
    """The finished process; stdout and stderr are text. `preexec` runs in the child before the program."""
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, errors="replace", preexec_fn=preexec, cwd=cwd, env={**os.environ, **environment})


def document(*arguments, **options):
    """The JSON object that a successful command prints."""
    done = mechane(*arguments, **options)
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stderr}"
    return json.loads(done.stdout)
