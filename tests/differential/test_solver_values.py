"""Every solver gives what an authored value asks for, or says once that it does not (DYN-046, rule 3.1): the table of docs/solvers.md, cell by cell.

Expected motions are closed forms. MECHANE_SOLVER_VALUES=TEXT takes the rows whose name has the text.
"""
import json
import os
import pathlib
import re
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

from tests.cli.program import ROOT, mechane
from tests.differential.solver_values import CASES

SOLVERS = ("softstep", "xpbd", "semi-implicit", "featherstone", "vbd", "mujoco")
#: What a line of stderr says about a value: a solver leaves it out or approximates it, an import knows that nobody models it, or a solver refuses the model.
LINE = re.compile(r"^\w+\[(SOLVER_FEATURE|SOLVER_APPROXIMATES|SOLVER_MODEL|IMPORT_NOT_SIMULATED)\]: (.*)\n(?:  --> (.*)\n)?", re.M)
HEADING = "| value | softstep | xpbd | semi-implicit | featherstone | vbd | mujoco |"
#: A cell: honoured, said and left out, said and done another way, refused with the prim.
YES, SAID, OTHERWISE, REFUSED = "yes", "said", "otherwise", "refused"


def table():
    """The documented cells, by row and solver."""
    lines = (ROOT / "docs" / "solvers.md").read_text().partition(HEADING + "\n")[2].split("\n\n")[0].splitlines()[1:]
    return {row: dict(zip(SOLVERS, cells)) for row, *cells in ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)}


class Run:
    """One case under one solver."""

    def __init__(self, folder, index, case, solver, plain=False):
        file = folder / f"{index}_{solver}_{int(plain)}{case.suffix}"
        file.write_text(case.plain if plain else case.stage)
        steps = round(case.seconds * 1000)
        done = mechane("sim", file, "--solver", solver, "--dt", "1/1000", "--frames", steps, "--every", steps, "--json", *case.options, timeout=300)
        self.status, self.errors = done.returncode, done.stderr
        self.missing = "SOLVER_UNAVAILABLE" in done.stdout + done.stderr
        frames = json.loads(done.stdout).get("frames") if done.stdout.startswith("{") else None
        self.value = case.measure(frames[-1]) if frames else None
        self.said = [(code, text) for code, text, place in LINE.findall(done.stderr) if case.prim in text or case.prim in place]

    def answers(self, case, solver):
        return self.value is not None and abs(self.value - case.other.get(solver, case.expected)) <= case.tolerance


@unittest.skipUnless(os.environ.get("MECHANE_SANITIZE") in (None, "", "OFF"), "many runs")
class SolverValues(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        wanted = os.environ.get("MECHANE_SOLVER_VALUES", "")
        cls.cases = [case for case in CASES if wanted in case.row]
        jobs = [(i, case, solver, plain) for i, case in enumerate(cls.cases) for solver in SOLVERS for plain in (False, True)]
        with ThreadPoolExecutor(2) as pool:
            cls.runs = dict(zip([(i, solver, plain) for i, _, solver, plain in jobs], pool.map(lambda job: Run(pathlib.Path(folder.name), *job), jobs)))
        cls.without = {solver for (_, solver, _), run in cls.runs.items() if run.missing}
        for solver in cls.without:
            print(f"skipped: no {solver}", flush=True)

    def test_a_value_moves_things_as_its_closed_form_says_or_is_said_not_to(self):
        documented = table()
        for i, case in enumerate(self.cases):
            for solver in SOLVERS:
                if solver in self.without:
                    continue
                with self.subTest(row=case.row, case=i, solver=solver):
                    run, cell = self.runs[i, solver, False], documented[case.row][solver]
                    # What is said of the rest of the stage is said without the value too.
                    said = list(run.said)
                    for line in self.runs[i, solver, True].said:
                        if line in said:
                            said.remove(line)
                    seen = f"{run.value}, expected {case.expected}\n{run.errors}"
                    if cell == YES:
                        self.assertTrue(run.answers(case, solver), seen)
                        self.assertEqual(said, [], "honoured, and yet said not to be")
                    elif cell == REFUSED:
                        self.assertEqual((run.status, [code for code, _ in run.said]), (6, ["SOLVER_MODEL"]), seen)
                    else:
                        codes = {SAID: ["SOLVER_FEATURE", "IMPORT_NOT_SIMULATED"], OTHERWISE: ["SOLVER_APPROXIMATES"]}[cell]
                        self.assertEqual(len([code for code, _ in said if code in codes]), 1, seen)

    def test_what_is_said_to_be_left_out_is_left_out(self):
        """Else the sentence would be false, and the table with it."""
        documented = table()
        for i, case in enumerate(self.cases):
            for solver in SOLVERS:
                if solver not in self.without and documented[case.row][solver] == SAID:
                    with self.subTest(row=case.row, case=i, solver=solver):
                        self.assertFalse(self.runs[i, solver, False].answers(case, solver), "said to be left out, and yet there")

    def test_the_cases_tell_a_value_from_its_absence(self):
        for i, case in enumerate(self.cases):
            solver = "mujoco" if case.suffix == ".xml" else "softstep"
            if solver in self.without:
                continue
            with self.subTest(row=case.row, case=i):
                plain = self.runs[i, solver, True].value
                self.assertIsNotNone(plain, self.runs[i, solver, True].errors)
                self.assertGreater(abs(plain - case.expected), 2 * case.tolerance)

    def test_every_row_of_the_table_has_a_case(self):
        self.assertEqual(sorted(table()), sorted({case.row for case in CASES}))


if __name__ == "__main__":
    unittest.main()
