"""Real layers say the same after binary, text and back; real stages flatten to what OpenUSD flattens them to.

The second test needs a Python with usd-core (deps/requirements of the oracle): environment variable MECHANE_ORACLE_PYTHON, else the Python that runs
the tests. MECHANE_STAGES, a regular expression, takes a part of the corpus.
"""
import collections
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

from tests.cli.program import corpus, mechane
from tests.differential.compare_stages import Comparison, short

ORACLE = os.environ.get("MECHANE_ORACLE_PYTHON", sys.executable)
MAX_BYTES = 3_000_000
# What may differ in flattened stages, and why, as in stage_differences.toml.
ACCEPTED = pathlib.Path(__file__).with_name("flatten_differences.toml")

FLATTEN = """
import pathlib, sys
from pxr import Tf, Usd
for line in sys.stdin:
    source, target = line.rstrip("\\n").split("\\t")
    try:
        Usd.Stage.Open(source).Flatten(addSourceFileComment=False).Export(target)
    except Tf.ErrorException as error:
        pathlib.Path(target).unlink(missing_ok=True)
    print(source, flush=True)
"""


def has_oracle():
    return subprocess.run([ORACLE, "-c", "from pxr import Usd"], capture_output=True).returncode == 0


def files():
    """Layers and stages of the corpus that are meant to open."""
    wanted = re.compile(os.environ.get("MECHANE_STAGES", ""))
    for path in sorted(corpus().rglob("*.usd*")):
        name = str(path.relative_to(corpus()))
        if path.is_file() and path.suffix in (".usda", ".usdc", ".usd", ".usdz") and path.stat().st_size < MAX_BYTES and "hostile" not in name and wanted.search(name):
            yield path


def what_it_says(text):
    """The text without what OpenUSD's own formats do not keep: the sign of zeros in matrices (crate), and metadata with nothing in them, which
    is how an empty variant selection is written (text)."""
    return re.sub(r" \(\n\s*\)", "", re.sub(r"(?<![\w.])-0(?![\w.])", "0", text))


def round_trip(path):
    """What goes wrong on the way to binary and back, or None; False for a file that does not open."""
    with tempfile.TemporaryDirectory() as folder:
        binary, text, again = (str(pathlib.Path(folder, name)) for name in ("a.usdc", "b.usda", "c.usdc"))
        for source, target in ((path, binary), (binary, text), (text, again)):
            done = mechane("cat", source, "--keep-asset-paths", "-o", target, timeout=300)
            if done.returncode:
                return False if source is path else f"exit {done.returncode} {done.stderr}"
        texts = re.split(r"^(?=#usda 1\.0\n)", mechane("cat", path, binary, text, again, timeout=300).stdout, flags=re.MULTILINE)[1:]
        texts = [what_it_says(text) for text in texts]
        if len(texts) != 4 or len(set(texts)) != 1:
            lines = [next((a, b) for a, b in zip(texts[0].splitlines(), t.splitlines()) if a != b) for t in texts[1:] if t != texts[0] and len(texts) == 4]
            return f"{len(texts)} texts, first differences {lines}"
    return None


def dump(path):
    done = mechane("dump", "stage", path, "--option", "schemas=openusd", "--threads", 1, timeout=300)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr or f"exit {done.returncode}"}


