"""Stages drawn by chance, composed by us and by usd-core. Needs the oracles beside the corpus and a Python that has usd-core: MECHANE_USD_PYTHON.

MECHANE_RANDOM_STAGES=FIRST:LAST chooses the seeds. A stage that OpenUSD itself gives up on, with a failed verification of its own or by not ending, only has to be answered by us.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from tests.cli.program import corpus, mechane
from tests.differential.compare_stages import Comparison, short
from tests.differential.random_stages import Writer

PYTHON = os.environ.get("MECHANE_USD_PYTHON", "")
SECONDS = 10  # for one stage; arcs upon arcs multiply some beyond any use
ORACLE = """
import json, multiprocessing, pathlib, sys
sys.path.insert(0, sys.argv[1])
import stage_dump
def one(folder):
    (folder / "expected.json").write_text(json.dumps(stage_dump.dump(str(folder / "root.usda"))))
for name in sys.argv[3:]:
    process = multiprocessing.get_context("fork").Process(target=one, args=(pathlib.Path(name),))
    process.start()
    process.join(float(sys.argv[2]))
    if process.is_alive():
        process.kill()
"""


@unittest.skipUnless(PYTHON and corpus(), "needs MECHANE_USD_PYTHON and the oracles beside the corpus")
class RandomStages(unittest.TestCase):
    maxDiff = None

    def test_stages_drawn_by_chance_are_composed_as_openusd_composes_them(self):
        first, last = map(int, os.environ.get("MECHANE_RANDOM_STAGES", "0:100").split(":"))
        compared, given_up, values, found = 0, 0, 0, []
        with tempfile.TemporaryDirectory() as place:
            folders = [pathlib.Path(place, str(seed)) for seed in range(first, last)]
            for folder in folders:
                folder.mkdir()
                Writer(int(folder.name)).write(folder)
            # One thread: which of equal instances OpenUSD composes first is else a matter of chance.
            subprocess.run([PYTHON, "-c", ORACLE, str(corpus().parent / "oracle"), str(SECONDS), *map(str, folders)], check=True,
                           stderr=subprocess.DEVNULL, env={**os.environ, "PXR_WORK_THREAD_LIMIT": "1"})
            for folder in folders:
                answer = folder / "expected.json"
                expected = json.loads(answer.read_text()) if answer.exists() else {"error": "no end"}
                try:
                    done = mechane("dump", "stage", folder / "root.usda", "--option", "schemas=openusd", timeout=3 * SECONDS)
                except subprocess.TimeoutExpired:
                    self.assertFalse(answer.exists(), f"seed {folder.name}: no answer")
                    given_up += 1
                    continue
                self.assertIn(done.returncode, (0, 3) if "error" in expected else (0,), f"seed {folder.name}: {done.stderr}")
                if "error" in expected:
                    given_up += 1
                    continue
                comparison = Comparison(str(folder)).stage(expected, json.loads(done.stdout))
                compared += 1
                values += comparison.values
                found += [f"seed {folder.name}: {where}\n    expected {short(a)}\n    found    {short(b)}" for where, a, b in comparison.found]
        print(f"\n{compared} stages, {values} values compared, {given_up} that OpenUSD gives up on")
        self.assertGreater(compared, 0)
        self.assertEqual(found[:20], [], f"{len(found)} differences")


if __name__ == "__main__":
    unittest.main()
