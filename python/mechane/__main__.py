"""The command line: `python -m mechane` is `mechane`."""
from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

from . import _core

__all__ = ["entry", "main"]


def main() -> int:
    """Runs the command of this process's arguments; returns its exit code."""
    # Python only notes an interrupt until its own code runs again; the commands run long outside of it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    samples = os.path.join(os.path.dirname(__file__), "samples")
    return _core.run_program(["mechane", *sys.argv[1:]], sys.executable, ["-m", "mechane"], samples)


def entry() -> NoReturn:
    """`python -m mechane`. The process ends at once: threads of OpenUSD may still free what its statics hold."""
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    entry()