def named_by_their_instances(text):
    """The text of a flattened layer with every prototype named by the list of instances that refer to it.

    OpenUSD numbers prototypes in the order in which its threads come upon them. Prims keep to four spaces a level, and of
    references only those to prototypes are left."""
    users, path = collections.defaultdict(list), []
    for line in text.splitlines():
        if prim := re.match(r'( *)(?:def|over|class)(?: \w+)? "([^"]+)"', line):
            path[len(prim[1]) // 4:] = [prim[2]]
        elif reference := re.fullmatch(r" *(?:\w+ )?references = </(Flattened_Prototype_\d+)>", line):
            users[reference[1]].append(tuple(path))

    @functools.cache
    def name(prototype):
        if prototype not in users:
            return prototype
        lists = sorted("/".join(("", name(root), *below)) for root, *below in users[prototype])
        return f"Flattened_Prototype{re.sub(r'[^0-9A-Za-z]', '_', lists[0])}_{hashlib.sha256(' '.join(lists).encode()).hexdigest()[:12]}"

    return re.sub(r"\bFlattened_Prototype_\d+\b", lambda match: name(match[0]), text)


def prototypes_last(order):
    """OpenUSD lays prototypes before everything else, we behind it; who refers to them is all the same."""
    return sorted(order, key=lambda path: match[0] if (match := re.match(r"/Flattened_Prototype_\w+", path)) else "")


def compare_flattened(job):
    """Differences between what OpenUSD flattened a stage to and what we do, both composed by us."""
    path, reference, target = job
    done = mechane("cat", "--flatten", path, "-o", target, timeout=300)
    # A stage with an arc that cannot be followed is flattened without it; the exit status says so (3).
    opened, expected = done.returncode in (0, 3) and pathlib.Path(target).exists(), pathlib.Path(reference).exists()
    if not opened or not expected:
        return path, 0, [("opens", expected, done.stderr)] if opened != expected else []
    for flattened in (reference, target):
        file = pathlib.Path(flattened)
        file.write_text(named_by_their_instances(file.read_text()))
    theirs, ours = dump(reference), dump(target)
    for document in (theirs, ours):
        if "stage" in document:
            document["stage"]["layers"] = []
            document["order"] = prototypes_last(document["order"])
    comparison = Comparison(str(corpus())).stage(theirs, ours)
    return path, comparison.values, [(where, short(a), short(b)) for where, a, b in comparison.found]


class NamesOfPrototypes(unittest.TestCase):
    """Two prims share a prototype that holds an instance of another; a third has its own."""

    STAGE = """#usda 1.0
over "Flattened_Prototype_1"
{
    def "inner" (
        instanceable = true
        append references = </Flattened_Prototype_2>
    )
    {
    }
    rel to = </Flattened_Prototype_1/inner>
}
over "Flattened_Prototype_2"
{
    double x = 2
}
over "Flattened_Prototype_3"
{
    double x = 3
}
def Xform "a" (
    instanceable = true
    references = </Flattened_Prototype_1>
)
{
}
def "b" (
    prepend references = </Flattened_Prototype_1>
)
{
}
def "c" (
    prepend references = </Flattened_Prototype_3>
)
{
}
"""

    def renumbered(self, *numbers):
        return re.sub(r"(?<=Flattened_Prototype_)[123]", lambda match: str(numbers[int(match[0]) - 1]), self.STAGE)

    def test_numbers_do_not_matter(self):
        named = named_by_their_instances(self.STAGE)
        self.assertNotRegex(named, r"Flattened_Prototype_\d")
        for numbers in ((1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1), (10, 11, 12)):
            self.assertEqual(named_by_their_instances(self.renumbered(*numbers)), named)

    def test_a_changed_stage_is_another_one(self):
        named = named_by_their_instances(self.STAGE)
        for line, other in (("x = 2", "x = 5"), ("references = </Flattened_Prototype_3>", "references = </Flattened_Prototype_2>"),
                            ('"b" (\n    prepend references = </Flattened_Prototype_1>', '"b" (\n    prepend references = </Flattened_Prototype_3>'),
                            ("append references = </Flattened_Prototype_2>", "append references = </Flattened_Prototype_3>"), ("rel to = </Flattened_Prototype_1/inner>", "rel to = </Flattened_Prototype_2/inner>")):
            changed = self.STAGE.replace(line, other)
            self.assertNotEqual(changed, self.STAGE)
            self.assertNotEqual(named_by_their_instances(changed), named, other)


@unittest.skipUnless(corpus(), "skipped: no corpus")
class RoundTrips(unittest.TestCase):
    maxDiff = None

    def test_layers_say_the_same_after_binary_text_and_back(self):
        """STG-124"""
        wrong, layers, closed = [], 0, 0
        with concurrent.futures.ThreadPoolExecutor(2) as workers:
            paths = list(files())
            for path, found in zip(paths, workers.map(round_trip, paths)):
                layers += found is not False
                closed += found is False
                if found:
                    wrong.append(f"{path}: {found}")
        print(f"\n{layers} layers made the round trip, {len(wrong)} differ, {closed} do not open")
        self.assertGreater(layers, 0)
        self.assertEqual(wrong[:20], [], f"{len(wrong)} layers differ")

    @unittest.skipUnless(has_oracle(), "skipped: no Python with usd-core")
    def test_stages_flatten_to_what_openusd_flattens_them_to(self):
        """STG-126"""
        rows = tomllib.loads(ACCEPTED.read_text())["accepted"]
        rules = [(re.compile(row["file"]), re.compile(row["where"]), row["reason"]) for row in rows]
        used, stages, values, listed, unlisted = collections.Counter(), 0, 0, 0, []
        with tempfile.TemporaryDirectory() as folder:
            jobs = [(path, f"{folder}/theirs{i}.usda", f"{folder}/ours{i}.usda") for i, path in enumerate(files())]
            subprocess.run([ORACLE, "-c", FLATTEN], input="".join(f"{path}\t{target}\n" for path, target, _ in jobs), text=True, capture_output=True, check=True)
            with concurrent.futures.ProcessPoolExecutor(2) as workers:
                for path, count, found in workers.map(compare_flattened, jobs, chunksize=8):
                    name = str(path.relative_to(corpus()))
                    stages += 1
                    values += count
                    for where, expected, ours in found:
                        rule = next((i for i, (file, place, _) in enumerate(rules) if file.fullmatch(name) and place.fullmatch(where)), None)
                        if rule is None:
                            unlisted.append(f"{name}: {where}\n    expected {expected}\n    found    {ours}")
                        else:
                            used[rule] += 1
                            listed += 1
        print(f"\n{stages} stages flattened, {values} values compared, {listed} listed differences, {len(unlisted)} others")
        if report := os.environ.get("MECHANE_STAGES_REPORT"):
            pathlib.Path(report).write_text("\n".join(unlisted) + "\n")
        self.assertGreater(stages, 0)
        if not os.environ.get("MECHANE_STAGES"):
            self.assertEqual([rows[i] for i in range(len(rules)) if not used[i]], [], "rows that no stage needs")
        self.assertEqual(unlisted[:20], [], f"{len(unlisted)} differences that are not listed")


if __name__ == "__main__":
    unittest.main()
