"""`dump physics --compat openusd-26` against OpenUSD's own parser and mass computer, stage by stage."""
import collections
import gzip
import json
import math
import os
import pathlib
import unittest
from concurrent.futures import ThreadPoolExecutor

from tests.cli.program import PROGRAM, ROOT, corpus, mechane

GOLDEN = pathlib.Path(os.environ.get("MECHANE_GOLDEN", ROOT.parent / "shared" / "oracle" / "golden")) / "physics"

# Places that may differ, each with its reason. Everything else is equal.
NOT_A_NUMBER = "nan counts as not authored (usd-physics 1); OpenUSD passes it on into sizes and poses"
DIFFERENCES = {
    "hostile/nan_values.usda": {"/C ": NOT_A_NUMBER},
}


def number(x):
    return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}.get(x, x) if isinstance(x, str) else x


def is_number(x):
    return x in ("nan", "inf", "-inf") or (isinstance(x, (int, float)) and not isinstance(x, bool))


def close(a, b, relative=1e-5, absolute=1e-6):
    """Single precision of the reference, after a chain of matrix products."""
    a, b = number(a), number(b)
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= relative * max(abs(a), abs(b)) + absolute


def rotation(q):
    w, x, y, z = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def tensor(mass):
    """Inertia in the body's frame: the split into diagonal and axes is not unique, the tensor is."""
    r, d = rotation([number(x) for x in mass["principalAxes"]]), [number(x) for x in mass["diagonalInertia"]]
    return [[sum(r[i][k] * d[k] * r[j][k] for k in range(3)) for j in range(3)] for i in range(3)]


def compare(where, theirs, ours):
    """(place, theirs, ours) of every difference; q and -q are one rotation."""
    field = where.rsplit("/", 1)[-1]
    if field == "invertFilteredGroups":
        return  # uninitialised in the reference: random where it is not authored
    if is_number(theirs) and is_number(ours):
        if not close(theirs, ours):
            yield where, theirs, ours
    elif isinstance(theirs, dict) and isinstance(ours, dict):
        for key in sorted(set(theirs) | set(ours)):
            if key not in theirs or key not in ours:
                yield f"{where}/{key}", theirs.get(key, "absent"), ours.get(key, "absent")
            else:
                yield from compare(f"{where}/{key}", theirs[key], ours[key])
    elif isinstance(theirs, list) and isinstance(ours, list):
        if field == "collisions":
            theirs, ours = sorted(theirs), sorted(ours)
        if len(theirs) != len(ours):
            yield where, theirs, ours
        elif len(theirs) == 4 and all(map(is_number, theirs)) and all(close(a, -number(b)) for a, b in zip(theirs, ours)):
            return
        else:
            for a, b in zip(theirs, ours):
                yield from compare(where, a, b)
    elif theirs != ours:
        yield where, theirs, ours


def compare_objects(theirs, ours):
    for kind in sorted(set(theirs) | set(ours)):
        left, right = theirs.get(kind, []), ours.get(kind, [])
        paths = [[o["primPath"] for o in side] for side in (left, right)]
        if paths[0] != paths[1]:
            yield f"{kind} list", [p for p in paths[0] if p not in paths[1]][:3] or "order", [p for p in paths[1] if p not in paths[0]][:3] or "order"
        mine = {o["primPath"]: o for o in right}
        for o in left:
            if o["primPath"] in mine:
                for where, a, b in compare(kind, o, mine[o["primPath"]]):
                    yield f"{o['primPath']} {where}", a, b


def compare_masses(theirs, ours):
    for path, mass in sorted(theirs.items()):
        if "error" in mass or "nan" in json.dumps(mass):
            continue  # the reference has no answer; ours has one by rule
        mine = ours.get(path)
        if mine is None:
            yield f"{path} mass", mass, "absent"
            continue
        if not close(mass["mass"], mine["mass"]):
            yield f"{path} mass", mass["mass"], mine["mass"]
        if not all(close(a, b) for a, b in zip(mass["centerOfMass"], mine["centerOfMass"])):
            yield f"{path} centerOfMass", mass["centerOfMass"], mine["centerOfMass"]
        if abs(sum(number(x) ** 2 for x in mass["principalAxes"]) - 1) > 1e-3:
            continue  # the reference's axes are no rotation
        largest = max(abs(number(x)) for x in mass["diagonalInertia"])
        left, right = tensor(mass), tensor(mine)
        if any(abs(left[i][j] - right[i][j]) > 2e-5 * largest + 1e-9 for i in range(3) for j in range(3)):
            yield f"{path} inertia", mass["diagonalInertia"], mine["diagonalInertia"]


def load(path):
    return json.loads(gzip.open(path).read() if path.suffix == ".gz" else path.read_text())


def stage_of(golden):
    name = str(golden.relative_to(GOLDEN))
    for suffix in (".gz", ".json"):
        name = name.removesuffix(suffix)
    return name


def differences(golden):
    stage = corpus() / stage_of(golden)
    done = mechane("dump", "physics", stage, "--compat", "openusd-26", "-q", timeout=300)
    theirs = load(golden)
    if "objects" not in theirs:
        return []  # the reference could not open it
    if done.returncode not in (0, 1):
        return [("program", "a dump", f"exit {done.returncode}: {done.stderr[-200:]}")]
    ours = json.loads(done.stdout)
    return [*compare_objects(theirs["objects"], ours["objects"]), *compare_masses(theirs.get("mass", {}), ours["mass"])]


@unittest.skipUnless(GOLDEN.is_dir() and corpus(), "needs the corpus and its golden answers")
@unittest.skipUnless(pathlib.Path(PROGRAM).is_file(), "needs the program")
class Physics(unittest.TestCase):
    def test_every_stage_reads_as_openusd_reads_it(self):
        files = sorted(p for p in GOLDEN.rglob("*") if p.is_file() and p.name.endswith((".json", ".json.gz")))
        self.assertGreater(len(files), 300)
        with ThreadPoolExecutor(2) as pool:
            found = dict(zip(map(stage_of, files), pool.map(differences, files)))
        wrong = collections.OrderedDict()
        for stage, rows in found.items():
            rows = [row for row in rows if not any(word in row[0] for word in DIFFERENCES.get(stage, {}))]
            if rows:
                wrong[stage] = rows
        text = "\n".join(f"{stage}: {len(rows)}\n" + "\n".join(f"    {w}: openusd {str(a)[:90]}, ours {str(b)[:90]}" for w, a, b in rows[:3]) for stage, rows in wrong.items())
        self.assertFalse(wrong, f"{len(wrong)} of {len(files)} stages differ\n{text}")

    def test_the_list_of_differences_names_stages_that_differ(self):
        for stage, words in DIFFERENCES.items():
            golden = next(p for p in (GOLDEN / (stage + ".json"), GOLDEN / (stage + ".json.gz")) if p.is_file())
            places = [row[0] for row in differences(golden)]
            for word in words:
                self.assertTrue(any(word in place for place in places), f"{stage}: nothing differs at '{word}' any more")


if __name__ == "__main__":
    unittest.main()
