"""`mechane dump stage --option schemas=openusd` against what usd-core composes of every stage of the corpus."""
import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import subprocess
import tomllib
import unittest

from tests.cli.program import corpus, mechane
from tests.differential.compare_stages import Comparison, short

# What may differ, and why: a table of [[accepted]] file, where (regular expressions over the whole of either), reason.
ACCEPTED = pathlib.Path(__file__).with_name("stage_differences.toml")


def goldens():
    folder = corpus().parent / "oracle" / "golden" / "stage"
    for file in sorted(folder.rglob("*.json*")):
        yield str(file), re.sub(r"\.json(\.gz)?$", "", str(file.relative_to(folder)))


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="ascii") as stream:
        return json.load(stream)


def dump(path):
    try:
        done = mechane("dump", "stage", corpus() / path, "--option", "schemas=openusd", "--threads", 1, timeout=300)
    except subprocess.TimeoutExpired:
        return {"error": "no answer within 60 s"}
    return json.loads(done.stdout) if done.stdout.startswith("{") else {"error": done.stderr or f"exit {done.returncode}"}


def compare(job):
    golden, path = job
    comparison = Comparison(str(corpus())).stage(read(golden), dump(path))
    return path, comparison.values, [(where, short(a), short(b)) for where, a, b in comparison.found]


@unittest.skipUnless(corpus(), "skipped: no corpus")
class Stages(unittest.TestCase):
    maxDiff = None

    def test_every_stage_is_composed_as_openusd_composes_it(self):
        rows = tomllib.loads(ACCEPTED.read_text())["accepted"]
        rules = [(re.compile(row["file"]), re.compile(row["where"]), row["reason"]) for row in rows]
        used, stages, values, listed, unlisted = collections.Counter(), 0, 0, 0, []
        only = os.environ.get("MECHANE_STAGES", "")  # a regular expression, to look at a few
        jobs = [job for job in goldens() if re.search(only, job[1])]
        with concurrent.futures.ProcessPoolExecutor(2) as workers:
            for path, count, found in workers.map(compare, jobs, chunksize=8):
                stages += 1
                values += count
                for where, expected, ours in found:
                    rule = next((i for i, (file, place, _) in enumerate(rules) if file.fullmatch(path) and place.fullmatch(where)), None)
                    if rule is None:
                        unlisted.append(f"{path}: {where}\n    expected {expected}\n    found    {ours}")
                    else:
                        used[rule] += 1
                        listed += 1
        print(f"\n{stages} stages, {values} values compared, {listed} listed differences, {len(unlisted)} others")
        report = os.environ.get("MECHANE_STAGES_REPORT")
        if report:
            pathlib.Path(report).write_text("\n".join(unlisted) + "\n")
        self.assertGreater(stages, 0)
        if not only:
            idle = [rows[i] for i in range(len(rules)) if not used[i]]
            self.assertEqual(idle, [], "rows that no stage needs")
        self.assertEqual(unlisted[:20], [], f"{len(unlisted)} differences that are not listed")


if __name__ == "__main__":
    unittest.main()
