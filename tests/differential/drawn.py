"""What the tests over stages drawn by chance share: which seeds, and an oracle's answers to all of them. MECHANE_RANDOM_STAGES=FIRST:LAST chooses the seeds."""
import contextlib
import os
import pathlib
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from tests.cli.program import corpus

#: An interpreter that has the oracle's packages.
PYTHON = os.environ.get("MECHANE_USD_PYTHON", "")


def seeds(otherwise):
    first, last = map(int, os.environ.get("MECHANE_RANDOM_STAGES", otherwise).split(":"))
    return range(first, last)


@contextlib.contextmanager
def answered(oracle, writer, otherwise, *arguments, **environment):
    """Folders named by their seeds, with what `writer(seed)` writes and what the oracle's program, told of the folders in one call, adds."""
    with tempfile.TemporaryDirectory() as place:
        folders = [pathlib.Path(place, str(seed)) for seed in seeds(otherwise)]
        for folder in folders:
            folder.mkdir()
            writer(int(folder.name)).write(folder)
        subprocess.run([PYTHON, "-c", oracle, str(corpus().parent / "oracle"), *arguments, *map(str, folders)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment})
        yield folders


def compared(compare, folders):
    """(folder, what `compare` says of it) of each, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        return list(zip(folders, pool.map(compare, folders)))
