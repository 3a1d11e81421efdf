#!/usr/bin/env python3
"""Runs Newton's own tests against mechane and says how many pass.

usage: newton_suite.py [--list FILE] [--only WORD] [-v]     with a Python that has newton 1.8, warp and usd-core

NEWTON_SUITE.toml names the modules that are counted, what is left out of each with a word of reason, and why some tests that are counted
fail. Newton's files are read where they are installed.
"""
import argparse
import collections
import importlib
import importlib.util
import io
import os
import pathlib
import re
import sys
import tomllib
import unittest
import warnings

HERE = pathlib.Path(__file__).resolve().parent


def flat(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from flat(item)
        else:
            yield item


class Classes:
    """Sets up and clears away the class of the test that runs, as unittest's own runner does."""

    def __init__(self):
        self.current, self.error = None, None

    def enter(self, cls):
        if cls is self.current:
            return
        self.leave()
        self.current, self.error = cls, None
        try:
            cls.setUpClass()
        except Exception:  # noqa: BLE001  it is an outcome of each of its tests
            self.error = sys.exc_info()

    def leave(self):
        if self.current is not None and self.error is None:
            self.current.tearDownClass()
            self.current.doClassCleanups()
        self.current = None


class Result(unittest.TestResult):
    def __init__(self, stages=()):
        super().__init__()
        self.outcome, self.stages = {}, stages

    def addSuccess(self, test):
        self.outcome[test.id()] = ("pass", "")

    def addSkip(self, test, reason):
        # Of a part of a test that skips itself unittest says no more.
        self.outcome[getattr(test, "test_case", test).id()] = ("skip", reason)

    def _bad(self, test, error):
        kind, value, _ = error
        private = re.search(r"(?:no|the) attribute '(_[a-z]\w*)'|cannot import name '(_[a-z]\w*)'", str(value))
        if kind.__name__ == "PrivateName" or (issubclass(kind, (AttributeError, ImportError)) and private):
            self.outcome[test.id()] = ("left out", f"private: {value if private is None else private.group(1) or private.group(2)}")
            return
        if issubclass(kind, TypeError) and "not a type object (_Absent)" in str(value):
            self.outcome[test.id()] = ("left out", "a part of Newton that mechane leaves out")
            return
        if "can only launch functions decorated with @wp.kernel" in str(value):
            self.outcome[test.id()] = ("left out", "private: a kernel of Newton's own")
            return
        if issubclass(kind, (AttributeError, NotImplementedError)) and " is left out" in str(value):
            self.outcome[test.id()] = ("left out", f"not part of mechane: {value}")
            return
        stage = re.search(r"belongs to a later stage \((.*)\)|(Solver[A-Za-z]+) is not built", str(value))
        if issubclass(kind, NotImplementedError) and stage and (stage.group(2) or stage.group(1) in self.stages):
            self.outcome[test.id()] = ("left out", f"not built: {stage.group(2) or stage.group(1)}")
            return
        self.outcome[test.id()] = ("fail", f"{kind.__name__}: {str(value).strip().splitlines()[0][:160] if str(value).strip() else ''}")

    addError = addFailure = lambda self, test, error: self._bad(test, error)

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self._bad(test, error)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", help="write every test with its outcome and reason to this file")
    parser.add_argument("--only", default="")
    parser.add_argument("-v", action="store_true")
    arguments = parser.parse_args()
    installed = pathlib.Path(importlib.util.find_spec("newton").origin).parent
    os.environ["NEWTON_INSTALLED"] = str(installed)
    os.environ.setdefault("MECHANE_COMPAT", "newton-1.8")
    sys.path.insert(0, str(HERE / "newton_shim"))
    sys.modules.pop("newton", None)
    warnings.simplefilter("ignore")
    chosen = tomllib.loads((HERE / "newton_suite.toml").read_text())
    rows, totals = [], collections.Counter()
    for name, left_out in chosen["modules"].items():
        if arguments.only not in name:
            continue
        try:
            module = importlib.import_module(f"newton.tests.{name}")
        except Exception as error:  # noqa: BLE001  a module that cannot be imported fails as a whole
            rows.append((name, "fail", f"import: {type(error).__name__}: {error}"))
            totals["fail"] += 1
            continue
        classes = Classes()
        for test in flat(unittest.defaultTestLoader.loadTestsFromModule(module)):
            short = test.id().split(f"{name}.")[-1]
            reason = next((why for word, why in {**chosen["everywhere"], **left_out}.items() if word in short), None)
            if reason is not None:
                rows.append((f"{name}.{short}", "left out", reason))
                totals["left out"] += 1
                continue
            result, out = Result(chosen["stages"]), sys.stdout
            sys.stdout = io.StringIO()
            try:
                classes.enter(type(test))
                if classes.error is None:
                    test(result)
                elif issubclass(classes.error[0], unittest.SkipTest):
                    result.addSkip(test, str(classes.error[1]))
                else:
                    result.addError(test, classes.error)
            finally:
                sys.stdout = out
            outcome, why = result.outcome.get(test.id(), ("fail", "no outcome"))
            if outcome == "fail":
                method = short.split(".")[-1]
                stays = next((chosen["stays"][m] for m in (method, method.removesuffix("_cpu")) if m in chosen["stays"]), None)
                totals["unexplained"] += stays is None
                why = f"[{stays or 'no reason is given'}] {why}"
            rows.append((f"{name}.{short}", outcome, why))
            totals[outcome] += 1
            if arguments.v and outcome == "fail":
                print(f"{name}.{short}: {why}", flush=True)
        classes.leave()
    counted = totals["pass"] + totals["fail"]
    if arguments.list:
        pathlib.Path(arguments.list).write_text("".join(f"{outcome}\t{name}\t{why}\n" for name, outcome, why in rows))
    print(f"{totals['pass']} of {counted} counted tests pass ({100 * totals['pass'] / max(counted, 1):.1f} %), "
          f"{totals['left out']} left out, {totals['skip']} skipped by themselves; {totals['unexplained']} failures without a reason")


if __name__ == "__main__":
    main()
